package explore_test

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// A rig runs programs for an explorer. It uses one system for all of them.
type rig struct {
	sys    *pulse.System
	drives bool // set if the programs call Run themselves, so that the rig must not
}

func (r *rig) close() {
	if r.sys != nil {
		r.sys.Close()
	}
}

// worker returns an explorer's worker for the programs that build builds.
func (r *rig) worker(o pulse.Options, build func(*pulse.System) func() error) *worker {
	return &worker{run: func(s pulse.Strategy) explore.Run {
		switch {
		case r.sys == nil:
			o.Strategy = s
			r.sys = pulse.New(o)
		case o.Strategy != s: // the strategy is new: this is the first run, or the search has restarted
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
			if f = r.sys.Failure(); f == nil && err != nil { // the check may call Ask, and so fail the run itself
				f = &pulse.Failure{Kind: pulse.KindProperty, Text: err.Error()}
			}
		}
		return explore.Run{System: r.sys, Failure: f}
	}}
}

// explored is the result of an exploration, in a form that can be compared with the enumerator's
// result.
type explored struct {
	explore.Result
	passing map[uint64]int
	failing map[string]int
	mu      sync.Mutex // guards both maps, which several workers fill
}

func (r *rig) explore(p *program, o explore.Options, after ...func(explore.Run)) *explored {
	return r.exploreBuild(p.options(), p.Build, o, after...)
}

func (r *rig) exploreBuild(so pulse.Options, build func(*pulse.System) func() error, o explore.Options, after ...func(explore.Run)) *explored {
	return exploreWith(o, after, r.worker(so, build))
}

