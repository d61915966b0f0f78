package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
)

// remade is how often a run at random is made again: what kills a process may do so
// by chance.
const remade = 10

// Again makes a run again that took the process of another search with it, after
// those that it follows from: all runs of an Exhaust of so many, and those of its
// batch of a Sample; one of the cache alone. It returns a run of these in which the property does not hold,
// nil when it holds in all, and whether the run was made before the context was done.
func Again(ctx context.Context, p Property, o Options, exhaust int, run flight.Run) (f *finding.Finding, reached bool) {
	if run.Phase == flight.Exhaust {
		if x := Exhaust(ctx, p, o.Seed, exhaust); len(x.Found) > 0 {
			f = x.Found[0].Finding
		}
		return f, ctx.Err() == nil
	}
	if run.Phase == flight.Cached {
		s := newSampler(ctx, p, o)
		defer s.close()
		return s.againFromCache(run.Index)
	}
	o.Cache = distill.Cache{}
	for range remade {
		o.Runs, o.Workers, o.First = run.Index+1, 1, run.Index/o.BatchSize()
		s := newSampler(ctx, p, o)
		res := s.run()
		s.close()
		reached = reached || res.Runs > run.Index%o.BatchSize()
		if res.Finding != nil || ctx.Err() != nil {
			return res.Finding, reached
		}
	}
	return nil, reached
}
