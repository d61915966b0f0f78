package explore

import (
	"math"
	"time"
)

// A search estimates its number of runs by runs of its own:
//
//   - For distinct orders, by stochastic enumeration: see beam.
//   - For all orders, by random descents (Knuth 1975): a run with random decisions
//     stands for as many runs as the product of the numbers of possible answers.
//
// With other reductions, the tree depends on earlier runs, and there is no estimate. Eta
// (section 4) extrapolates from the explored part, but that is a corner of the tree: after
// a hundredth of the runs, four of ten such estimates are off by a factor of 2 or more.

// An estimator makes runs of its own to estimate how many the search will take.
type estimator struct {
	options *Options
	worker  Worker
	random  uint64
	descent descent
	began   time.Time
	// The estimate is the average over all rounds, weighted by runs.
	sum     float64
	runs    int
	rounds  int
	width   int   // of the beam in the previous round
	beam    *beam // nil before the first round
	off     bool  // no estimate is possible
	sparing bool  // others wait for the search to pause
}

// The estimator makes at most one run per estimateShare runs of the search. But it makes
// at least estimateLeast, because a first estimate that is far too small would otherwise
// be the last. It makes at most estimateMost, which is enough.
const (
	estimateShare = 100
	estimateLeast = 100
	estimateMost  = 2000
	// A sparing estimator makes none before estimateLate runs, and at most one per
	// estimateSparing.
	estimateLate    = 1000
	estimateSparing = 10
)

func newEstimator(w Worker, o *Options) *estimator {
	e := &estimator{options: o, worker: w, random: o.Seed, descent: descent{random: o.Seed}, began: time.Now()}
	e.off = o.bounded() || o.compares() || o.Depth > 0 || o.Reduction != Everything && !o.sleeps()
	return e
}

// measure makes as many runs as the estimate is worth after `made` runs of the search.
func (e *estimator) measure(made int) {
	for !e.off && !e.isLate() {
		left := e.worth(made) - e.runs
		if left <= 0 || !e.round(left) {
			return
		}
	}
}

// measureLate is measure for a search in progress. The time before the first round does
// not count for the estimate.
func (e *estimator) measureLate(made int) {
	if e.rounds == 0 {
		e.began = time.Now()
	}
	e.measure(made)
}

// worth returns how many runs the estimate may take. A larger estimate is worth more:
// otherwise one that is far too small would never be corrected.
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

// isLate reports whether the estimate has taken a tenth of the search's time, or the time
// is over.
func (e *estimator) isLate() bool {
	return e.options.isLate() || e.options.Time > 0 && e.rounds > 0 && time.Since(e.began) > e.options.Time/10
}

// total returns the estimated number of runs, 0 if unknown.
func (e *estimator) total() float64 {
	if e.off || e.runs == 0 {
		return 0
	}
	return e.sum / float64(e.runs)
}

// round makes one more estimate with about `left` runs. It reports whether these were
// enough.
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

// firstWidth is how many nodes per level the first round runs.
const firstWidth = 8

// nextWidth returns how many nodes per level the next round runs. One wide round is worth
// more than several narrow ones with the same number of runs. But the number of runs for
// the estimate is known only after some of them. So each round is wider than the previous
// one, and a small remainder makes none.
func (e *estimator) nextWidth(left int) int {
	if e.width == 0 {
		return firstWidth
	}
	return min(4*e.width, left/e.beam.levels)
}

// all returns the estimated number of runs after `made` runs of the search; 0 if unknown.
func (e *estimator) all(made int) float64 {
	if total := e.total(); total > 0 {
		return math.Round(max(total, float64(made)))
	}
	return 0
}
