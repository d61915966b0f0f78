package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
)

// Coverable runs a property in every distinct order, up to the given number of runs, and
// returns the receive pairs of all these runs. If runs is zero, only the context limits the
// exploration. The property must make no draws other than OneOf.
//
// If exact is true, no run can contain any other receive pair: Orders.Count counts all
// possible pairs, including the pairs of runs with the early timers that Sample allows. If
// exact is false, there were too many orders, the context was done, or the program is
// nondeterministic. Receive pairs of failing runs count too, up to the failure.
func Coverable(ctx context.Context, p Property, seed uint64, runs int) (orders *coverage.Orders, exact bool) {
	x := exhaust(ctx, p, ExploreOptions{Seed: seed, Runs: runs, KeepOn: true})
	v := &x.Verdict
	exact = v.Complete && !x.doubts && v.Nondeterminism == "" && len(x.Lost) == 0 && v.Runs > 0
	if exact {
		x.Orders.Whole()
	}
	return x.Orders, exact
}
