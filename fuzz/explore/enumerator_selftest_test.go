package explore_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// enough is the largest number of runs of a program that these tests check.
const enough = 5000

// A figure is the known number of a program's orders, distinct orders and deliveries.
type figure struct{ runs, distinct, deliveries int }

// TestKnownFigures compares counts with formulas. n senders of k messages each have (nk)! / k!^n
// orders with FIFO delivery and (nk)! without. Pi has (2n)! / 2^n · n! orders, of which n! are
// distinct.
func TestKnownFigures(t *testing.T) {
	server, _ := subjects.ByName("server")
	fifo, unordered := pulse.Options{}, pulse.Options{Delivery: pulse.DeliveryUnordered}
	for _, c := range []struct {
		name  string
		o     pulse.Options
		build func(*pulse.System) func() error
		want  figure
	}{
		{"2 senders", fifo, load.Senders(2, 1).Build, figure{2, 2, 4}},
		{"3 senders", fifo, load.Senders(3, 1).Build, figure{6, 6, 15}},
		{"4 senders", fifo, load.Senders(4, 1).Build, figure{24, 24, 64}},
		{"5 senders", fifo, load.Senders(5, 1).Build, figure{120, 120, 325}},
		{"6 senders", fifo, load.Senders(6, 1).Build, figure{720, 720, 1956}},
		{"3 senders of 2", fifo, load.Senders(3, 2).Build, figure{90, 90, 270}},
		{"2 senders of 3", fifo, load.Senders(2, 3).Build, figure{20, 20, 68}},
		{"2 senders of 2, unordered", unordered, load.Senders(2, 2).Build, figure{24, 24, 64}},
		{"pi(2)", fifo, load.Pi(2).Build, figure{12, 2, 43}},
		{"pi(3)", fifo, load.Pi(3).Build, figure{540, 6, 1621}},
		{"ping-pong", fifo, load.PingPong(8).Build, figure{1, 1, 9}},
		{"server", server.Options, server.Broken, figure{6, 4, 26}},
		{"mended server", server.Options, server.Mended, figure{1, 1, 8}},
		{"questions", fifo, chooser, figure{6, 6, 1}},
	} {
		all, ok := enumerate(c.o, c.build, enough)
		if got := (figure{all.runs, all.distinct(), all.deliveries}); !ok || got != c.want {
			t.Errorf("%s: %+v (%t), want %+v", c.name, got, ok, c.want)
		}
	}
}

// chooser is an actor that asks two questions in its only step.
func chooser(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("chooser", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		ctx.Log("%d %d", ctx.Choose(2), ctx.Choose(3))
	})), note(0))
	return nil
}

// TestEnumerateTwice checks that programs and enumerators keep no state between runs, and that an enumerator keeps none
// between programs.
func TestEnumerateTwice(t *testing.T) {
	trial.Long(t)
	e := &enumerator{}
	defer e.close()
	for seed := range uint64(60) {
		p := newProgram(seed, everything)
		first, _ := e.enumerate(p.options(), p.Build, 300)
		again, _ := e.enumerate(p.options(), p.Build, 300)
		q := newProgram(seed, everything)
		other, _ := enumerate(q.options(), q.clone().Build, 300)
		if !reflect.DeepEqual(first, again) || !reflect.DeepEqual(first, other) || p.String() != q.String() {
			t.Errorf("the same program had other orders:\n%v\n%+v\n%+v\n%+v", p, first, again, other)
		}
	}
}

const everything = checking<<1 - 1

// seeds returns the seeds of the programs that a test checks.
func seeds(few int) uint64 {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return 1000
	}
	return uint64(few)
}

