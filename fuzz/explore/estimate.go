package explore

import (
	"math"
	"time"
)

// A search estimates its number of runs by additional runs that are not counted:
//
//   - The number of distinct orders is estimated by stochastic enumeration: see beam.
//   - The number of all orders is estimated by random descents (Knuth 1975). A run with
//     random decisions stands for p runs, where p is the product of the numbers of
//     possible answers at each decision.
//
// The first estimate is for searches with sleep sets, the second for searches without a
// reduction. Other searches have no estimate, because their tree depends on earlier runs.
//
// The Eta paper (section 4) extrapolates from the explored part of the tree. But that
// part is only a corner of the tree. After one hundredth of the runs, four of ten
// extrapolations are off by a factor of 2 or more.

// An estimator performs additional, uncounted runs to estimate the number of runs of the
// search.
type estimator struct {
	options *Options
	worker  Worker
	random  uint64
	descent descent
	began   time.Time
	// sum adds up the estimates of all rounds, each multiplied by the round's number
	// of runs. The overall estimate is sum/runs.
	sum     float64
	runs    int   // the number of runs that the estimator has made
	rounds  int   // the number of rounds (separate estimates) started so far
	width   int   // the maximum number of nodes per tree level in the previous round
	beam    *beam // nil before the first round
	off     bool  // set if no estimate is possible
	sparing bool  // set if the search is made in parts (see Ongoing), so that other searches wait for the estimator
}

// The estimator performs about one run per estimateShare estimated runs of the search,
// but at least estimateLeast and at most estimateMost runs. Without the minimum, a first
// estimate that is far too small would never be corrected.
const (
	estimateShare = 100
	estimateLeast = 100
	estimateMost  = 2000
	// An estimator with the field sparing performs no run before the search has made
	// estimateLate runs, and then at most one per estimateSparing runs of the
	// search.
	estimateLate    = 1000
	estimateSparing = 10
)

func newEstimator(w Worker, o *Options) *estimator {
	e := &estimator{options: o, worker: w, random: o.Seed, descent: descent{random: o.Seed}, began: time.Now()}
	e.off = o.bounded() || o.compares() || o.Depth > 0 || o.Reduction != Everything && !o.sleeps()
	return e
}

// measure performs the estimator's runs that are due after `made` runs of the search.
func (e *estimator) measure(made int) {
	for !e.off && !e.isLate() {
		left := e.worth(made) - e.runs
		if left <= 0 || !e.round(left) {
			return
		}
	}
}

// measureLate is measure for a search in progress. The time before the estimator's first
// round does not count toward the estimator's time limit.
func (e *estimator) measureLate(made int) {
	if e.rounds == 0 {
		e.began = time.Now()
	}
	e.measure(made)
}

// worth returns the number of runs that the estimator may make in total after `made` runs
// of the search. The number grows with the current estimate, so that the estimate of a
// large tree becomes more accurate.
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

// isLate reports whether the estimator has used a tenth of Options.Time, or the time is
// over.
func (e *estimator) isLate() bool {
	return e.options.isLate() || e.options.Time > 0 && e.rounds > 0 && time.Since(e.began) > e.options.Time/10
}

// total returns the estimated number of runs of the whole search, 0 if unknown.
func (e *estimator) total() float64 {
	if e.off || e.runs == 0 {
		return 0
	}
	return e.sum / float64(e.runs)
}

// round makes one more estimate with about `left` runs. It returns false if `left` is too
// small for an estimate, or if no estimate is possible.
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

// firstWidth is the number of nodes that the first round runs per level of the tree.
const firstWidth = 8

// nextWidth returns the number of nodes that the next round runs per level of the tree.
// One wide round is more accurate than several narrow rounds with the same total number
// of runs. But the total is known only after the first rounds. So each round is wider
// than the previous one, up to what `left` runs allow.
func (e *estimator) nextWidth(left int) int {
	if e.width == 0 {
		return firstWidth
	}
	return min(4*e.width, left/e.beam.levels)
}

// all returns the estimated number of runs of the whole search, 0 if unknown. The result
// is at least `made`, the number of runs so far.
func (e *estimator) all(made int) float64 {
	if total := e.total(); total > 0 {
		return math.Round(max(total, float64(made)))
	}
	return 0
}
