package fuzz

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// portfolio is what each batch of runs goes through, twice. Every other run is
// random: an audit of guided schedulers found random best on small bugs, so
// whatever else is tried must not cost it more than half of the runs.
var portfolio = []string{
	"random", "pos", "random", "pctcp", "random", "urw", "random", "pct",
	"random", "urw", "random", "pos", "random", "pctcp", "random", "delay",
}

// A batch is the runs that share inputs. Its strategies are new, so that what
// they learn from one run for the next does not depend on which worker ran
// the batches before: the same seed gives the same runs for any number of workers.
const batchRounds = 2

// A search runs batches until its budget is used up or a run fails.
type search struct {
	settings
	name     string
	property func(*props.T)
	deadline time.Time // zero: none
	next     atomic.Int64
	stop     atomic.Bool

	mu      sync.Mutex
	first   *finding // the failing run with the lowest index
	tally   tally
	runners []*props.Runner
}

// A tally counts what was run.
type tally struct {
	runs, steps, skipped int
	rejected             map[string]int // by label of the draw
	by                   map[string]int // runs by strategy
	pairs                int            // ordered pairs of receives, by the worker that saw most
	skips                string         // the last reason given for a skip
}

func newSearch(s settings, name string, property func(*props.T)) *search {
	x := &search{settings: s, name: name, property: property}
	x.tally.rejected, x.tally.by = map[string]int{}, map[string]int{}
	if s.budget > 0 {
		x.deadline = time.Now().Add(s.budget)
	}
	return x
}

// run searches with all workers and returns the failing run with the lowest
// index, nil when the property held in all.
func (x *search) run() *finding {
	for range x.workers {
		x.runners = append(x.runners, props.NewRunner(x.name, x.property))
	}
	if x.workers == 1 {
		x.work(x.runners[0]) // on the test's own goroutine
		return x.first
	}
	var wg sync.WaitGroup
	for _, r := range x.runners {
		wg.Go(func() { x.work(r) })
	}
	wg.Wait()
	return x.first
}

func (x *search) close() {
	for _, r := range x.runners {
		r.Close()
	}
}

// work takes one batch after another. Batches are handed out in order and, as
// long as there is time, finished, so that every run before the failing one is
// known to have held.
func (x *search) work(r *props.Runner) {
	pr := &coverage.PR{}
	own := tally{rejected: map[string]int{}, by: map[string]int{}}
	for !x.stop.Load() {
		b := int(x.next.Add(1)) - 1
		if b > 0 && x.exhausted(b*batchRounds*len(x.strategies)) {
			break
		}
		x.batch(r, b, pr, &own)
	}
	own.pairs = pr.Pairs()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tally.add(&own)
}

func (x *search) exhausted(runs int) bool { return x.runs > 0 && runs >= x.runs || x.late() }

// late says that the time is up. It is asked after each run: a run of a slow
// property may take as long as the whole budget.
func (x *search) late() bool { return !x.deadline.IsZero() && time.Now().After(x.deadline) }

// batch runs the property with one set of inputs under each strategy.
func (x *search) batch(r *props.Runner, b int, pr *coverage.PR, own *tally) {
	made := map[string]pulse.Strategy{}
	size := batchRounds * len(x.strategies)
	for i := range size {
		index := b*size + i
		if x.runs > 0 && index >= x.runs {
			return
		}
		name := x.strategies[i%len(x.strategies)]
		if made[name] == nil {
			made[name], _ = strategy.ByName(name) // settings were checked
		}
		plan := props.Plan{Seed: hash.Seed(x.seed, uint64(b)), Strategy: made[name],
			StrategySeed: hash.Seed(x.seed+1, uint64(index)), Observer: pr}
		pr.Begin()
		res := r.Run(plan)
		own.count(name, &res)
		if res.Failure != nil {
			x.report(index, name, plan.StrategySeed, &res)
			return
		}
		if x.late() {
			return
		}
	}
}

// report keeps a failing run if none before it failed.
func (x *search) report(index int, strategy string, seed uint64, res *props.Result) {
	x.stop.Store(true)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.first == nil || index < x.first.index {
		x.first = newFinding(x.name, strategy, seed, res)
		x.first.index = index
	}
}

func (t *tally) count(name string, res *props.Result) {
	t.runs++
	t.by[name]++
	if res.System != nil {
		t.steps += res.System.Steps()
	}
	if res.Rejected != "" {
		t.rejected[res.Rejected]++
	} else if res.Skipped {
		t.skipped++
		if n := len(res.Logs); n > 0 {
			t.skips = res.Logs[n-1]
		}
	}
}

func (t *tally) add(o *tally) {
	t.runs += o.runs
	t.steps += o.steps
	t.skipped += o.skipped
	t.pairs = max(t.pairs, o.pairs)
	for k, n := range o.by {
		t.by[k] += n
	}
	for k, n := range o.rejected {
		t.rejected[k] += n
	}
	if o.skips != "" {
		t.skips = o.skips
	}
}
