package coverage_test

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A goal is a receive pair of an actor, by identities.
type goal struct{ receiver, first, second uint64 }

// A receipt is an asynchronous receive of a schedule.
type receipt struct{ receiver, id uint64 }

// schedule returns the asynchronous receives of a run.
func schedule(t *trace.Trace) (list []receipt) {
	for i := range t.Steps {
		st := &t.Steps[i]
		if st.Kind != trace.Receive || st.Settled {
			continue
		}
		_, isTurn := t.Sends[st.Send].Body.(work)
		if kind := t.Sends[st.Send].Kind; kind != trace.Start && kind != trace.Reply && !isTurn {
			list = append(list, receipt{t.Actors[st.Actor].ID, st.ID})
		}
	}
	return list
}

// operated returns the orders of operations on objects in a run: one actor did an operation on
// an object before another actor did one on the same object.
func operated(t *trace.Trace) map[goal]bool {
	set := map[goal]bool{}
	for i, x := range t.Touches {
		for _, y := range t.Touches[i+1:] {
			p, q := &t.Steps[x.Step], &t.Steps[y.Step]
			if x.What == trace.AnObject && y.What == trace.AnObject && x.Actor == y.Actor && p.Actor != q.Actor && !p.Settled && !q.Settled {
				set[goal{coverage.ObjectsID, coverage.OperationID(p.ID), coverage.OperationID(q.ID)}] = true
			}
		}
	}
	return set
}

// slow adds the goals that a run achieves to a set: those of definition 2 of the Bitá paper, and the
// orders of operations on objects.
func slow(set map[goal]int, t *trace.Trace) {
	s := schedule(t)
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			if s[i].receiver == s[j].receiver {
				set[goal{s[i].receiver, s[i].id, s[j].id}]++
			}
		}
	}
	for g := range operated(t) {
		set[g]++
	}
}

// slowCovered counts the pairs that occur in a set in both orders, by definition 4 of the Bitá
// paper.
func slowCovered(set map[goal]int) (n int) {
	for g := range set {
		if g.first < g.second && set[goal{g.receiver, g.second, g.first}] > 0 {
			n++
		}
	}
	return n
}

// programs is the number of random programs of a test.
func programs() uint64 {
	if os.Getenv("JOSTLE_NIGHTLY") == "1" {
		return 40_000
	}
	return 1000
}

// compare fails the test if the counts of an Orders differ from those of a set made by the
// definitions (see slow).
func compare(t *testing.T, what string, o *coverage.Orders, set map[goal]int) {
	t.Helper()
	if got, want := o.Seen(), len(set); got != want {
		t.Fatalf("%s: %d orders; the definition gives %d", what, got, want)
	}
	if got, want := o.Count().Covered, slowCovered(set); got != want {
		t.Fatalf("%s: %d pairs covered; the definition gives %d", what, got, want)
	}
	for g := range set {
		if !o.Has(g.receiver, g.first, g.second) {
			t.Fatalf("%s: an order was seen and is not known", what)
		}
	}
	if got, want := o.Memory(), o.Taken(); got != want {
		t.Fatalf("%s: Memory says %d bytes, and %d are taken", what, got, want)
	}
}

// All counts agree with the definitions (see slow), on random programs.
func TestOrdersAreThoseOfTheDefinitions(t *testing.T) {
	changes, answers, operations := 0, 0, 0
	for prog := range programs() {
		o := &coverage.Orders{}
		sys, set := system(prog), map[goal]int{}
		for seed := range uint64(6) {
			program{seed: prog, rest: prog%5 == 0, objects: prog%4 == 3}.play(sys, seed)
			before := len(set)
			slow(set, sys.Trace())
			fresh := o.Add(sys.Trace(), coverage.Run{Unguided: true})
			if fresh != len(set)-before {
				t.Fatalf("program %d run %d: %d orders are new, want %d", prog, seed, fresh, len(set)-before)
			}
			operations += len(operated(sys.Trace()))
			for i := range sys.Trace().Steps {
				st := &sys.Trace().Steps[i]
				if st.Changed {
					changes++
				}
				if st.Kind == trace.Receive && sys.Trace().Sends[st.Send].Kind == trace.Reply {
					answers++
				}
			}
			if f := sys.Failure(); f != nil && f.Kind != pulse.KindStuck && f.Kind != pulse.KindBudget {
				t.Fatal(prog, f)
			}
		}
		compare(t, "program "+itoa(prog), o, set)
		sys.Close()
	}
	t.Logf("%d changes of handlers, %d answers, %d orders of operations", changes, answers, operations)
	if changes < 1000 || answers < 1000 || operations < 1000 {
		t.Error("the programs hardly show what the criteria differ in")
	}
}

