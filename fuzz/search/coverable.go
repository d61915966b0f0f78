package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Coverable runs a property with one input in every distinct order, if there are no more
// than a number of runs, and returns the orders of two receives that this has shown.
// Zero runs are no bound but the context's. The input is drawn from the seed but for what
// is given of it: draws that the property does not make, or makes by another label, are
// not used, and OneOf has its first value where nothing is given.
//
// If exact is true no run with this input can show any other, whatever makes it: the
// pairs that Orders.Count says are covered are all that can be. That has the early timers
// that Sample gives to a property. Else there were too many orders, the context was
// done, or the program does not repeat itself: then others can be shown, too. Runs that
// fail count like others, up to where they end.
func Coverable(ctx context.Context, p Property, given []choice.Input, seed uint64, runs int) (orders *coverage.Orders, exact bool) {
	one := append([]choice.Input{}, given...) // not nil
	x := exhaust(ctx, p, ExploreOptions{Seed: seed, Runs: runs, KeepOn: true}, one)
	v := &x.Verdict
	exact = v.Complete && !x.doubts && v.Nondeterminism == "" && len(x.Lost) == 0 && v.Runs > 0
	if exact {
		x.Orders.Whole()
	}
	return x.Orders, exact
}
