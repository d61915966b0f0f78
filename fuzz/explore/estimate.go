package explore

import (
	"math"
	"time"
)

// How many runs a search will take is estimated by runs of its own:
//
//   - For distinct orders, by stochastic enumeration: see beam.
//   - For all orders, by random descents (Knuth 1975): a run that makes all its
//     decisions at random stands for as many runs as the product of the numbers of
//     answers that there were.
//
// What other reductions leave of a tree depends on what was run before. Of that
// nothing is said: Eta (section 4) estimates it from the part that was gone through,
// and that is a corner of the tree. After a hundredth of the runs it is off by a factor
// of 2 and more in four of ten searches.

// An estimator makes runs of its own to find out how many the search will take.
type estimator struct {
	options *Options
	worker  Worker
	random  uint64
	descent descent
	began   time.Time
	// The estimate is the average of those of all rounds, weighted by runs.
	sum     float64
	runs    int
	rounds  int
	width   int   // of the beam in the round before
	beam    *beam // nil before the first round
	off     bool  // nothing can be found out in this way
	sparing bool  // others wait for the search to pause
}

// The estimator makes at most one run for estimateShare of the search. But it
// makes estimateLeast at any rate, or a first estimate that is far too small
// would be the last; and never more than estimateMost, which is enough.
const (
	estimateShare = 100
	estimateLeast = 100
	estimateMost  = 2000
	// An estimator that is sparing makes none before estimateLate runs, and at
	// most one for estimateSparing.
	estimateLate    = 1000
	estimateSparing = 10
)

func newEstimator(w Worker, o *Options) *estimator {
	e := &estimator{options: o, worker: w, random: o.Seed, descent: descent{random: o.Seed}, began: time.Now()}
	e.off = o.bounded() || o.compares() || o.Depth > 0 || o.Reduction != Everything && !o.sleeps()
	return e
}

// measure makes as many runs as the estimate is worth, given how many the search
// has made.
func (e *estimator) measure(made int) {
	for !e.off && !e.isLate() {
		left := e.worth(made) - e.runs
		if left <= 0 || !e.round(left) {
			return
		}
	}
}

// measureLate is measure for a search that goes on. The time that it took before
// the first round is not that of the estimate.
func (e *estimator) measureLate(made int) {
	if e.rounds == 0 {
		e.began = time.Now()
	}
	e.measure(made)
}

// worth returns how many runs the estimate may take. A larger estimate is
// worth more of them: one that is far too small would else never be mended.
func (e *estimator) worth(made int) int {
	n := max(estimateLeast, made/estimateShare)
	if e.runs > 0 {
		n = max(n, int(min(e.total(), estimateMost*estimateShare))/estimateShare)
	}
	if e.options.Runs > 0 {
		n = min(n, e.options.Runs)
	}
	if e.sparing {
		n = min(n, made/estimateSparing)
		if made < estimateLate {
			n = 0
		}
	}
	return min(n, estimateMost)
}

// isLate reports whether the estimate has taken a tenth of the search's time, or that is
// over.
func (e *estimator) isLate() bool {
	return e.options.isLate() || e.options.Time > 0 && e.rounds > 0 && time.Since(e.began) > e.options.Time/10
}

// total returns the number of runs in all, 0 while nothing is known.
func (e *estimator) total() float64 {
	if e.off || e.runs == 0 {
		return 0
	}
	return e.sum / float64(e.runs)
}

// round makes one more estimate, of about as many runs as are left at most. It
// reports whether these were enough to make one.
func (e *estimator) round(left int) bool {
	e.rounds++
	if !e.options.sleeps() {
		e.sum += e.descent.run(e.worker)
		e.runs++
		return true
	}
	if e.beam == nil {
		e.beam = newBeam(e.worker)
	}
	width := e.nextWidth(left)
	if width < e.width/2 {
		return false
	}
	e.width = width
	total, runs, whole := e.beam.enumerate(width, &e.random, e.options.isLate)
	if e.off = e.beam.lost; !whole {
		return false
	}
	e.sum += total * float64(runs)
	e.runs += runs
	return true
}

// firstWidth is how many nodes of a level the first round runs.
const firstWidth = 8

// nextWidth returns how many nodes of a level the next round runs. A wide round
// is worth more than several narrow ones of as many runs together. But how many
// runs the estimate may take is known only after some, so each round is wider
// than the one before, and none is made of a small rest.
func (e *estimator) nextWidth(left int) int {
	if e.width == 0 {
		return firstWidth
	}
	return min(4*e.width, left/e.beam.levels)
}

// all returns the estimate of all runs when the search has made some; 0 while nothing
// is known.
func (e *estimator) all(made int) float64 {
	if total := e.total(); total > 0 {
		return math.Round(max(total, float64(made)))
	}
	return 0
}
