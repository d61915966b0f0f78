package explore_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A rig runs programs under an explorer, on one system.
type rig struct {
	sys    *pulse.System
	drives bool // the programs call Run themselves, if at all
}

func (r *rig) close() {
	if r.sys != nil {
		r.sys.Close()
	}
}

// worker makes what is explored of what builds it.
func (r *rig) worker(o pulse.Options, build func(*pulse.System) func() error) *worker {
	return &worker{run: func(s pulse.Strategy) explore.Run {
		switch {
		case r.sys == nil:
			o.Strategy = s
			r.sys = pulse.New(o)
		case o.Strategy != s: // the first run, or an explorer that has gone over to another search
			o.Strategy = s
			r.sys.Configure(o)
		default:
			r.sys.Reset(0)
		}
		check := build(r.sys)
		if !r.drives {
			r.sys.Run()
		}
		f := r.sys.Failure()
		if f == skips {
			return explore.Run{System: r.sys}
		}
		if f == nil && check != nil {
			err := check()
			if f = r.sys.Failure(); f == nil && err != nil { // else it has asked
				f = &pulse.Failure{Kind: pulse.KindProperty, Text: err.Error()}
			}
		}
		return explore.Run{System: r.sys, Failure: f}
	}}
}

// explored is what an exploration came to, in the enumerator's terms.
type explored struct {
	explore.Result
	passing map[uint64]int
	failing map[string]int
	mu      sync.Mutex // of both, which several workers fill
}

func (r *rig) explore(p *program, o explore.Options, after ...func(explore.Run)) *explored {
	return r.exploreBuild(p.options(), p.Build, o, after...)
}

func (r *rig) exploreBuild(so pulse.Options, build func(*pulse.System) func() error, o explore.Options, after ...func(explore.Run)) *explored {
	return exploreWith(o, after, r.worker(so, build))
}

// exploreWith explores with workers, and collects what their runs came to.
func exploreWith(o explore.Options, after []func(explore.Run), workers ...*worker) *explored {
	e := &explored{passing: map[uint64]int{}, failing: map[string]int{}}
	o.KeepOn, o.Record = true, true
	var team []explore.Worker
	for _, w := range workers {
		w.done = func(run explore.Run) { e.add(run, after) }
		w.again = func() { // what came before does not count
			clear(e.passing)
			clear(e.failing)
		}
		team = append(team, w)
	}
	var err error
	if e.Result, err = explore.Explore(o, team...); err != nil {
		panic(err)
	}
	return e
}

// add adds a run.
func (e *explored) add(run explore.Run, after []func(explore.Run)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if run.System.Failure() == nil {
		for _, f := range after {
			f(run)
		}
	}
	switch {
	case run.System.Failure() == skips:
	case run.Failure == nil:
		e.passing[withEnd(classOf(run.System), run.System)]++
	case run.System.Failure() != nil:
		e.failing[run.System.Failure().Signature()]++
	default:
		e.failing[run.Failure.Text]++
	}
}

// misses says in what an exploration differs from all orders, "" when in nothing.
func (e *explored) misses(all orders) string {
	switch {
	case !e.Complete:
		return fmt.Sprintf("is not complete: %s %s", e.Bound, e.Nondeterminism)
	case len(e.passing) != len(all.passing):
		return fmt.Sprintf("%d of %d distinct orders", len(e.passing), len(all.passing))
	case len(e.failing) != len(all.failing):
		return fmt.Sprintf("failures %v of %v", e.failing, all.failing)
	}
	for key := range all.passing {
		if e.passing[key] == 0 {
			return "another distinct order"
		}
	}
	for key := range all.failing {
		if e.failing[key] == 0 {
			return fmt.Sprintf("failures %v of %v", e.failing, all.failing)
		}
	}
	return ""
}

// repeats is how many runs fell in a class that had one.
func (e *explored) repeats() int {
	n := 0
	for _, runs := range e.passing {
		n += runs - 1
	}
	return n
}

// ways are the explorations that must all come to the same.
func ways() (list []explore.Options) {
	for _, r := range explore.Reductions() {
		for _, sleep := range []bool{false, true} {
			if sleep && r <= explore.SourceSets {
				continue
			}
			for _, o := range explore.Orderings() {
				if o != explore.OrderFIFO && (r == explore.Everything || os.Getenv("JOSTLE_NIGHTLY") == "") {
					continue
				}
				list = append(list, explore.Options{Method: explore.Method{Reduction: r, Sleep: sleep, Ordering: o}})
			}
		}
	}
	return list
}

