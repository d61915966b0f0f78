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

// Options configure Sample.
type Options struct {
	// Runs is the maximum number of runs; zero means that only the context limits the
	// search.
	Runs int
	// First is the number of the first batch to perform, from 0. The runs of earlier
	// batches count as performed. See BatchSize for the number of runs in a batch.
	First int
	// Seed determines all inputs and orders.
	Seed uint64
	// Workers is the number of goroutines that run the property concurrently. Zero
	// means one, the goroutine of the caller. The findings do not depend on Workers.
	Workers int
	// Portfolio lists the arms (ways of planning runs), which take turns. An empty list
	// means the default portfolio, in which the arms change with the number of the
	// batch.
	Portfolio []Entry
	// Hinted makes the default portfolio give half of the runs to a guided search,
	// because the property gives hints (see LookForHints).
	Hinted bool
	// Passed is called for each run that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// Planned is called with each run's number and plan before the run begins. It may
	// replace the plan's strategy by a strategy that makes the same decisions.
	// Planned may be nil.
	Planned func(index int, p *props.Plan)
	// OrderBytes bounds the memory for receive pairs (see coverage.Orders); zero means the
	// default.
	OrderBytes int
	// CountAll makes the search count the receive pairs of all runs. Otherwise it
	// counts those of the first runs and of a random sample of later runs: see
	// Tally.Counted.
	CountAll bool
	// Until is the time after which no batch begins; zero means no such time. The first
	// batch always begins. A batch that has begun is finished.
	Until time.Time
	// Cache holds passing cases of other searches. The search runs these cases first,
	// in addition to Runs, and saves its own passing cases in the cache. All other runs
	// are the same as without a cache. The zero Cache means no cache.
	Cache distill.Cache
}

// BatchSize returns the number of runs in a batch. It is an even multiple of the length of
// the portfolio, so no two batches share an input.
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

// arms returns the arms that take turns. An empty list means the default portfolio.
func (o *Options) arms() []Entry {
	if len(o.Portfolio) == 0 && o.Hinted {
		return hinted()
	}
	return o.Portfolio
}

// A Result is the result of a search.
type Result struct {
	// Finding is the failing run with the lowest index, confirmed by replays; nil if no
	// run failed.
	Finding *finding.Finding
	// Index is the number of the failing run, from 0.
	Index int
	Tally
	// Batches is the number of finished batches. With one worker, these are the
	// first batches.
	Batches int
	// Orders holds the receive pairs of the counted runs.
	Orders *coverage.Orders
	// Missed lists the situations of Sometimes that no run reached.
	Missed []string
	// Cached counts the cases taken from Options.Cache and the cases saved there.
	Cached Cached
	// Late lists the failures caused by goroutines that outlived the last run.
	Late []*pulse.Failure
}

// Each input is used for runsPerInput runs. If a run showed all that its input can show,
// the next run has a new input: see isSpent. Keeping inputs longer is worse for bugs that
// few inputs show: with a new input every 32 runs, such bugs took 4 to 13 times as many
// runs, and other bugs hardly ever took fewer (see TestMedians). A new input in every run
// was no better.
const runsPerInput = 2

// A batch has about batchRuns runs. Strategies learn only from earlier runs of the same
// batch, so a batch must not be too short.
const batchRuns = 32

// If the property leaves early timers to the search, one in earlyShare inputs is run with
// up to earlyTimers early timers. Only such runs find a bug in which a timer races with a
// slow message. Early timers are rare, because timers that often fire early hide other
// bugs.
const (
	earlyShare  = 4
	earlyTimers = 2
)

// early returns the maximum number of early timers in a run of batch b. The runs with early
// timers have other positions in the next batch, so that every arm gets some.
func early(b, index int) int {
	if (b+index/runsPerInput)%earlyShare == earlyShare-1 {
		return earlyTimers
	}
	return 0
}

// inputSeed returns the seed for the input of the run with the given index. spent is the
// result of isSpent for the previous run in the same batch.
func (s *sampler) inputSeed(index int, spent bool) uint64 {
	if spent && index%runsPerInput > 0 {
		return hash.Seed(s.Seed+5, uint64(index))
	}
	return hash.Seed(s.Seed, uint64(index/runsPerInput))
}

// Sample runs a property with random inputs and orders, until it fails, the runs are used
// up or the context is done. A run that has begun is finished. With the same options Sample
// finds the same failure, unless the context ends the search before.
func Sample(ctx context.Context, p Property, o Options) Result {
	s := newSampler(ctx, p, o)
	defer s.close()
	return s.run()
}

