package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
)

// Coverable runs a property in every distinct order, if there are no more than a number
// of runs, and returns the orders of two receives that this has shown. Zero runs are no
// bound but the context's. The property draws by OneOf alone, or not at all.
//
// If exact is true no run can show any other, whatever makes it: the
// pairs that Orders.Count says are covered are all that can be. That has the early timers
// that Sample gives to a property. Else there were too many orders, the context was
// done, or the program does not repeat itself: then others can be shown, too. Runs that
// fail count like others, up to where they end.
func Coverable(ctx context.Context, p Property, seed uint64, runs int) (orders *coverage.Orders, exact bool) {
	x := exhaust(ctx, p, ExploreOptions{Seed: seed, Runs: runs, KeepOn: true})
	v := &x.Verdict
	exact = v.Complete && !x.doubts && v.Nondeterminism == "" && len(x.Lost) == 0 && v.Runs > 0
	if exact {
		x.Orders.Whole()
	}
	return x.Orders, exact
}
