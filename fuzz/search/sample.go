package search

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Property is what is searched: a function, the name under which its cases
// are kept, and the test that runs it.
type Property struct {
	Name, Test string
	Func       func(*props.T)
	// Made is told of each runner that runs the property. It may be nil.
	Made func(*props.Runner)
	// Recorder is told of each run of a search before it begins. It may be nil.
	Recorder *flight.Recorder
}

// NewRunner returns a runner of the property. Close it when done.
func (p *Property) NewRunner() *props.Runner {
	r := props.NewRunner(p.Test, p.Func)
	if p.Made != nil {
		p.Made(r)
	}
	return r
}

// Options say how Sample searches.
type Options struct {
	// Runs is how many runs it may make; zero is no bound but the context's.
	Runs int
	// First is the number of the batch to begin with, from 0: the runs of the batches
	// before count as made. BatchSize says how many runs a batch has.
	First int
	// Seed is what all inputs and orders follow from.
	Seed uint64
	// Workers is how many goroutines run the property at the same time; zero
	// means one, which is the caller's own. What is found does not depend on it.
	Workers int
	// Portfolio is the arms that runs are made by, in turns; none means the default
	// portfolio, whose shares change with the number of the batch.
	Portfolio []Entry
	// Hinted has the default portfolio give half of the runs to a guided search: the
	// property gives hints, as LookForHints has it.
	Hinted bool
	// Passed is told of each run that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// Planned is told of each run before it begins, by its number, and may change the
	// plan's strategy for one that decides alike. It may be nil.
	Planned func(index int, p *props.Plan)
	// OrderBytes bounds the memory for what is known of receive orders, as coverage.Orders
	// has it; zero is what that takes by itself.
	OrderBytes int
	// CountAll has the receive orders of all runs counted, not only of the first ones and
	// of a share of those that follow: see Tally.Counted.
	CountAll bool
	// Until is when no further batch is begun, of which the first is always made; zero is
	// never. A batch that has begun is finished.
	Until time.Time
	// Cache has passing cases of other searches, which are run before all else and beside
	// what Runs allows, and is left with those of this one. Runs after them are the same as
	// without them. The zero Cache has none.
	Cache distill.Cache
}

// BatchSize returns how many runs a batch has: it goes through the portfolio an even
// number of times, so that no two batches share an input.
func (o *Options) BatchSize() int {
	list := o.arms()
	if len(list) == 0 {
		return stageRuns
	}
	n, want := runsPerInput*len(list), batchRuns
	for _, e := range list {
		want = max(want, e.Batch)
	}
	return n * max(1, want/n)
}

// arms returns the arms that runs are made by in turns; none are the stages of the default
// portfolio.
func (o *Options) arms() []Entry {
	if len(o.Portfolio) == 0 && o.Hinted {
		return hinted()
	}
	return o.Portfolio
}

// A Result is what came of a search.
type Result struct {
	// Finding is the failing run with the lowest index, confirmed; nil when
	// the property held in all. Index is its number, from 0.
	Finding *finding.Finding
	Index   int
	Tally
	// Batches is how many batches came to their end. With one worker they are the first.
	Batches int
	// Orders are those of receives that the runs have shown.
	Orders *coverage.Orders
	// Missed are the situations that were to be reached sometimes and that no
	// run has reached.
	Missed []string
	// Cached tells what came of Options.Cache.
	Cached Cached
	// Late is what goroutines that outlived the last run have done wrong.
	Late []*pulse.Failure
}

// Inputs are drawn anew for every second run, and where one run shows all that an input
// can, for each: see isSpent. A search that stays with an input
// for long loses where few inputs show a bug: with new inputs every 32 runs it
// needed 4 to 13 times as many runs for the subjects of that kind, and hardly ever
// fewer for the others (see TestMedians). New inputs in every run did no better.
const runsPerInput = 2

// A batch has about batchRuns runs: strategies learn from some of them for the
// others, and the first of a batch have nothing to learn from.
const batchRuns = 32

// In one of earlyShare inputs timers may fire although messages wait, as often as
// earlyTimers says, if the property leaves that to the search: a timer that races
// with a slow message is a bug of its own, and only of these runs. There are few
// of either, since programs that are right without such races must be tested too,
// and timers that come early all the time hide what messages do.
const (
	earlyShare  = 4
	earlyTimers = 2
)

// early returns how many timers may fire early in a run of batch b. Every arm has
// such runs: a batch later they are at other places.
func early(b, index int) int {
	if (b+index/runsPerInput)%earlyShare == earlyShare-1 {
		return earlyTimers
	}
	return 0
}

