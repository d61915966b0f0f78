package search

import (
	"fmt"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A Cached counts the cases (saved runs) that a search took from its cache, and the cases
// that it saved there.
type Cached struct {
	Ran  int   // the number of cases from the cache that were run
	Kept int   // the number of cases saved in the cache
	Err  error // why no cases could be saved
}

// Cache returns the cache of the property in a folder below root, for Options.Cache.
func (p *Property) Cache(root string) distill.Cache {
	return distill.In(root, distill.Key{Module: p.FuncName(), Property: p.Name, Fingerprint: distill.Fingerprint()})
}

// String describes c in words. It returns "" for a search without a cache.
func (c Cached) String() string {
	switch {
	case c.Err != nil:
		return c.Err.Error()
	case c.Ran+c.Kept == 0:
		return ""
	}
	return fmt.Sprintf("began with %s of earlier searches, and saved %d", words.Count(c.Ran, "passing case"), c.Kept)
}

// cached is the name under which runs of cached cases are counted, in place of an arm.
const cached = "cache"

// A larder holds the cases that a search loaded from its cache, and the cases that it will
// save there.
type larder struct {
	held   distill.Held
	ran    int // the number of cases run so far, which are the first cases of held
	basket distill.Basket
}

// fromCache runs the cases of the cache and counts their receive pairs. A failing case ends
// the search.
func (s *sampler) fromCache(r *props.Runner, slot flight.Slot) {
	if s.Cache.Dir == "" {
		return
	}
	l := &larder{held: s.Cache.Load()}
	s.larder = l
	for ; l.ran < len(l.held.Cases) && !s.late() && !s.stop.Load(); l.ran++ {
		c := &l.held.Cases[l.ran]
		slot.Begin(flight.Cached, l.ran)
		res := r.Run(props.Plan{Inputs: c.Inputs, EarlyTimers: c.EarlyTimers,
			Strategy: strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})})
		if res.System != nil {
			s.orders.Add(res.System.Trace(), coverage.Run{ID: hash.Seed(s.Seed+3, uint64(l.ran)) | 1})
		}
		s.tally.Count(cached, &res)
		s.toBasket(c.Strategy, c.Seed, &res)
		if res.Failure != nil {
			s.report(l.ran, cached, c.Seed, &res)
		}
	}
}

// toBasket adds a passing run to the runs that may be saved in the cache, if there is a
// cache and the run contains a new pair.
func (s *sampler) toBasket(arm string, seed uint64, res *props.Result) {
	if s.larder == nil || res.Failure != nil || res.Skipped || res.Rejected != "" || res.System == nil {
		return
	}
	o := finding.Origin{Property: s.property.Name, Test: s.property.Test, Strategy: arm, Seed: seed}
	s.larder.basket.Add(distill.Passed{Case: finding.CaseOf(o, res), Pairs: distill.PairsOf(res.System.Trace())})
}

// toCache saves in the cache a smallest set of runs that together contain every receive
// pair seen, as far as a heuristic finds one. If space permits, it also saves the cached
// cases that there was no time to run.
func (s *sampler) toCache() (c Cached) {
	if s.larder == nil {
		return c
	}
	cases, rest := s.larder.basket.Fewest(), s.larder.held.Cases[s.larder.ran:]
	c.Ran = s.larder.ran
	c.Kept, c.Err = s.Cache.Replace(s.larder.held, cases, rest)
	return c
}

// againFromCache replays the case of the cache with the given index. reached is false if
// there is no such case.
func (s *sampler) againFromCache(index int) (f *finding.Finding, reached bool) {
	held := s.Cache.Load()
	if index >= len(held.Cases) {
		return nil, false
	}
	r := s.property.NewRunner()
	defer r.Close()
	c := &held.Cases[index]
	if res := finding.Replay(r, c).Result; res.Failure != nil {
		f = finding.From(finding.Origin{Property: s.property.Name, Test: s.property.Test, Strategy: cached, Seed: c.Seed}, &res)
		f.Confirm(r)
	}
	return f, true
}