// agreementPrograms is how many programs are compared; those with too many
// orders to run them all are not.
func agreementPrograms() int {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return 20_000
	}
	return 500
}

// agreementFeatures lets every fourth program have faults and early timers.
func agreementFeatures(seed uint64) features {
	if seed%4 == 3 {
		return common | checking | multiplying
	}
	return common | checking
}

// TestAgreement holds that every way to explore finds what the enumerator
// finds, on random programs.
func TestAgreement(t *testing.T) { agree(t, agreementPrograms(), 0) }

// TestAgreementOfPolls holds the same of programs that poll: what ends a
// ReceiveTimeout(0) comes in any order with what else there is, in reductions too.
func TestAgreementOfPolls(t *testing.T) { agree(t, agreementPrograms()/2, polling) }

// survivingFeatures lets programs survive crashes, every third those of a Nemesis too.
func survivingFeatures(seed uint64) features {
	if seed%3 == 2 {
		return common | checking | surviving | nemeses
	}
	return common | checking | surviving
}

// TestAgreementOfSurvivors holds the same of programs that crash within steps,
// lose what they have written, and are told of their starts.
func TestAgreementOfSurvivors(t *testing.T) { agreeOn(t, agreementPrograms()/4, survivingFeatures) }

// TestAgreementOfNemeses holds the same of programs whose actors and whose test make
// faults happen: crashes, restarts, cuts, losses and delays.
func TestAgreementOfNemeses(t *testing.T) { agree(t, agreementPrograms()/2, nemeses) }

// TestAgreementOfMailboxes holds the same of programs whose mailboxes may be full,
// and TestAgreementOfUnwatch, OfSendAfter and OfAsk of what they say.
func TestAgreementOfMailboxes(t *testing.T) { agree(t, agreementPrograms()/2, bounding) }

func TestAgreementOfUnwatch(t *testing.T) { agree(t, agreementPrograms()/4, unwatching) }

func TestAgreementOfSendAfter(t *testing.T) { agree(t, agreementPrograms()/4, sendingLater) }

func TestAgreementOfAsk(t *testing.T) { agree(t, agreementPrograms()/4, testAsking) }

// TestAgreementOfMatches holds the same of programs in which most processes wait
// for a match, by what they and the senders have come to.
func TestAgreementOfMatches(t *testing.T) { agree(t, max(200, agreementPrograms()/20), matching) }

// TestAgreementOfEarlyTimers holds the same of programs in which time may pass early,
// if they set anything that comes with it: half of them set nothing.
func TestAgreementOfEarlyTimers(t *testing.T) {
	agreeOnPrograms(t, agreementPrograms()/4, func(seed uint64) *program {
		f := common | checking
		if seed%2 == 0 {
			f |= messageFaults
		}
		p := newProgram(seed, f)
		p.settings.early = 1
		return p
	})
}

// livingProgram draws a program that does what has to do with lives, and mostly
// little else.
func livingProgram(seed uint64) *program {
	f := stopping | killing | watching | fifo | unordered | processes | becoming | spawning | checking | looking
	if seed%8 == 7 {
		f = common | checking | looking
	}
	p := newProgram(seed, f)
	p.features |= living
	if seed%4 == 1 {
		p.features |= unwatching
	}
	return p
}

// TestAgreementOfLives holds the same of programs whose actors watch each other, and
// ask whether others live, while those end.
func TestAgreementOfLives(t *testing.T) { agreeOnPrograms(t, agreementPrograms()/2, livingProgram) }

// TestLostMeetingsAreFound holds that TestAgreementOfLives would find a search that
// does not know of some of what steps have to do with lives.
func TestLostMeetingsAreFound(t *testing.T) {
	for name, lost := range map[string]func(trace.Touch) bool{
		"asking": func(x trace.Touch) bool { return x.Reads },
		"all":    func(x trace.Touch) bool { return x.What == trace.ItsLife },
	} {
		found := misledBy(livingProgram, func(t *trace.Trace) { t.Touches = slices.DeleteFunc(t.Touches, lost) })
		if t.Logf("%s: %d programs", name, found); found < 5 {
			t.Errorf("%s: only %d programs show that touches are lost", name, found)
		}
	}
}

