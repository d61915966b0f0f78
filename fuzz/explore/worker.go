package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Worker runs the explored program.
//
// The methods of one worker are never called concurrently, but not always on the same
// goroutine. The methods of different workers are called concurrently, so workers must
// lock what they share. When Explore returns, no worker is running.
type Worker interface {
	// Run runs the program once, with s making its decisions. Two runs with the same
	// decisions must be the same. Different calls may have different strategies.
	//
	// Not every call counts as a run of the search. Some calls repeat a run to check
	// that the program is deterministic, and some calls estimate the size of the
	// tree. To count runs, count the calls to Done in which Run.Probe is not set.
	Run(s pulse.Strategy) Run
	// Done is called after each run of the search that ended by itself, each run
	// that failed before the search stopped it, and each probe that failed. r is
	// always the last run of this worker, so its trace is still valid. If the search
	// raises a bound on delays or preemptions, Done is called for the runs with each
	// bound.
	Done(r Run)
	// Again is called for every worker when the search restarts with another
	// reduction. Runs reported by Done so far do not count. No worker is running
	// during the call.
	Again()
}

// A Run is the result of one run.
type Run struct {
	// System holds the trace. It is nil if the program made no system.
	System *pulse.System
	// Failure is nil if the run did not fail.
	Failure *pulse.Failure
	// Index is the number, from 0, of runs in the same subtree that ended earlier
	// without being stopped by the search. The first run of a round of several
	// workers is the one with the smallest Subtree and, within the subtree, the
	// smallest Index, even if another run ended earlier.
	Index int
	// Subtree is the number of the run's subtree, from 1, if there are several workers.
	// It is 0 with a single worker, and for the runs that Optimal makes above all
	// subtrees.
	Subtree int
	// Probe is set if the run is a failed probe, which is not part of the tree. A
	// probe has the Index of the next run of the tree.
	Probe bool
	// Cut is set if the run failed and the search then stopped it before its end.
	Cut bool
	// The worker sets Watched if the user of the Result knows that observers and the
	// isolation check saw only the orders that were run. If Watched is not set and
	// the run has observers, the search restarts with Everything.
	Watched bool
}

// isObserved reports whether an observer (or the isolation check) reads the run after
// each step, and Watched is not set.
func (r *Run) isObserved() bool {
	return r.System != nil && !r.Watched && r.System.Host().Observed()
}

// steps returns the number of steps of the run.
func (r *Run) steps() int {
	if r.System == nil {
		return 0
	}
	return r.System.Steps()
}

// brokeOff reports whether a failure or a skip in a step ended the run while messages
// were still deliverable. A run that ends with the answer to an Ask of the test counts as
// complete: see reducer.markAnswers.
func (r *Run) brokeOff() bool {
	if !r.leavesWork() {
		return false
	}
	t := r.System.Trace()
	return !isAnswer(t, int32(len(t.Steps)-1))
}

// leavesWork reports whether the run took steps and ended before its system was
// quiescent.
func (r *Run) leavesWork() bool {
	return r.System != nil && len(r.System.Trace().Steps) > 0 && !cameToRest(r.System.Trace())
}

// cameToRest reports whether the system was quiescent (nothing deliverable) at the end of
// a run.
func cameToRest(t *trace.Trace) bool {
	n := len(t.Rests)
	return n > 0 && int(t.Rests[n-1]) == len(t.Steps)
}
