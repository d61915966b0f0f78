package explore

import (
	"sync/atomic"
	"time"
)

// Explore runs a program in all orders that the options ask for. It returns when all
// these orders were run, or when a bound, a failure or nondeterminism of the program ends
// the search. Several workers explore disjoint parts of the tree, each on its own
// goroutine. A single worker uses the goroutine of the caller.
//
// If the options are invalid or the file of the search is unusable, Explore performs no
// run and returns an error without a result. If the file is from another program or could
// not be written at the end, Explore returns a result and an error.
func Explore(o Options, workers ...Worker) (Result, error) {
	x, err := Begin(o, workers...)
	if err != nil {
		return Result{}, err
	}
	x.GoOn(0)
	return x.End()
}

// An Ongoing is an exploration made in parts, one per call to GoOn. Between two calls the
// workers are free for other use. An Ongoing keeps the current path in memory. It also
// keeps all states if states are compared, and a hash of each distinct order if
// Method.CountDistinct is set.
type Ongoing struct{ explorer *explorer }

// Begin prepares an exploration with the options and workers of Explore, and makes no
// run.
func Begin(o Options, workers ...Worker) (*Ongoing, error) {
	if err := o.check(len(workers)); err != nil {
		return nil, err
	}
	x := newExplorer(o, workers)
	if err := x.open(); err != nil {
		return nil, err
	}
	return &Ongoing{x}, nil
}

// ProbeAfter sets the number of runs before the first probe (default: 2,000). Probes are
// random runs that look for failures: see the package comment. A caller that explores
// many trees in turn can use ProbeAfter to start the probes of a tree after a certain
// number of runs in all trees.
func (x *Ongoing) ProbeAfter(runs int) { x.explorer.options.probeAfter = max(1, runs) }

// GoOn performs the given number of further runs, including wasted runs and probes, or
// all remaining runs if the number is not positive. With several workers the number may
// be exceeded by the number of subtrees. GoOn returns false when the exploration is over.
// It is over if the tree is done, or if a bound or a failure has ended it.
func (x *Ongoing) GoOn(runs int) (more bool) {
	e := x.explorer
	if !e.over {
		e.goOn(runs)
	}
	return !e.over
}

// Result returns the result so far.
func (x *Ongoing) Result() Result { return x.explorer.search.tally.withProbed() }

// End returns the result, makes the last progress report, and saves the rest of the
// search in Options.File, if set. If nothing is left to do, End removes that file. End
// must be the last call.
func (x *Ongoing) End() (Result, error) { return x.explorer.conclude() }

// An explorer makes a search and, if necessary, restarts it with another reduction.
type explorer struct {
	options Options // the options of the current search; a restart changes the reduction
	workers []Worker
	began   time.Time
	alarm   *time.Timer // sets options.late when the time is over; may be nil
	search  *search
	way     way
	meter   *meter  // nil unless progress or an estimate is needed
	file    *keeper // nil unless the search is saved in a file
	part    int     // the number of runs until the search pauses; 0 for no pause
	begun   bool    // set if GoOn was called before
	over    bool    // set if the search is complete or was ended, not if it has only paused
	level   level
}

// A level is the current bound on delays or preemptions. The search is repeated with
// increasing bounds.
type level struct {
	bound  int
	begun  bool // set if the search with this bound has begun
	failed int  // the number of failure signatures that were found with smaller bounds
}

func newExplorer(o Options, workers []Worker) *explorer {
	x := &explorer{options: o, workers: workers, began: time.Now()}
	if late := &x.options.late; o.Time > 0 && *late == nil {
		alarm := &atomic.Bool{}
		*late = alarm
		x.alarm = time.AfterFunc(o.Time, func() { alarm.Store(true) })
	}
	x.begin()
	return x
}

// begin makes a new search that starts at the root of the tree.
func (x *explorer) begin() {
	x.search = newSearch(&x.options, x.workers[0], x.began, false)
	if x.file != nil {
		x.goOnCounting()
	}
	x.way = x.newWay()
	x.search.limits.nowAndThen = x.nowAndThen
	x.search.limits.pause(x.part)
}

// newWay returns the algorithm that the options require.
func (x *explorer) newWay() way {
	switch {
	case len(x.workers) > 1:
		return newTeam(x.search, x.workers, x.meter)
	case x.options.Reduction == Optimal:
		return newOptimal(x.search)
	}
	return newDepthFirst(x.search)
}

// goOn continues the search for the given number of runs.
func (x *explorer) goOn(runs int) {
	x.part = runs
	x.search.limits.pause(runs)
	if !x.begun {
		x.begun = true
		x.measure()
	}
	defer x.measureParts()
	x.over = x.search.probeAsDue() || x.explore() // first make the due probes, because the file of a continued search may have been saved just before a probe
	if x.search.limits.paused {
		x.over = false
	}
}

