package search_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// swapped fails in one of two orders of what two actors do to one variable.
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

// between fails where the second of two actors that nothing orders comes first, which can be
// seen between steps alone.
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

// An exploration says that it is complete only if runs at random fail as little as those of
// the orders that it did not leave out.
func TestExplorationsAreConfirmed(t *testing.T) {
	const why = "have to do with each other by more than messages"
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
					if !strings.HasPrefix(f.Run, "a random run beside 1 run (explore, ") {
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