// Sample runs a property with inputs and orders drawn at random, until it does
// not hold, the runs are used up or the context is done. A run that has begun
// is finished. The same options find the same failure, unless the context
// ends the search before.
func Sample(ctx context.Context, p Property, o Options) Result {
	s := newSampler(ctx, p, o)
	defer s.close()
	return s.run()
}

func newSampler(ctx context.Context, p Property, o Options) *sampler {
	s := &sampler{Options: o, property: p, size: o.BatchSize(), tally: NewTally()}
	s.Portfolio = o.arms()
	if s.staged = len(s.Portfolio) == 0; s.staged {
		s.Portfolio = usual()
	}
	s.orders = s.ordersOf(0)
	s.deadline, _ = ctx.Deadline()
	s.over.Store(ctx.Err() != nil)
	s.next.Store(int64(o.First))
	s.close = context.AfterFunc(ctx, func() { s.over.Store(true) })
	return s
}

// A sampler is one call of Sample.
type sampler struct {
	Options
	property Property
	size     int         // of a batch
	staged   bool        // the portfolio is the default one
	deadline time.Time   // zero: none
	over     atomic.Bool // the context is done
	close    func() bool // ends the watch over the context
	next     atomic.Int64
	stop     atomic.Bool // a run has failed

	known   map[uint64]bool // orders, by orderOf; nil when they do not matter
	strange atomic.Bool     // a run came in another order
	larder  *larder         // nil without a cache

	mu     sync.Mutex
	first  *finding.Finding // the failing run with the lowest index
	index  int
	tally  Tally
	ended  int // batches
	orders *coverage.Orders
}

// run searches with all workers.
func (s *sampler) run() Result {
	var runners []*props.Runner
	for range max(1, s.Workers) {
		r := s.property.NewRunner()
		defer r.Close()
		runners = append(runners, r)
	}
	s.fromCache(runners[0], s.property.Recorder.Slot(0))
	if len(runners) == 1 {
		s.work(runners[0], s.property.Recorder.Slot(0), s.orders)
	} else {
		var all sync.WaitGroup
		for i, r := range runners {
			all.Go(func() { s.work(r, s.property.Recorder.Slot(i), s.ordersOf(i+1)) })
		}
		all.Wait()
	}
	if isCrowded(runners) {
		s.tally.crowd(manySituations)
	}
	res := Result{Cached: s.toCache(), Finding: s.first, Index: s.index, Tally: s.tally, Batches: s.ended, Orders: s.orders, Missed: missed(runners), Late: late(runners)}
	if s.first != nil {
		s.first.Confirm(runners[0])
	}
	return res
}

// ordersOf returns an empty set for what a worker sees. Its source has a name, so that it
// can be merged with what the workers of another search have seen.
func (s *sampler) ordersOf(worker int) *coverage.Orders {
	return &coverage.Orders{Source: hash.Seed(s.Seed+3, uint64(worker)), Bytes: s.OrderBytes}
}

