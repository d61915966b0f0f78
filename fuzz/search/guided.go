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

// guidedBatch is how many runs in a row a guided search needs to get anywhere.
const guidedBatch = 1024

// guided keeps the runs that showed a new order of two receives, and changes them:
// it keeps their beginning, turns two receives round or demands that one comes right
// after the other, and changes inputs. Every other run is random: where no order of
// two receives leads to the bug, guidance is of no use, and costs no more than half.
// Of a property that says what its runs have come to, it also changes those that
// have come far: see climbs.
type guided struct {
	forced
	climbs
	pool    guide.Pool
	seen    coverage.Orders // in this batch alone: which other batches a worker has seen depends on chance
	sources []source        // of the runs in the pool
	move    guide.Move
	exact   bool           // the inputs are those of the run that is changed
	free    pulse.Strategy // for runs that are not guided
	count   int
}

func newGuided() *guided {
	return &guided{free: strategy.Random(), seen: coverage.Orders{Unjudged: true}}
}

// Plan makes a run of its own, and changes one in the next.
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

// changed returns inputs of which in a quarter of the runs one is drawn anew, and in
// another quarter all. It reports whether they are the same.
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
	if g.move.From != nil && g.exact { // with other inputs it says nothing of the goal
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