// exploreWith explores with workers, and collects the results of their runs.
func exploreWith(o explore.Options, after []func(explore.Run), workers ...*worker) *explored {
	e := &explored{passing: map[uint64]int{}, failing: map[string]int{}}
	o.KeepOn, o.Record = true, true
	var team []explore.Worker
	for _, w := range workers {
		w.done = func(run explore.Run) { e.add(run, after) }
		w.again = func() { // a restarted search forgets its earlier runs
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

// add adds the result of a run.
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

// misses returns how an exploration differs from all orders, "" if they agree.
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

// repeats is the number of runs whose class already had a run.
func (e *explored) repeats() int {
	n := 0
	for _, runs := range e.passing {
		n += runs - 1
	}
	return n
}

// ways are the explorations that must all have the same result.
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

// A family is a kind of random programs. TestAgreement compares all ways to explore them with the
// enumerator.
type family struct {
	name string
	draw func(seed uint64) *program

	// from is the seed of the first program that is compared by day. Programs from there on show the faults that are
	// planted in the family.
	from uint64

	// day and night are the numbers of programs that the test compares by day and at night.
	// TestPlantedFaults checks that each fault that is planted in the family shows in the first
	// half of the programs compared by day.
	day, night int

	// Programs of thorough families are compared in all orderings at night. Of the other families, only every eighth
	// program is compared in all orderings, because that takes eight times as long.
	thorough bool
}

// families are all families.
func families() []family {
	return []family{
		{"plain", drawn(agreementFeatures), 121, 20, 20_000, true},
		{"polls", agreementWith(polling), 109, 20, 10_000, true},         // ReceiveTimeout(0) ends by a message or by its timer, in any order with other events
		{"nemeses", agreementWith(nemeses), 8, 20, 10_000, true},         // actors and the test cause crashes, restarts, cuts, losses and delays
		{"mailboxes", agreementWith(bounding), 112, 20, 10_000, true},    // actors have bounded mailboxes
		{"unwatch", agreementWith(unwatching), 121, 20, 5000, true},      // actors end their watches of other actors
		{"send after", agreementWith(sendingLater), 121, 20, 5000, true}, // Ctx.SendAfter
		{"ask", agreementWith(testAsking), 76, 20, 5000, true},           // the test calls Ask before and after Run
		{"matches", matchingProgram, 0, 20, 1000, true},                  // most processes wait in ReceiveMatch; the predicate depends on the states of the process and of the sender
		{"survivors", drawn(survivingFeatures), 98, 20, 5000, false},     // actors crash within steps, lose writes, and are notified of their starts
		{"early timers", sometimesEarlyProgram, 114, 20, 5000, false},    // half of the programs use no time
		{"passes", earlyProgram, 44, 20, 10_000, false},                  // the programs allow early timers, and most of them use timers
		{"lives", livingProgram, 64, 20, 10_000, false},                  // actors watch other actors, or ask whether they live, while these end
		{"histories", recordingProgram, 0, 20, 20_000, false},            // actors note events, which the test judges at the end
		{"objects", sharingProgram, 0, 20, 20_000, false},                // actors use objects that other actors use too
		{"foolish", drawn(foolishFeatures), 74, 20, 20_000, false},       // programs skip runs, fail in several ways, read other actors, or have an observer
		{"crashes", crashingProgram, 5, 20, 10_000, false},               // crashes come between any two steps
		{"partitions", cutOffProgram, 139, 20, 5000, false},              // a partition may cut off one actor
		{"courses", askingProgram, 0, 20, 20_000, false},                 // the test calls Ask, and acts and reads more before the run is over
	}
}

// drawn returns a function that draws the program of a seed. The features of the program are those that the
// function `may` returns for the seed.
func drawn(may func(seed uint64) features) func(seed uint64) *program {
	return func(seed uint64) *program { return newProgram(seed, may(seed)) }
}

// agreementWith returns a function that draws programs with agreementFeatures and some more features.
func agreementWith(more features) func(seed uint64) *program {
	return func(seed uint64) *program {
		p := newProgram(seed, agreementFeatures(seed)|more&nemeses)
		p.features |= more
		return p
	}
}

// agreementFeatures lets every fourth program have faults and early timers.
func agreementFeatures(seed uint64) features {
	if seed%4 == 3 {
		return common | checking | multiplying
	}
	return common | checking
}

// survivingFeatures lets actors survive crashes. In every third program a Nemesis causes crashes too.
func survivingFeatures(seed uint64) features {
	if seed%3 == 2 {
		return common | checking | surviving | nemeses
	}
	return common | checking | surviving
}

// foolishFeatures lets programs use features that once misled searches. Every fourth program may also have faults and
// early timers, and another fourth a Nemesis.
func foolishFeatures(seed uint64) features {
	switch seed % 4 {
	case 1:
		return common | checking | panicking | foolish | nemeses
	case 3:
		return common | checking | panicking | foolish | multiplying
	}
	return common | checking | panicking | foolish
}

// sometimesEarlyProgram draws a program in which timers may fire early.
func sometimesEarlyProgram(seed uint64) *program {
	f := common | checking
	if seed%2 == 0 {
		f |= messageFaults
	}
	p := newProgram(seed, f)
	p.settings.early = 1
	return p
}

// livingProgram draws a program whose steps conflict on lifetimes, and mostly on little
// else.
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

// recordingProgram draws a program whose actors note events in a history, and mostly have few other
// conflicts.
func recordingProgram(seed uint64) *program {
	p := mostlyFew(seed, asking, [4]features{stopping | killing | watching, crashes | surviving, common | earlyTimers, common | panicking | foolish})
	p.features |= recording
	return p
}

// sharingProgram draws a program whose actors use shared objects, and mostly have few other
// conflicts.
func sharingProgram(seed uint64) *program {
	p := mostlyFew(seed, 0, [4]features{0, stopping | killing | watching, asking | recording, common | panicking | foolish})
	p.features |= sharing
	return p
}

// mostlyFew draws a program with few features. Programs with an odd seed also have one of the feature sets in
// more.
func mostlyFew(seed uint64, few features, more [4]features) *program {
	few |= spawning | becoming | fifo | unordered | processes | timeouts | timers | choosing | checking
	if seed%2 == 1 {
		few |= more[seed%8/2]
	}
	return newProgram(seed, few)
}

// byDay returns n by day, and night at night.
func byDay(n, night int) int {
	if nightly() {
		return night
	}
	return n
}

// agreementOrders is the largest number of orders of a compared program. Larger programs are left
// out.
func agreementOrders() int { return byDay(300, 3000) }

// TestAgreement checks that every way to explore finds what the enumerator finds, for random programs of each
// family.
func TestAgreement(t *testing.T) {
	for _, f := range families() {
		day := f.day
		if testing.Short() {
			day /= 4
		}
		t.Run(f.name, func(t *testing.T) { f.agree(t, byDay(day, f.night)) })
	}
}

// agree compares all ways to explore with the enumerator, on n programs.
func (f *family) agree(t *testing.T, programs int) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	compared := 0
	for seed := f.first(); compared < programs; seed++ {
		p := f.draw(seed)
		why, ok := f.disagrees(e, r, p)
		compared += count(ok)
		if why != "" {
			small := p.shrink(func(q *program) bool {
				why, _ := f.disagrees(e, r, q)
				return why != ""
			})
			again, _ := f.disagrees(e, r, small)
			t.Fatalf("program %d: %s\nsmaller: %s\n%v", seed, why, again, small)
		}
	}
}

// first returns the seed of the first compared program. JOSTLE_SEED overrides it, so that different nights can compare
// different programs.
func (f *family) first() uint64 {
	n, err := strconv.ParseUint(os.Getenv("JOSTLE_SEED"), 10, 64)
	if err != nil && !nightly() {
		return f.from
	}
	return n
}

// disagrees returns how the ways to explore a program differ from all its
// orders, "" if they agree. compared is false if the program has too many orders
// to run.
func (f *family) disagrees(e *enumerator, r *rig, p *program) (why string, compared bool) {
	e.drives, r.drives = p.drives(), p.drives()
	all, ok := e.enumerate(p.options(), p.Build, agreementOrders())
	if !ok {
		return "", false
	}
	for _, o := range ways() {
		if o.Ordering != explore.OrderFIFO && p.seed%8 != 0 && !f.thorough {
			continue
		}
		name := fmt.Sprintf("%v sleep %v ordering %v", o.Reduction, o.Sleep, o.Ordering)
		got := r.explore(p, o)
		if why := got.misses(all); why != "" {
			return fmt.Sprintf("%s, used %v sleep %v: %s; all %d runs", name, got.Reduction, got.Sleep, why, all.runs), true
		}
		if n := got.repeats(); n > 0 && got.Reduction == explore.Optimal && p.settings.drop+p.settings.duplicate+p.settings.delay == 0 {
			return fmt.Sprintf("%s: optimal ran %d orders again", name, n), true
		}
		if p.seed%8 != 0 && !(p.drives() && nightly()) || o.Ordering != explore.OrderFIFO {
			continue
		}
		if got = p.byTwo(o); got.misses(all) != "" {
			return fmt.Sprintf("two workers, %s, used %v sleep %v: %s; all %d runs", name, got.Reduction, got.Sleep, got.misses(all), all.runs), true
		}
	}
	return "", true
}

// byTwo explores a program with two workers that divide as much of the tree as they can.
func (p *program) byTwo(o explore.Options) *explored {
	one, other := &rig{drives: p.drives()}, &rig{drives: p.drives()}
	defer one.close()
	defer other.close()
	q := p.clone() // a program can be in only one system at a time
	o.SplitAll()
	return exploreWith(o, nil, one.worker(p.options(), p.Build), other.worker(q.options(), q.Build))
}

// An oddity is a random program on which some search once made a mistake.
type oddity struct {
	seed uint64
	draw func(seed uint64) *program
}

// oddities are the programs on which some search once made a mistake, and some in which
// a search makes a planted mistake. Each seed shows a different case:
//
//   - 198: a message in a group of DCUTE sleeps.
//   - 403: an early timer comes in another order.
//   - 454: a message is left over when the search stops a run.
//   - 523: a fault comes before a process begins to wait.
//   - 784, 4109, 9678, 10092: steps conflict by other means than messages.
//   - 17,000,477: an Unwatch drops a Down that could have come before a step other than the last.
//   - 1713: a crash is needed on the way to a sleeping message.
//   - 1453: a step notices a partition by the number of steps.
//   - 71204: an actor ends after its timer is due.
//   - 85445: two actors read the name of a third.
//   - 2730: a timer is stopped only after a step that may come later.
//   - 4002: a clock tick sleeps when it comes at rest.
//   - 2386: a clock tick comes after an answer to the test.
//   - 84, 182: a periodic timer, and a Nemesis, with early timers.
//   - 7403: a crash comes after the last step that a run may take.
//   - 7168: the sends of a periodic timer are not in the order of steps.
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

// TestFoundAgain checks that explorations find all orders of the listed oddities: by day in plain order, at night with
// all orderings.
func TestFoundAgain(t *testing.T) {
	trial.Long(t)
	e, r := &enumerator{}, &rig{}
	defer e.close()
	orderings := explore.Orderings()
	if !nightly() {
		orderings = []explore.Ordering{explore.OrderFIFO}
	}
	for _, x := range oddities() {
		seed, p := x.seed, x.draw(x.seed)
		e.drives, r.drives = p.drives(), p.drives()
		all, ok := e.enumerate(p.options(), p.Build, 3000)
		if !ok {
			t.Fatalf("program %d has more than 3000 orders", seed)
		}
		for _, o := range ways() {
			for _, o.Ordering = range orderings {
				got := r.explore(p, o)
				if why := got.misses(all); why != "" {
					t.Errorf("program %d, %v sleep %v ordering %v: %s", seed, o.Reduction, o.Sleep, o.Ordering, why)
				}
			}
		}
	}
}