// work takes one batch after another. Batches are handed out in order and, as
// long as there is time, finished, so that every run before the failing one is
// known to have held.
func (s *sampler) work(r *props.Runner, slot flight.Slot, orders *coverage.Orders) {
	w := &worker{sampler: s, runner: r, slot: slot, seen: orders, tally: NewTally(), arms: map[string]used{}}
	for !s.stop.Load() {
		b := int(s.next.Add(1)) - 1
		if b > s.First && (s.late() || s.turned()) || b > 0 && s.Runs > 0 && b*s.size >= s.Runs {
			break
		}
		if w.batch(b) {
			w.ended++
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.Add(&w.tally)
	s.ended += w.ended
	s.orders.Merge(orders)
}

// late reports whether the search is over. It is asked after each run: a run
// of a slow property may take as long as all that there is time for.
func (s *sampler) late() bool {
	return s.over.Load() || !s.deadline.IsZero() && time.Now().After(s.deadline)
}

// turned reports whether no further batch is to be begun.
func (s *sampler) turned() bool { return !s.Until.IsZero() && !time.Now().Before(s.Until) }

// A worker runs batches on one goroutine.
type worker struct {
	*sampler
	runner *props.Runner
	slot   flight.Slot
	seen   *coverage.Orders
	tally  Tally
	ended  int        // batches
	plan   props.Plan // of the current run
	result props.Result
	arms   map[string]used // by name; those of earlier batches are renewed when it is their turn
}

// A used is an arm and the last batch that it was used in.
type used struct {
	Arm
	batch int
}

// armOf returns the arm of an entry in a batch.
func (w *worker) armOf(e *Entry, b int) Arm {
	a := w.arms[e.Name]
	if a.Arm != nil && a.batch == b {
		return a.Arm
	}
	if a.Arm == nil || e.Renew == nil || !e.Renew(a.Arm, uint64(b)) {
		a.Arm = e.New(uint64(b))
	}
	a.batch = b
	w.arms[e.Name] = a
	return a.Arm
}

// batch runs the property under the arms that have a share in the batch. It depends on its number and
// the seed alone, whichever worker makes it and after whichever other batches. It reports
// whether the batch came to its end: all its runs were made, or one has failed.
func (w *worker) batch(b int) bool {
	defer w.noteCrowds(b)
	turns := w.newShare(b)
	spent := false // the run before has shown all that its input can
	for i := range w.size {
		index := b*w.size + i
		if w.Runs > 0 && index >= w.Runs || w.decided(index) {
			return true
		}
		e := turns.next()
		arm := w.armOf(e, b)
		w.plan = props.Plan{Seed: w.inputSeed(index, spent),
			StrategySeed: hash.Seed(w.Seed+1, uint64(index)), EarlyTimers: early(b, index)}
		arm.Plan(&w.plan)
		if w.Planned != nil {
			w.Planned(index, &w.plan)
		}
		w.slot.Begin(flight.Sample, index)
		w.result = w.runner.Run(w.plan)
		res := &w.result
		arm.Learn(res)
		spent = isSpent(res)
		turns.made(e, res, spent)
		w.tally.Count(e.Name, res)
		w.count(index, e, res)
		if w.known != nil && !w.known[orderOf(res)] {
			w.strange.Store(true)
		}
		if w.Passed != nil && res.Failure == nil && !res.Skipped {
			w.Passed(e.Name, res)
		}
		if res.Failure != nil {
			w.report(index, e.Name, w.plan.StrategySeed, res)
			return true
		}
		if !w.repeats(index, e.Name, w.plan.StrategySeed, res) {
			return true
		}
		if w.late() {
			return i == w.size-1 || w.Runs > 0 && index == w.Runs-1
		}
	}
	return true
}

// Of the first firstCounted runs the receive orders are counted, which show most of what
// there is to see, and then of one run in countedShare: to count those of all takes about a
// tenth of a search's time. Which runs these are does not depend on what makes them, so that
// what unguided runs show can be told from the unguided ones among them.
const (
	firstCounted = 1024
	countedShare = 8
)

// counts reports whether the orders of a run are counted.
func (s *sampler) counts(index int) bool {
	return s.CountAll || s.larder != nil || index < firstCounted || hash.Seed(s.Seed+4, uint64(index))%countedShare == 0
}

// count has the receive orders of a run counted, if they are, and keeps it for the cache if
// it shows a new one.
func (w *worker) count(index int, e *Entry, res *props.Result) {
	if res.System == nil {
		return
	}
	if !w.counts(index) {
		w.tally.skipCount(e.Name)
		return
	}
	run := coverage.Run{ID: hash.Seed(w.Seed+2, uint64(index)) | 1, Unguided: e.Unguided}
	fresh := w.seen.Add(res.System.Trace(), run)
	if w.tally.Fresh[e.Name] += fresh; fresh > 0 {
		w.toBasket(e.Name, w.plan.StrategySeed, res)
	}
}

// noteCrowds notes what there was too much of for an arm of a batch to keep.
func (w *worker) noteCrowds(b int) {
	for _, a := range w.arms {
		if g, ok := a.Arm.(*guided); ok && a.batch == b {
			g.crowds(w.tally.crowd)
		}
	}
}

// decided reports whether a run before this one has failed: then this one does not
// matter any more.
func (s *sampler) decided(index int) bool {
	if !s.stop.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first != nil && s.index < index
}

// report keeps a failing run if none before it failed.
func (s *sampler) report(index int, arm string, seed uint64, res *props.Result) {
	o := finding.Origin{Property: s.property.Name, Test: s.property.Test, Strategy: arm, Seed: seed}
	s.keep(index, finding.From(o, res))
}

// keep keeps a finding if none of a run before its own was kept.
func (s *sampler) keep(index int, f *finding.Finding) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil || index < s.index {
		s.first, s.index = f, index
	}
}
