package search

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// guidedBatch is how many consecutive runs a guided search needs to make progress.
const guidedBatch = 1024

// guided keeps the runs that showed a new receive pair, and changes them. It keeps their
// beginning and reverses two receives, or requires that one comes right after the other;
// it also changes inputs. Every other run is random: if no receive pair leads to the bug,
// guidance is useless, and costs at most half. If the property gives hints, it also changes
// the runs that have come far: see climbs.
type guided struct {
	forced
	climbs
	pool    guide.Pool
	seen    coverage.Orders // only of this batch: which other batches a worker has seen depends on chance
	sources []source        // of the runs in the pool
	move    guide.Move
	exact   bool           // the inputs are those of the changed run
	free    pulse.Strategy // for runs that are not guided
	count   int
}

func newGuided() *guided {
	return &guided{free: strategy.Random(), seen: coverage.Orders{Unjudged: true}}
}

// Plan makes a random run, and changes a kept one in the next.
func (g *guided) Plan(p *props.Plan) {
	g.move, g.made = guide.Move{}, guide.Climb[foothold]{}
	g.count++
	switch {
	case g.count%2 == 0 && g.climbs.next(p, &g.forced):
		return
	case g.count%2 == 1 || g.pool.Len() == 0:
		p.Strategy = g.free
		return
	}
	seed := hash.Mix(p.StrategySeed)
	g.move = g.pool.Next(seed)
	from := &g.sources[g.move.From.Index]
	from.plan(p)
	p.Inputs, g.exact = changed(p.Inputs, hash.Mix(seed))
	g.plan(p, g.move.Order, from.answers)
}

// changed returns inputs of which one is redrawn in a quarter of the runs, and all in
// another quarter. It reports whether they are unchanged.
func changed(inputs []choice.Input, seed uint64) (list []choice.Input, exact bool) {
	switch {
	case seed&1 == 0 || len(inputs) == 0:
		return inputs, true
	case seed&2 == 0:
		return nil, false
	}
	i := int(seed >> 2 % uint64(len(inputs)))
	list = append(list, inputs...)
	list[i] = choice.Input{Label: list[i].Label, Seed: hash.Mix(seed)}
	return list, false
}

// Learn keeps a run that showed something new.
func (g *guided) Learn(res *props.Result) {
	if g.move.From != nil && g.exact { // with other inputs the run says nothing about the goal
		if _, stopped := g.ordered.Stopped(); stopped {
			g.pool.Failed(g.move)
		}
	}
	if !usable(res) {
		return
	}
	g.climbs.learn(res)
	t := res.System.Trace()
	fresh := g.seen.Add(t, coverage.Run{})
	if isNew := g.pool.See(t); !isNew && fresh == 0 {
		return
	}
	if g.pool.Keep(t, g.move) != nil {
		g.sources = append(g.sources, sourceOf(res))
	}
}
