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

// guidedBatch is the number of consecutive runs that a guided search needs to make
// progress.
const guidedBatch = 1024

// guided is the arm that keeps runs with a new receive pair, and varies them. A varied run
// begins like the kept run, and then reverses two receives or makes one receive come right
// after another. Inputs may change too. Every other run is random, so guidance costs at
// most half of the runs if receive pairs do not lead to the bug. If the property gives
// hints, guided also varies the runs that got far: see climbs.
type guided struct {
	forced
	climbs
	pool    guide.Pool
	seen    coverage.Orders // the receive pairs of this batch only, because chance decides which other batches the worker has seen
	sources []source        // maps Kept.Index to the inputs and choices of the kept run
	move    guide.Move      // the order, made from a kept run, that planned the last run; zero if there was none
	exact   bool            // set if the last run had the inputs of the kept run
	free    pulse.Strategy  // the strategy of random runs
	count   int             // the number of planned runs
}

func newGuided() *guided {
	return &guided{free: strategy.Random(), seen: coverage.Orders{Unjudged: true}}
}

// Plan plans a random run and a varied run in turn.
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

// changed returns the inputs of the next run. For half of the seeds these are the given
// inputs. For a quarter of the seeds one of the given inputs is redrawn. For the last
// quarter changed returns no inputs, so that all inputs are redrawn. exact reports
// whether the inputs are unchanged.
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

// Learn keeps a run that contains a new receive pair, or a step that no kept run
// contains.
func (g *guided) Learn(res *props.Result) {
	if g.move.From != nil && g.exact { // a run with other inputs does not show whether the move's order is impossible
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