// explore searches once, or once per bound on delays or preemptions. It reports
// whether the search is over; a pause is not the end.
func (x *explorer) explore() (over bool) {
	if x.options.bounded() {
		return x.exploreLevels()
	}
	finished := x.exploreOnce()
	if x.search.limits.paused {
		return false
	}
	t := &x.search.tally
	t.result.Complete = finished && !t.leftOut && t.result.Bound == NoBound
	if finished && t.leftOut {
		t.result.Bound = BoundDepth
	}
	return true
}

// exploreLevels searches once for each bound on delays or preemptions, from 0 upward.
func (x *explorer) exploreLevels() (over bool) {
	most, name := x.options.boundName()
	t, l := &x.search.tally, &x.level
	r := &t.result
	for ; l.bound <= max(most, 0); l.bound, l.begun = l.bound+1, false {
		if !l.begun {
			l.begun, l.failed = true, len(r.Failures)
			r.Runs, r.Steps, t.leftOut = 0, 0, false
			x.search.bound = int32(l.bound)
			x.way = x.newWay()
		}
		finished := x.exploreOnce()
		if x.search.limits.paused {
			return false
		}
		r.Levels = append(r.Levels, Level{Bound: l.bound, Runs: r.Runs, Failed: len(r.Failures) - l.failed, Complete: finished && !t.leftOut})
		if !finished {
			return true
		}
		if !t.leftOut {
			r.Complete = true
			return true
		}
	}
	r.Bound = name
	return true
}

// exploreOnce searches the tree, and reports whether the search is complete. It restarts
// with another reduction if the current one does not support the program.
func (x *explorer) exploreOnce() (finished bool) {
	if x.options.Reduction == Optimal && x.options.Depth > 0 {
		x.beginWith(handover{SourceSets, true, whyDepth})
	}
	for {
		finished = x.way.explore()
		if !x.search.mustBeginAgain() {
			return finished
		}
		x.beginWith(x.search.over)
		for _, w := range x.workers {
			w.Again()
		}
		x.estimate()
	}
}

// beginWith restarts the search with another reduction. Sleep sets respect all
// dependencies in the trace, so a restarted search keeps sleep sets unless over.sleep is
// false.
func (x *explorer) beginWith(over handover) {
	x.options.lessons.add(over.why.lessons)
	if x.options.compares() && x.options.heedsMeetings { // a run that stops at a known state does not show later conflicts, so Everything is needed
		over.to = Everything
	}
	x.options.Sleep, x.options.Reduction = x.options.sleeps() && over.sleep, over.to
	if x.file != nil {
		x.file.runs = 0
	}
	x.begin()
	x.search.tally.result.Because = over.why.text
}

// measure prepares progress reports and the estimate, if the options ask for one of the
// two.
func (x *explorer) measure() {
	if x.options.Progress == nil && !x.options.Estimate {
		return
	}
	x.meter = newMeter(&x.options, x.began)
	if tm, is := x.way.(*team); is {
		tm.meter = x.meter
	}
	x.estimate()
}

// estimate starts to estimate the number of runs of the search. Progress reports continue
// the estimate later. If the result must have an estimate, or if there are several
// workers, estimate completes it at once. The reason is that most searches end before the
// first report, and that reports of several workers cannot continue an estimate.
func (x *explorer) estimate() {
	if x.meter == nil {
		return
	}
	o := x.options
	e := newEstimator(x.workers[0], &o)
	x.meter.estimator, e.sparing = e, x.part > 0
	if !e.sparing && (o.Estimate || len(x.workers) > 1) {
		e.measure(0)
	}
}

// measureParts updates the estimate of the size of the search. It is called when a search that
// is carried out in parts pauses.
func (x *explorer) measureParts() {
	if x.part > 0 && !x.over && x.meter != nil {
		x.meter.estimator.measureLate(x.search.tally.result.Runs)
	}
}

// nowAndThen reports progress and saves the search, each when its interval has passed.
func (x *explorer) nowAndThen() {
	s := x.search
	if x.options.Progress != nil {
		x.meter.report(&s.tally, s.boundText(), true)
	}
	if x.file != nil && s.limits.clock.last.Sub(x.file.last) >= x.file.every {
		x.file.writeWhileSearching(x.kept())
	}
}

// conclude completes the result, makes the last progress report, and writes or removes
// the file.
func (x *explorer) conclude() (Result, error) {
	if x.alarm != nil {
		x.alarm.Stop()
	}
	t := &x.search.tally
	r := &t.result
	r.Elapsed = time.Since(x.began)
	switch {
	case r.Complete:
		r.Estimate = float64(r.Runs)
	case x.meter != nil:
		r.Estimate = x.meter.estimator.all(r.Runs)
	}
	if x.options.Progress != nil {
		x.meter.end(r)
	}
	if x.file == nil {
		return t.withProbed(), nil
	}
	return t.withProbed(), x.file.close(x.kept(), x.over)
}