// recordingProgram draws a program whose actors note events in a history, and mostly
// do little else that has to do with each other.
func recordingProgram(seed uint64) *program {
	f := spawning | becoming | fifo | unordered | processes | asking | timeouts | timers | choosing | checking
	switch seed % 8 {
	case 1:
		f |= stopping | killing | watching
	case 3:
		f |= crashes | surviving
	case 5:
		f |= common | earlyTimers
	case 7:
		f |= common | panicking | foolish
	}
	p := newProgram(seed, f)
	p.features |= recording
	return p
}

// TestAgreementOfHistories holds the same of programs whose actors note events in a
// history that is judged in the end: all orders of the events are seen, whichever
// actors note them.
func TestAgreementOfHistories(t *testing.T) {
	agreeOnPrograms(t, agreementPrograms(), recordingProgram)
}

// TestLostEventsAreFound holds that TestAgreementOfHistories would find a search that
// does not know of the events.
func TestLostEventsAreFound(t *testing.T) {
	lost := func(x trace.Touch) bool { return x.What == trace.TheTest }
	found := misledBy(recordingProgram, func(t *trace.Trace) { t.Touches = slices.DeleteFunc(t.Touches, lost) })
	if t.Logf("%d programs", found); found < 5 {
		t.Errorf("only %d programs show that events are lost", found)
	}
}

// agree compares all ways to explore with the enumerator, on so many programs
// with some more features.
func agree(t *testing.T, programs int, more features) {
	e, r := &enumerator{}, &rig{}
	wasted, repeats, runs, distinct := map[string]int{}, map[string]int{}, map[string]int{}, 0
	compared := 0
	for seed := uint64(0); compared < programs; seed++ {
		p := newProgram(seed, agreementFeatures(seed)|more&nemeses)
		p.features |= more
		if more == matching {
			p = matchingProgram(seed)
		}
		all, ok := e.enumerate(p.options(), p.Build, 3000)
		if !ok {
			continue
		}
		compared++
		distinct += len(all.passing)
		for _, o := range ways() {
			got := r.explore(p, o)
			name := fmt.Sprint(o.Reduction, got.Reduction, o.Sleep)
			wasted[name] += got.Wasted
			repeats[name] += got.repeats()
			runs[name] += got.Runs
			if once := p.features&messageFaults == 0 && got.Reduction == explore.Optimal; once && got.repeats() > 0 {
				t.Fatalf("program %d: optimal ran %d orders again\n%v", seed, got.repeats(), p)
			}
			if why := got.misses(all); why != "" {
				small := p.shrink(func(q *program) bool {
					all, ok := e.enumerate(q.options(), q.Build, 3000)
					got := r.explore(q, o)
					return ok && got.misses(all) != ""
				})
				all, _ := e.enumerate(small.options(), small.Build, 3000)
				got := r.explore(small, o)
				t.Errorf("program %d, %v sleep %v ordering %v: %s (%s); all %d runs:\n%v", seed, o.Reduction, o.Sleep, o.Ordering, why, got.misses(all), all.runs, small)
				return
			}
		}
	}
	t.Logf("distinct %d runs %v wasted %v repeats %v", distinct, runs, wasted, repeats)
}

// foolishFeatures lets programs do what fooled searches, every fourth with
// faults and early timers beside, and another fourth with a Nemesis.
func foolishFeatures(seed uint64) features {
	switch seed % 4 {
	case 1:
		return common | checking | panicking | foolish | nemeses
	case 3:
		return common | checking | panicking | foolish | multiplying
	}
	return common | checking | panicking | foolish
}

// disagrees says in what the ways to explore a program differ from all its
// orders, "" when in nothing or when there are too many to run. It reports
// whether they were compared.
func disagrees(e *enumerator, r *rig, p *program) (why string, compared bool) {
	e.drives, r.drives = p.drives(), p.drives()
	all, ok := e.enumerate(p.options(), p.Build, 2000)
	if !ok {
		return "", false
	}
	for _, o := range ways() {
		if o.Ordering != explore.OrderFIFO && p.seed%8 != 0 {
			continue // it takes eight times as long
		}
		got := r.explore(p, o)
		if why := got.misses(all); why != "" {
			return fmt.Sprintf("%v sleep %v ordering %v, used %v sleep %v: %s; all %d runs", o.Reduction, o.Sleep, o.Ordering,
				got.Reduction, got.Sleep, why, all.runs), true
		}
		if p.seed%8 != 0 && !(p.drives() && nightly()) || o.Ordering != explore.OrderFIFO {
			continue
		}
		one, other := &rig{drives: p.drives()}, &rig{drives: p.drives()}
		q := p.clone() // a program is in one system at a time
		o.SplitAll()
		got = exploreWith(o, nil, one.worker(p.options(), p.Build), other.worker(q.options(), q.Build))
		one.close()
		other.close()
		if why := got.misses(all); why != "" {
			return fmt.Sprintf("two workers, %v sleep %v, used %v sleep %v: %s; all %d runs", o.Reduction, o.Sleep,
				got.Reduction, got.Sleep, why, all.runs), true
		}
	}
	return "", true
}

