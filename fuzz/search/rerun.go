package search

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
)

// remade is the number of times that Rerun replays a random run, because a run may kill
// its process only by chance.
const remade = 10

// Rerun replays a run that killed the process of another search. First it replays the
// earlier runs on which that run depends: all runs of an Exhaust, whose bound on runs is
// exhaust, or the earlier runs of the same batch of a Sample. A run of the cache is
// replayed alone. Rerun returns the finding of the first failing run, or nil if all runs
// pass. reached reports whether the replay got as far as the given run before the context
// was done.
func Rerun(ctx context.Context, p Property, o Options, exhaust int, run flight.Run) (f *finding.Finding, reached bool) {
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
