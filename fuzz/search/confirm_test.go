package search_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// swapped has two actors that change one variable. It fails in one of their two orders.
func swapped(t *props.T) {
	sys, last := t.System(), 0
	for i := range 2 {
		sys.Send(sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { last = msg.(int) })), i)
	}
	sys.Run()
	if last == 0 {
		t.Errorf("the first came last")
	}
}

// between has two unordered actors. It fails if the second one comes first. That order is visible only between
// steps.
func between(t *props.T) {
	sys := t.System()
	var up [2]bool
	for i := range up {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { up[i] = true })), 0)
	}
	t.Always("the first comes first", func() error {
		if up[1] && !up[0] {
			return errors.New("the second came first")
		}
		return nil
	})
	sys.Run()
}

// alone shares nothing.
func alone(t *props.T) {
	sys := t.System()
	last := [2]int{}
	for i := range last {
		a := sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { last[i] = msg.(int) }))
		sys.Send(a, 1)
		sys.Send(a, 2)
	}
	sys.Run()
	if last != [2]int{2, 2} {
		t.Errorf("%v", last)
	}
}

// appended has actors that append to one slice. It fails if the actors take their steps in the
// reverse of the order in which they were spawned.
func appended(actors int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		var list []int
		for i := range actors {
			sys.Send(sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { list = append(list, msg.(int)) })), i)
		}
		sys.Run()
		if slices.IsSortedFunc(list, func(a, b int) int { return b - a }) {
			t.Errorf("reverse order")
		}
	}
}

// outlived counts runs in a variable that outlives them, and fails from a certain count on.
func outlived(from int) func(*props.T) {
	hits := 0
	return func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { hits++ })), 1)
		sys.Run()
		if hits > from {
			t.Errorf("too many")
		}
	}
}

// many has more orders than a search runs one by one. Only one order is distinct.
func many(t *props.T) {
	sys := t.System()
	for i := range 9 {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), i)
	}
	sys.Run()
}

// If a run fails after every order has passed, the report names the reason that the runs show. Either a
// reduction treats the failing order as equivalent to a passing one, or a run that passed fails when it is
// rerun.
func TestWhyAnOrderFailsThatPassed(t *testing.T) {
	const share, outlives = "actors of this program share more than messages", "something outlives a run"
	for _, c := range []struct {
		name     string
		property func() func(*props.T)
		why      string
	}{
		{"six append", func() func(*props.T) { return appended(6) }, share},
		{"seven append", func() func(*props.T) { return appended(7) }, share},
		{"one order, in the end", func() func(*props.T) { return outlived(50) }, outlives},
		{"one order, at once", func() func(*props.T) { return outlived(2) }, outlives},
		{"one order, once", func() func(*props.T) {
			hits := 0
			return func(t *props.T) {
				t.System().Run()
				hits++
				t.Always("now", func() error { return nil })
				if hits == 40 {
					t.Errorf("now")
				}
			}
		}, outlives},
	} {
		p := search.Property{Name: "confirmed", Test: t.Name(), Func: c.property()}
		x, err := search.Explore(t.Context(), p, search.ExploreOptions{Seed: 1})
		if v := &x.Verdict; err != nil || v.Complete || len(x.Found) != 1 || len(x.Complaints) != 1 || !strings.Contains(x.Complaints[0], c.why) {
			t.Errorf("Explore, %s: %v, found %d, %q, %v", c.name, v, len(x.Found), x.Complaints, err)
		}
		for _, p.Existing = range []bool{false, true} {
			p.Func = c.property()
			e := search.Exhaust(t.Context(), p, 1, 1000)
			found := len(e.Found) > 0
			if !found {
				res, _ := e.Confirm(t.Context(), p, search.Options{Seed: 1})
				found = res.Finding != nil
			}
			said := len(e.Doubts) == 1 && strings.Contains(e.Doubts[0], c.why)
			if p.Existing && c.why == share { // goroutines may
				said = len(e.Doubts) == 0
			}
			if !found || !said {
				t.Errorf("Exhaust, %s, existing %v: found %v, %q", c.name, p.Existing, found, e.Doubts)
			}
		}
	}
}

// If a program sends other messages after some runs, no search may claim that it ran every order.
func TestConfirmingSeesOtherMessages(t *testing.T) {
	for _, from := range []int{2, 3, 4, 6} { // after this number of runs, all distinct orders were run
		hits := 0
		p := search.Property{Name: "confirmed", Test: t.Name(), Func: func(t *props.T) {
			sys, n := t.System(), 1
			if hits++; hits > from {
				n = 2
			}
			for range 3 {
				a := sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {}))
				for range n {
					sys.Send(a, 1)
				}
			}
			sys.Run()
		}}
		if e := search.Exhaust(t.Context(), p, 1, 1000); e.All || hits <= from {
			t.Errorf("from run %d: %s after %d runs", from, e.Whole(), hits)
		}
		hits = 0
		x, err := search.Explore(t.Context(), p, search.ExploreOptions{Seed: 1})
		if err != nil || from == 6 && (x.Verdict.Complete || len(x.Complaints) != 1 || !strings.Contains(x.Complaints[0], "something outlives a run")) {
			t.Errorf("from run %d: %v, %q, %v", from, x.Verdict, x.Complaints, err)
		}
	}
}