func newSampler(ctx context.Context, p Property, o Options) *sampler {
	s := &sampler{Options: o, property: p, size: o.BatchSize(), tally: NewTally()}
	s.Portfolio = o.arms()
	staged := len(s.Portfolio) == 0
	if staged {
		s.Portfolio = usual()
	}
	s.turns = newTurns(s.Portfolio, staged)
	s.orders = s.ordersOf(0)
	s.deadline, _ = ctx.Deadline()
	s.over.Store(ctx.Err() != nil)
	s.next.Store(int64(o.First))
	s.close = context.AfterFunc(ctx, func() { s.over.Store(true) })
	return s
}

// A sampler is the state of one call to Sample.
type sampler struct {
	Options
	property Property
	size     int // the number of runs in a batch
	turns    turns
	deadline time.Time    // zero if there is no deadline
	over     atomic.Bool  // set when the context is done
	close    func() bool  // stops watching the context
	next     atomic.Int64 // the number of the next batch
	stop     atomic.Bool  // set when a run has failed

	known   map[uint64]bool // all orders that may occur, as hashes made by orderOf; nil if every order may occur
	strange atomic.Bool     // set when a run had an order that is not in known
	larder  *larder         // nil if there is no cache

	mu     sync.Mutex
	first  *finding.Finding // the failing run with the lowest index
	index  int              // the index of the failing run
	tally  Tally
	ended  int // the number of finished batches
	orders *coverage.Orders
}

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

// ordersOf returns an empty set of receive pairs for a worker. Its Source is unique, so
// that the set can be merged with sets of other searches.
func (s *sampler) ordersOf(worker int) *coverage.Orders {
	return &coverage.Orders{Source: hash.Seed(s.Seed+3, uint64(worker)), Bytes: s.OrderBytes}
}

// work runs one batch after another until the search ends. Batches are handed out in
// order, and each begun batch is finished if there is time. So every run before the
// failing run is known to have passed.
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

// late reports whether the time is up or the context is done. It is called after each run,
// because a single run may be slow.
func (s *sampler) late() bool {
	return s.over.Load() || !s.deadline.IsZero() && time.Now().After(s.deadline)
}

func (s *sampler) turned() bool { return !s.Until.IsZero() && !time.Now().Before(s.Until) }

// A worker runs batches on one goroutine.
type worker struct {
	*sampler
	runner *props.Runner
	slot   flight.Slot
	seen   *coverage.Orders
	tally  Tally
	ended  int        // the number of finished batches
	plan   props.Plan // the plan of the current run
	result props.Result
	arms   map[string]used // maps the name to the arm; an arm of an earlier batch is renewed before use
}

// A used is an arm with the last batch that used it.
type used struct {
	Arm
	batch int
}

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

// batch performs the runs of batch b. They depend only on b and the seed, not on the worker
// or on other batches. batch reports whether the batch was finished, which means that all
// its runs were performed or one failed.
func (w *worker) batch(b int) bool {
	defer w.noteCrowds(b)
	share := w.turns.share(b)
	spent := false // set if isSpent returned true for the last run; isSpent is called only if its result matters
	for i := range w.size {
		index := b*w.size + i
		if w.Runs > 0 && index >= w.Runs || w.decided(index) {
			return true
		}
		e := share.next()
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
		spent = (share.allSpent() || (index+1)%runsPerInput > 0) && isSpent(res)
		share.made(e, res, spent)
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

// Receive pairs are counted in the first firstCounted runs, which contain most pairs, and
// then in one of countedShare runs, on average. Counting the pairs of all runs would take
// about a tenth of the time of a search. Which runs are counted does not depend on the
// arm, so that the counted unguided runs represent all unguided runs.
const (
	firstCounted = 1024
	countedShare = 8
)

func (s *sampler) counts(index int) bool {
	return s.CountAll || s.larder != nil || index < firstCounted || hash.Seed(s.Seed+4, uint64(index))%countedShare == 0
}

// count counts the receive pairs of a run if the function counts selects the run. If one
// of the pairs is new, the run may be saved in the cache.
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

// noteCrowds records which hints were too numerous for the arm guided to keep in batch b.
func (w *worker) noteCrowds(b int) {
	for _, a := range w.arms {
		if g, ok := a.Arm.(*guided); ok && a.batch == b {
			g.crowds(w.tally.crowd)
		}
	}
}

// decided reports whether a run before the given index has failed, so that later runs no
// longer matter.
func (s *sampler) decided(index int) bool {
	if !s.stop.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first != nil && s.index < index
}

// report stores a failing run as a finding, unless an earlier run failed.
func (s *sampler) report(index int, arm string, seed uint64, res *props.Result) {
	o := finding.Origin{Property: s.property.Name, Test: s.property.Test, Strategy: arm, Seed: seed}
	s.keep(index, finding.From(o, res))
}

// keep stores a finding, unless an earlier run has one.
func (s *sampler) keep(index int, f *finding.Finding) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil || index < s.index {
		s.first, s.index = f, index
	}
}