// TestAgreementOfTheFoolish is TestAgreement with programs that skip runs, fail
// in several ways, have timers that coincide, read what depends on the order of
// steps at other actors, or are judged by an observer.
func TestAgreementOfTheFoolish(t *testing.T) { agreeOn(t, agreementPrograms(), foolishFeatures) }

// agreeOn compares all ways to explore with the enumerator, on so many programs that may
// have what may says of their seeds.
func agreeOn(t *testing.T, programs int, may func(seed uint64) features) {
	agreeOnPrograms(t, programs, func(seed uint64) *program { return newProgram(seed, may(seed)) })
}

// agreeOnPrograms compares them on so many programs of a kind.
func agreeOnPrograms(t *testing.T, programs int, draw func(seed uint64) *program) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	compared := 0
	for seed := foolishFrom(); compared < programs; seed++ {
		p := draw(seed)
		why, ok := disagrees(e, r, p)
		compared += count(ok)
		if why != "" {
			small := p.shrink(func(q *program) bool {
				why, _ := disagrees(e, r, q)
				return why != ""
			})
			again, _ := disagrees(e, r, small)
			t.Fatalf("program %d: %s\nsmaller: %s\n%v", seed, why, again, small)
		}
	}
}

// foolishFrom is the first program of agreeOn: another one
// for each who runs it for long, by JOSTLE_SEED.
func foolishFrom() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("JOSTLE_SEED"), 10, 64)
	return n
}

// An oddity is a random program that showed a mistake.
type oddity struct {
	seed uint64
	draw func(seed uint64) *program
}

// oddities showed a mistake while the search was made, or show one that is planted: a group
// of dCUTE of which one sleeps (198), a timer that may come early in another order (403), a
// message that is left when a run is given up (454), a wait that a fault stands before
// (523), and steps that have to do with each other by more than messages (784, 4109, 9678,
// 10092); what told of an end and was taken back, and could have come before another step
// than the last (17,000,477); a crash that cannot be left out on the way to a message that
// sleeps (1713); a partition that a step notices by the number of steps (1453); an actor
// that ends after its timer has come due (71204), and two that read the name of a third
// (85445); a timer that is stopped only after a step that may come later (2730); a pass that
// sleeps while it comes at rest (4002); an answer to the test, and time that passes after it
// (2386); periodic timers (84) and a Nemesis (182) where time
// may pass early; a crash after the last step that a run may take (7403); and a periodic timer
// whose sends are not in the order of steps (7168).
func oddities() (list []oddity) {
	list = append(list, oddity{2730, earlyProgram})
	for _, seed := range []uint64{7168, 7403} {
		list = append(list, oddity{seed, func(seed uint64) *program { return newProgram(seed, foolishFeatures(seed)) }})
	}
	for _, seed := range []uint64{198, 403, 454, 523, 784, 4109, 9678, 10092} {
		list = append(list, oddity{seed, func(seed uint64) *program { return newProgram(seed, agreementFeatures(seed)) }})
	}
	return append(list, oddity{17_000_477, livingProgram}, oddity{1713, crashingProgram}, oddity{1453, cutOffProgram},
		oddity{71204, earlyProgram}, oddity{85445, earlyProgram}, oddity{4002, earlyProgram},
		oddity{2386, askingProgram}, oddity{84, earlyWith(everying)}, oddity{182, earlyWith(nemeses)})
}

// TestFoundAgain holds the oddities in all orderings.
func TestFoundAgain(t *testing.T) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	for _, x := range oddities() {
		seed, p := x.seed, x.draw(x.seed)
		e.drives, r.drives = p.drives(), p.drives()
		all, ok := e.enumerate(p.options(), p.Build, 3000)
		if !ok {
			t.Fatalf("program %d has more than 3000 orders", seed)
		}
		for _, o := range ways() {
			for _, o.Ordering = range explore.Orderings() {
				got := r.explore(p, o)
				if why := got.misses(all); why != "" {
					t.Errorf("program %d, %v sleep %v ordering %v: %s", seed, o.Reduction, o.Sleep, o.Ordering, why)
				}
			}
		}
	}
}