// A claim about all orders assumes that actors share no memory, if a reduction left out orders and the orders are too
// many to run.
func TestWhatCompleteDependsOn(t *testing.T) {
	const when = "if actors share nothing but messages"
	for _, c := range []struct {
		name     string
		property func(*props.T)
		whole    string
		depends  bool
	}{
		{"few", alone, "complete: the only possible order was run", false},
		{"many", many, "complete if actors share nothing but messages: the only possible order was run", true},
	} {
		p := search.Property{Name: "confirmed", Test: t.Name(), Func: c.property}
		x, err := search.Explore(t.Context(), p, search.ExploreOptions{Seed: 1})
		if got := x.Verdict.String(); err != nil || !x.Verdict.Complete || strings.HasSuffix(got, ", "+when) != c.depends {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
		e := search.Exhaust(t.Context(), p, 1, 1000)
		if !e.All || e.Whole() != c.whole {
			t.Errorf("%s: %s, %v", c.name, e.Whole(), e.Verdict)
		}
	}
}

// TestConfirmingTakesAQuarter: random runs confirm a result that depends on a reduction, for a quarter of the remaining
// time.
func TestConfirmingTakesAQuarter(t *testing.T) {
	p := search.Property{Name: "confirmed", Test: t.Name(), Func: many}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	x := search.Exhaust(ctx, p, 1, 100)
	start := time.Now()
	deadline, _ := ctx.Deadline()
	left := deadline.Sub(start)
	if res, same := x.Confirm(ctx, p, search.Options{Seed: 1}); !same || res.Finding != nil || time.Since(start) < left/4 {
		t.Errorf("%d runs in %v of %v, %v", res.Runs, time.Since(start), left, same)
	}
}

// An exploration is complete only if random runs show no failure that the explored orders
// lack.
func TestExplorationsAreConfirmed(t *testing.T) {
	const why = "actors of this program share more than messages"
	const fails, one = "NOT complete (an order that was left out fails): ", "1 distinct order in 1 run, "
	for _, c := range []struct {
		name     string
		property func(*props.T)
		method   explore.Method
		verdict  string // begins so
		complete bool
		why      bool
	}{
		{"swapped", swapped, explore.Method{}, fails + one, false, true},
		{"swapped, with sleep sets", swapped, explore.Method{Reduction: explore.SourceSets}, fails + one, false, true},
		{"swapped, by states", swapped, explore.Method{Reduction: explore.SourceSets, States: explore.ByHash}, fails, false, true},
		{"swapped, without probes", swapped, explore.Method{DepthFirst: true}, "complete: " + one, true, false},
		{"between", between, explore.Method{}, fails + one, false, false},
		{"alone", alone, explore.Method{}, "complete: " + one + "4 steps, ", true, false},
		{"alone, everything", alone, explore.Method{Reduction: explore.Everything}, "complete: 6 runs, 18 steps, ", true, false},
	} {
		for _, keepOn := range []bool{false, true} {
			for workers := 1; workers <= 2; workers++ {
				if workers > 1 && c.method.States != explore.NoStates { // which takes one
					continue
				}
				p := search.Property{Name: "confirmed", Test: t.Name(), Func: c.property}
				x, err := search.Explore(t.Context(), p, search.ExploreOptions{Method: c.method, Workers: workers, KeepOn: keepOn})
				if err != nil {
					t.Fatal(err)
				}
				v := &x.Verdict
				if got := v.String(); !strings.HasPrefix(got, c.verdict) || v.Complete != c.complete || len(x.Found) > 0 == c.complete || v.Probes > 0 == c.complete {
					t.Errorf("%s, KeepOn %v, %d workers: %s; found %d", c.name, keepOn, workers, got, len(x.Found))
				}
				for _, f := range x.Found {
					if !strings.HasPrefix(f.Run, "a confirming run after 1 run (explore, ") {
						t.Errorf("%s, %d workers: %s", c.name, workers, f.Run)
					}
				}
				if says := slices.ContainsFunc(x.Complaints, func(s string) bool { return strings.Contains(s, why) }); says != c.why {
					t.Errorf("%s: complaints %q", c.name, x.Complaints)
				}
			}
		}
	}
}