// TestSizesOfPrograms checks that random programs have enough orders to distinguish good searches from bad ones, and
// few enough to run all.
func TestSizesOfPrograms(t *testing.T) {
	trial.Long(t)
	e := &enumerator{}
	defer e.close()
	n := seeds(60)
	var sizes [6]int // the numbers of programs with at most 1, 10, 100, 1000, 5000 orders, and with more
	large, fewer, several, passing := 0, 0, 0, 0
	for seed := range n {
		p := newProgram(seed, common)
		all, ok := e.enumerate(p.options(), p.Build, enough)
		i := 0
		for _, most := range []int{1, 10, 100, 1000} {
			i += count(all.runs > most)
		}
		sizes[i+count(!ok)]++
		large += count(all.runs > 10)
		fewer += count(all.distinct() < all.runs)
		several += count(all.distinct() > 1)
		passing += count(len(all.passing) > 0)
	}
	t.Logf("%d programs: %v of 1, 2-10, 11-100, 101-1000, 1001-5000 and more orders; %d with fewer distinct orders, "+
		"%d with several, %d that can pass", n, sizes, fewer, several, passing)
	if all := int(n); 2*large < all || 3*several < all || 2*fewer < all || 4*passing < 3*all {
		t.Errorf("too many programs that show nothing: %d have more than 10 orders", large)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A sight is an event that a run can contain.
type sight struct {
	features
	name string
	in   func(*program, *pulse.System) bool
}

func sights() []sight {
	return []sight{
		{spawning, "an actor is spawned", func(_ *program, s *pulse.System) bool {
			return slices.ContainsFunc(s.Trace().Actors, func(a trace.Actor) bool { return a.Step >= 0 })
		}},
		{becoming, "a handler is changed", func(_ *program, s *pulse.System) bool {
			return slices.ContainsFunc(s.Trace().Steps, func(x trace.Step) bool { return x.Changed })
		}},
		{stopping, "a message is an orphan", func(_ *program, s *pulse.System) bool { return len(s.Warnings()) > 0 }},
		{killing, "an actor is killed", func(_ *program, s *pulse.System) bool { return received(s, trace.Kill) }},
		{processes, "a message is passed over", func(p *program, _ *pulse.System) bool { return p.world.skips > 0 }},
		{processes | asking, "a question is answered", func(_ *program, s *pulse.System) bool { return received(s, trace.Reply) }},
		{processes | asking, "a question is answered twice", func(_ *program, s *pulse.System) bool { return answeredTwice(s) }},
		{processes | timeouts, "a wait times out", func(_ *program, s *pulse.System) bool { return fired(s, true) }},
		{timers, "a timer fires", func(_ *program, s *pulse.System) bool { return fired(s, false) }},
		{choosing, "a choice is made", func(_ *program, s *pulse.System) bool { return chose(s, choice.Program) }},
		{watching, "an end is told", func(_ *program, s *pulse.System) bool { return received(s, trace.Down) }},
		{earlyTimers | timers, "time passes early", func(_ *program, s *pulse.System) bool { return chose(s, choice.Clock) }},
		{messageFaults, "a message is lost", func(_ *program, s *pulse.System) bool { return chose(s, choice.Drop) }},
		{messageFaults, "a message comes twice", func(_ *program, s *pulse.System) bool { return chose(s, choice.Duplicate) }},
		{messageFaults, "a message is held back", func(_ *program, s *pulse.System) bool { return chose(s, choice.Delay) }},
		{crashes, "an actor crashes", func(_ *program, s *pulse.System) bool { return struck(s, trace.Crash) }},
		{crashes, "an actor starts again", func(_ *program, s *pulse.System) bool { return struck(s, trace.Restart) }},
		{surviving, "an actor crashes within a step", func(_ *program, s *pulse.System) bool { return chose(s, choice.Crash) }},
		{surviving, "a write is lost", func(_ *program, s *pulse.System) bool { return chose(s, choice.Loss) }},
		{surviving, "an actor is told that it starts anew", func(_ *program, s *pulse.System) bool {
			return slices.ContainsFunc(s.Trace().Sends, func(d trace.Send) bool {
				how, is := d.Body.(pulse.Start)
				return is && d.Receipt >= 0 && how != pulse.StartNew
			})
		}},
		{partitions, "an actor is cut off", func(_ *program, s *pulse.System) bool { return struck(s, trace.Partition) }},
		{panicking, "an actor panics", func(_ *program, s *pulse.System) bool {
			return s.Failure() != nil && s.Failure().Kind == pulse.KindPanic
		}},
		{checking, "a check fails", func(p *program, s *pulse.System) bool { return s.Failure() == nil && p.check() != nil }},
	}
}

func received(s *pulse.System, k trace.SendKind) bool {
	return slices.ContainsFunc(s.Trace().Sends, func(d trace.Send) bool { return d.Kind == k && d.Receipt >= 0 })
}

func struck(s *pulse.System, k trace.StepKind) bool {
	return slices.ContainsFunc(s.Trace().Steps, func(x trace.Step) bool { return x.Kind == k })
}

// fired reports whether a run received a timer that the program has set, or one that ends a
// wait.
func fired(s *pulse.System, wait bool) bool {
	return slices.ContainsFunc(s.Trace().Sends, func(d trace.Send) bool {
		return d.Kind == trace.Timer && d.Receipt >= 0 && (d.Ask != 0) == wait
	})
}

func answeredTwice(s *pulse.System) bool {
	list := s.Trace().Sends
	for i, d := range list {
		if d.Kind == trace.Reply && slices.ContainsFunc(list[:i], func(x trace.Send) bool {
			return x.Kind == trace.Reply && x.To == d.To && x.Ask == d.Ask
		}) {
			return true
		}
	}
	return false
}

func chose(s *pulse.System, k choice.Kind) bool {
	return slices.ContainsFunc(s.Record().Choices, func(c choice.Choice) bool {
		return c.Kind == k && (c.Value > 0 || k == choice.Program)
	})
}

// TestPrograms checks that random programs do what their features allow. Each event in the list that
// sights returns must occur in some order of at least 5% of the programs.
func TestPrograms(t *testing.T) {
	trial.Long(t)
	e := &enumerator{}
	defer e.close()
	n := seeds(40)
	var report strings.Builder
	left := sights()
	for _, more := range []features{0, panicking | checking, earlyTimers, messageFaults, crashes, partitions, surviving} {
		f := common | more
		var list []sight
		left = slices.DeleteFunc(left, func(x sight) bool {
			if x.features&^f == 0 {
				list = append(list, x)
			}
			return x.features&^f == 0
		})
		shown := make([]int, len(list))
		for seed := range n {
			for i, seen := range see(e, newProgram(seed, f), list) {
				shown[i] += count(seen)
			}
		}
		for i, x := range list {
			fmt.Fprintf(&report, "\n%-30s %5.1f%%", x.name, 100*float64(shown[i])/float64(n))
			if 20*shown[i] < int(n) {
				t.Errorf("%s: in %d of %d programs", x.name, shown[i], n)
			}
		}
	}
	t.Log("of the programs that may, so many do:", report.String())
}

// see reports, for each event in a list, whether some run of a program contains it.
func see(e *enumerator, p *program, list []sight) []bool {
	seen := make([]bool, len(list))
	e.after = func(sys *pulse.System) {
		for i, x := range list {
			seen[i] = seen[i] || x.in(p, sys)
		}
	}
	e.enumerate(p.options(), p.Build, 500)
	return seen
}

// TestClassesAreAllThatMatters checks runs in which each actor goes through the same steps. They must have the same
// result, and leave all actors in the same state.
func TestClassesAreAllThatMatters(t *testing.T) {
	trial.Long(t)
	e := &enumerator{}
	defer e.close()
	for seed := range seeds(100) {
		for _, f := range []features{common | panicking | checking, everything} {
			p, ends := newProgram(seed, f), map[uint64]uint64{}
			e.after = func(sys *pulse.System) {
				key := classOf(sys)
				if end, seen := ends[key]; seen && end != p.digest() {
					t.Errorf("two runs of one class leave actors in other states:\n%v", p)
				}
				ends[key] = p.digest()
			}
			if all, _ := e.enumerate(p.options(), p.Build, 300); all.torn > 0 {
				t.Errorf("two runs of one class come to other ends:\n%v", p)
			}
		}
	}
}

// TestClassesSeeSharedMemory checks that the enumerator detects a result that depends on more than what actors
// receive.
func TestClassesSeeSharedMemory(t *testing.T) {
	all, _ := enumerate(pulse.Options{}, func(sys *pulse.System) func() error {
		last := ""
		for _, name := range []string{"a", "b"} {
			sys.Send(sys.Spawn(name, pulse.Func(func(*pulse.Ctx, any) { last = name })), note(0))
		}
		return func() error {
			if last == "a" {
				return errors.New("a came last")
			}
			return nil
		}
	}, enough)
	if all.runs != 2 || all.distinct() != 1 || all.torn != 1 {
		t.Errorf("%+v, want two runs in a class that is torn", all)
	}
}

// A walk is one run as a sequence of steps.
type walk struct {
	steps []uint64
	class uint64
	free  []int // steps that are independent of the next one, as far as the trace shows
}

// walkOf returns the walk of the run that has just ended.
func walkOf(sys *pulse.System) walk {
	t := sys.Trace()
	w := walk{class: classOf(sys)}
	for i := range t.Steps {
		w.steps = append(w.steps, t.Steps[i].ID)
		if i+1 == len(t.Steps) || slices.Contains(t.Rests, int32(i+1)) {
			continue
		}
		x, y := &t.Steps[i], &t.Steps[i+1]
		caused := y.Send >= 0 && t.Sends[y.Send].Step == int32(i) || t.Actors[y.Actor].Step == int32(i)
		if x.Actor != y.Actor && x.Time == y.Time && !caused {
			w.free = append(w.free, i)
		}
	}
	return w
}

// clashes counts the adjacent steps of two actors that cannot be swapped: neither step causes the
// other, and no run of the same class has them in the reverse order. It returns 0 if the program
// has too many orders.
func clashes(e *enumerator, p *program) (n int) {
	var walks []walk
	type order struct{ steps, class uint64 }
	known := map[order]bool{}
	e.after = func(sys *pulse.System) {
		if f := sys.Failure(); f != nil && f.Kind != pulse.KindStuck { // this program has too many orders
			return
		}
		w := walkOf(sys)
		walks = append(walks, w)
		known[order{hashOf(w.steps), w.class}] = true
	}
	if _, ok := e.enumerate(p.options(), p.Build, 300); !ok {
		return 0
	}
	for _, w := range walks {
		for _, i := range w.free {
			swap := func() { w.steps[i], w.steps[i+1] = w.steps[i+1], w.steps[i] }
			swap()
			n += count(!known[order{hashOf(w.steps), w.class}])
			swap()
		}
	}
	return n
}

func hashOf(list []uint64) uint64 {
	h := uint64(len(list))
	for _, x := range list {
		h = scramble(h ^ x)
	}
	return h
}

// TestWhatCommutes checks that steps of different actors commute, on which reductions rely. The
// test names the exceptions: Two actors answer one question, and the first answer wins. An actor
// watches another actor that ends, and learns the reason or only that it is gone. An actor restarts
// while another sends to it. An actor crashes, and its children end. An actor is cut off from its
// receivers.
func TestWhatCommutes(t *testing.T) {
	trial.Long(t)
	e := &enumerator{}
	defer e.close()
	plain := spawning | becoming | stopping | killing | fifo | unordered | timers | choosing
	for _, c := range []struct {
		name     string
		features features
		commute  bool
	}{
		{"handlers", plain, true},
		{"processes", plain | processes | timeouts, true},
		{"early timers", plain | processes | timeouts | earlyTimers, true},
		{"faults of messages", plain | processes | timeouts | messageFaults, true},
		{"answers", fifo | processes | asking, false},
		{"watching", fifo | stopping | watching, false},
		{"crashes", fifo | crashes, false},
		{"partitions", fifo | partitions, false},
	} {
		found := 0
		for seed := uint64(0); seed < seeds(100) || !c.commute && found == 0 && seed < 1000; seed++ {
			p := newProgram(seed, c.features)
			n := clashes(e, p)
			if n > 0 && c.commute {
				p = p.shrink(func(q *program) bool { return clashes(e, q) > 0 })
				t.Fatalf("%s: steps of two actors do not change places:\n%v", c.name, p)
			}
			found += count(n > 0)
		}
		if !c.commute && found == 0 {
			t.Errorf("%s: all steps of two actors change places, though some should not", c.name)
		}
	}
}

// TestShrink shrinks a program as long as the program has more than two distinct orders. The result may have
// only parts that are needed for that.
func TestShrink(t *testing.T) {
	e := &enumerator{}
	defer e.close()
	fails := func(q *program) bool {
		all, _ := e.enumerate(q.options(), q.Build, 100)
		return all.distinct() > 2
	}
	p := newProgram(0, common)
	for seed := uint64(1); !fails(p); seed++ {
		p = newProgram(seed, common)
	}
	before := p.String()
	q := p.shrink(fails)
	if !fails(q) || len(q.firsts) > 2 || len(q.String()) > len(before)/2 {
		t.Errorf("made smaller:\n%v", q)
	}
	if p.String() != before {
		t.Errorf("the program has changed:\n%v\n%s", p, before)
	}
}
