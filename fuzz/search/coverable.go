package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
)

// Coverable runs a property in every distinct order, up to the given number of runs, and
// returns the receive pairs that this has shown. Zero runs means no bound but the
// context's. The property must draw by OneOf alone, or not at all.
//
// If exact is true, no run can show any other pair: those covered by Orders.Count are all
// that are possible, including with the early timers that Sample gives to a property.
// Otherwise there were too many orders, the context was done, or the program is
// nondeterministic. Failing runs count like others, up to where they end.
func Coverable(ctx context.Context, p Property, seed uint64, runs int) (orders *coverage.Orders, exact bool) {
	x := exhaust(ctx, p, ExploreOptions{Seed: seed, Runs: runs, KeepOn: true})
	v := &x.Verdict
	exact = v.Complete && !x.doubts && v.Nondeterminism == "" && len(x.Lost) == 0 && v.Runs > 0
	if exact {
		x.Orders.Whole()
	}
	return x.Orders, exact
}