// The counts also agree with the definitions if a run has more steps than
// the cache has slots. The same holds for actors with more than 64 steps.
func TestLongRunsAreThoseOfTheDefinitions(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	for _, l := range []load.Load{load.Ring(10, 10, 4), load.Senders(3, 40), load.Senders(3, 150)} {
		o, set := &coverage.Orders{}, map[goal]int{}
		for seed := range uint64(3) {
			sys.Reset(seed)
			l.Build(sys)
			sys.Run()
			slow(set, sys.Trace())
			o.Add(sys.Trace(), coverage.Run{Unguided: seed > 0})
			compare(t, "run "+itoa(seed), o, set)
		}
	}
}

// With Unjudged the counts are the same, but no order is classified as open or impossible.
func TestUnjudged(t *testing.T) {
	judged := 0
	for prog := range uint64(50) {
		o, bare := &coverage.Orders{}, &coverage.Orders{Unjudged: true}
		sys := system(prog)
		for seed := range uint64(6) {
			program{seed: prog}.play(sys, seed)
			all, some := o.Add(sys.Trace(), coverage.Run{Unguided: true}), bare.Add(sys.Trace(), coverage.Run{Unguided: true})
			if all != some {
				t.Fatalf("program %d run %d: %d orders are new, and %d to one that judges nothing", prog, seed, all, some)
			}
		}
		sys.Close()
		x, y := o.Count(), bare.Count()
		judged += x.Open + x.Impossible
		if want := (coverage.Count{Seen: x.Seen, Covered: x.Covered, Unknown: x.Pairs() - x.Covered}); y != want || o.Chance() != bare.Chance() {
			t.Errorf("program %d: %+v, %v; want %+v, %v", prog, y, bare.Chance(), want, o.Chance())
		}
		if list := bare.Open(); len(list) > 0 {
			t.Errorf("program %d: %v are open", prog, list)
		}
	}
	if judged == 0 {
		t.Error("no order was judged: the comparison shows nothing")
	}
}

// A measure that forgets earlier runs does not agree with the definitions.
func TestOrdersCanary(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	o, set := &coverage.Orders{}, map[goal]int{}
	for seed := range uint64(3) {
		program{seed: 1}.play(sys, seed)
		o = &coverage.Orders{}
		o.Add(sys.Trace(), coverage.Run{})
		slow(set, sys.Trace())
	}
	if o.Seen() == len(set) {
		t.Fatal("a measure that forgets agrees with the definitions: the comparison shows nothing")
	}
}

// If a run's orders were mostly seen before, coverage checks only
// a few of them. The counts still agree with the definitions.
func TestLongRuns(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct {
		name     string
		unguided bool
		l        load.Load
	}{
		{"known at once", false, load.Senders(3, 100)},
		{"noted first", true, load.Senders(3, 100)},
		{"of several actors", true, load.Ring(3, 4, 60)},
	} {
		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
		all, set := []*coverage.Orders{{Source: 1}, {Source: 2}}, map[goal]int{}
		whole := &coverage.Orders{}
		for seed := range uint64(6) {
			sys.Reset(seed)
			c.l.Build(sys)
			sys.Run()
			before := len(set)
			slow(set, sys.Trace())
			all[seed%2].Add(sys.Trace(), coverage.Run{ID: seed + 1, Unguided: c.unguided})
			fresh := whole.Add(sys.Trace(), coverage.Run{ID: seed + 1, Unguided: c.unguided})
			if want := len(set) - before; fresh != want {
				t.Fatalf("%s, run %d: %d orders are new, want %d", c.name, seed, fresh, want)
			}
		}
		parts := merged(all...)
		for _, o := range []*coverage.Orders{whole, parts, read(t, file(t, whole))} {
			if got, want := o.Seen(), len(set); got != want {
				t.Errorf("%s: %d orders; the definition gives %d", c.name, got, want)
			}
			if got := o.Add(sys.Trace(), coverage.Run{}); got != 0 {
				t.Errorf("%s: a run that was added shows %d new orders", c.name, got)
			}
		}
		if c.unguided && (parts.Chance() != whole.Chance()) {
			t.Errorf("%s: %v of parts, %v of all", c.name, parts.Chance(), whole.Chance())
		}
		sys.Close()
	}
}
