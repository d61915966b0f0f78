package finding

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// swaps returns the number of message pairs that an actor receives in different orders in runs a
// and b. sent has the messages of run a. If run a sends a message but does not receive it, the
// message counts as received last.
func swaps(a, b map[string][]stepName, sent []stepName) (n int) {
	for actor, was := range a {
		is := b[actor]
		all := slices.Clone(was)
		for _, name := range sent {
			if name.receiver == actor && !slices.Contains(was, name) {
				all = append(all, name)
			}
		}
		for i, first := range was {
			for _, second := range all[i+1:] {
				if x, y := slices.Index(is, first), slices.Index(is, second); y >= 0 && x > y {
					n++
				}
			}
		}
	}
	return n
}

// TestNearestAgainstAllOrders compares the nearest passing run of small random programs with all of their orders.
// Except in a few programs, no order is nearer.
func TestNearestAgainstAllOrders(t *testing.T) {
	tested, none, least, several := 0, 0, 0, 0
	eachFailing(&tested, slowPrograms()/2, func(seed uint64, r *props.Runner, res *props.Result) (next bool) {
		c, signature := shrinkCase(res), res.Failure.Signature()
		own, sent := plainly(res.System.Trace()), []stepName{}
		for _, name := range namesOf(res.System, res.System.Trace().Names()) {
			sent = append(sent, name)
		}
		fewest := 0
		whole := trial.EachOrder(r, props.Plan{Inputs: c.Inputs}, 2000, func(res *props.Result, _ float64) {
			if d := swaps(own, plainly(res.System.Trace()), sent); res.Failure == nil && d > 0 && (fewest == 0 || d < fewest) {
				fewest = d
			}
		})
		if !whole || fewest == 0 {
			return false
		}
		tested++
		got, _ := (&shrinking{runner: r}).nearest(t.Context(), &c, signature, -1)
		switch {
		case got == nil:
			none++
		case got.Swaps < fewest || got.Swaps != len(got.Swapped):
			t.Errorf("seed %d: %d swaps, and the nearest of all orders has %d", seed, got.Swaps, fewest)
		case got.Swaps == fewest:
			least++
		}
		if fewest > 1 {
			several++
		}
		return true
	})
	t.Logf("%d programs, %d with several swaps: the nearest run is found in %d, none in %d", tested, several, least, none)
	if least*10 < tested*9 || several < tested/10 {
		t.Errorf("of %d programs, of which %d need several swaps, the nearest run is found in %d", tested, several, least)
	}
}
