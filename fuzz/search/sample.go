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

// A Property is what a search runs: a function, the name under which its cases are saved,
// and the test that runs it.
type Property struct {
	Name, Test string
	Func       func(*props.T)
	// Made is called with each runner of the property. It may be nil.
	Made func(*props.Runner)
	// Recorder is notified of each run of a search before it begins. It may be nil.
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

// Options configure Sample.
type Options struct {
	// Runs is the maximum number of runs; zero means no bound but the context's.
	Runs int
	// First is the number of the first batch, from 0: the runs of the batches before it
	// count as made. BatchSize says how many runs a batch has.
	First int
	// Seed determines all inputs and orders.
	Seed uint64
	// Workers is how many goroutines run the property concurrently; zero means one, the
	// caller's own. The findings do not depend on it.
	Workers int
	// Portfolio lists the arms, which take turns; none means the default portfolio,
	// whose shares change with the number of the batch.
	Portfolio []Entry
	// Hinted makes the default portfolio give half of the runs to a guided search,
	// because the property gives hints (see LookForHints).
	Hinted bool
	// Passed is called for each run that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// Planned is called with each run's number and plan before it begins. It may
	// replace the plan's strategy by one with the same decisions. It may be nil.
	Planned func(index int, p *props.Plan)
	// OrderBytes bounds the memory for receive pairs (see coverage.Orders); zero means the
	// default.
	OrderBytes int
	// CountAll counts the receive pairs of all runs, instead of only those of the first
	// runs and a share of the others: see Tally.Counted.
	CountAll bool
	// Until is the time from which no further batch begins; zero means never. The first
	// batch always runs, and batches that have begun are finished.
	Until time.Time
	// Cache has passing cases of other searches. They run first, in addition to Runs, and
	// this search leaves its own there. The runs after them are the same as without a
	// cache. The zero Cache has no cases.
	Cache distill.Cache
}

// BatchSize returns how many runs a batch has. It is an even multiple of the portfolio's
// length, so that no two batches share an input.
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

// arms returns the arms that take turns; none means the stages of the default portfolio.
func (o *Options) arms() []Entry {
	if len(o.Portfolio) == 0 && o.Hinted {
		return hinted()
	}
	return o.Portfolio
}

// A Result is the result of a search.
type Result struct {
	// Finding is the failing run with the lowest index, confirmed; nil if the property
	// held in all. Index is its number, from 0.
	Finding *finding.Finding
	Index   int
	Tally
	// Batches is how many batches were finished. With one worker they are the first.
	Batches int
	// Orders holds the receive pairs that the runs have shown.
	Orders *coverage.Orders
	// Missed lists the situations of Sometimes that no run reached.
	Missed []string
	// Cached counts the cases taken from and left in Options.Cache.
	Cached Cached
	// Late lists what goroutines that outlived the last run did wrong.
	Late []*pulse.Failure
}

// Inputs are redrawn for every second run, and for every run after one that showed all that
// its input can: see isSpent. A search that keeps an input for long is worse if few inputs
// show a bug: with new inputs every 32 runs it needed 4 to 13 times as many runs for such
// subjects, and hardly ever fewer for the others (see TestMedians). New inputs in every run
// were no better.
const runsPerInput = 2

// A batch has about batchRuns runs: strategies learn from earlier runs of a batch, and the
// first runs have nothing to learn from.
const batchRuns = 32

// If the property leaves early timers to the search, one in earlyShare inputs has up to
// earlyTimers of them per run. A timer that races with a slow message is a bug that only
// these runs show. There are few of both, because programs that are correct without such
// races must be tested too, and timers that are always early hide what messages do.
const (
	earlyShare  = 4
	earlyTimers = 2
)

// early returns how many timers may fire early in a run of batch b. Every arm has such runs,
// because their positions shift with the batch.
func early(b, index int) int {
	if (b+index/runsPerInput)%earlyShare == earlyShare-1 {
		return earlyTimers
	}
	return 0
}

// Sample runs a property with random inputs and orders, until it fails, the runs are used
// up or the context is done. A run that has begun is finished. The same options find the
// same failure, unless the context ends the search before.
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
	close    func() bool // stops watching the context
	next     atomic.Int64
	stop     atomic.Bool // a run has failed

	known   map[uint64]bool // orders, by orderOf; nil if they do not matter
	strange atomic.Bool     // a run came in an unknown order
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

// ordersOf returns an empty set for a worker. Its source has a name, so that it can be merged
// with the sets of another search's workers.
func (s *sampler) ordersOf(worker int) *coverage.Orders {
	return &coverage.Orders{Source: hash.Seed(s.Seed+3, uint64(worker)), Bytes: s.OrderBytes}
}

// work takes one batch after another. Batches are handed out in order and finished as long
// as there is time, so that every run before the failing one is known to have passed.
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

// late reports whether the search is over. It is called after each run, because one run of a
// slow property may take all the time there is.
func (s *sampler) late() bool {
	return s.over.Load() || !s.deadline.IsZero() && time.Now().After(s.deadline)
}

// turned reports whether no further batch may begin.
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
	arms   map[string]used // by name; those of earlier batches are renewed on use
}

// A used is an arm with the last batch that used it.
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

// batch runs the property with the arms that have a share in the batch. It depends only on
// the batch's number and the seed, not on the worker or on other batches. It reports whether
// the batch was finished: all its runs were made, or one has failed.
func (w *worker) batch(b int) bool {
	defer w.noteCrowds(b)
	turns := w.newShare(b)
	spent := false // the last run has shown all that its input can
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

// The receive pairs of the first firstCounted runs are counted, which show most of what there
// is to see, and then those of one run in countedShare: counting all takes about a tenth of a
// search's time. The choice does not depend on the arm, so that the counted unguided runs
// represent all unguided runs.
const (
	firstCounted = 1024
	countedShare = 8
)

// counts reports whether the receive pairs of a run are counted.
func (s *sampler) counts(index int) bool {
	return s.CountAll || s.larder != nil || index < firstCounted || hash.Seed(s.Seed+4, uint64(index))%countedShare == 0
}

// count counts the receive pairs of a run, if they are to be counted, and keeps the run for
// the cache if it shows a new one.
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

// noteCrowds notes which hints were too many for an arm of the batch to keep.
func (w *worker) noteCrowds(b int) {
	for _, a := range w.arms {
		if g, ok := a.Arm.(*guided); ok && a.batch == b {
			g.crowds(w.tally.crowd)
		}
	}
}

// decided reports whether an earlier run has failed: then this one no longer matters.
func (s *sampler) decided(index int) bool {
	if !s.stop.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first != nil && s.index < index
}

// report keeps a failing run if no earlier one failed.
func (s *sampler) report(index int, arm string, seed uint64, res *props.Result) {
	o := finding.Origin{Property: s.property.Name, Test: s.property.Test, Strategy: arm, Seed: seed}
	s.keep(index, finding.From(o, res))
}

// keep keeps a finding if none of an earlier run is kept.
func (s *sampler) keep(index int, f *finding.Finding) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil || index < s.index {
		s.first, s.index = f, index
	}
}
