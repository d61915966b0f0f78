package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Worker runs the explored program.
//
// The methods of one worker are called one after the other, though not always on the
// same goroutine. The methods of several workers are called concurrently, so they must
// lock what they share. When Explore returns, no worker is running.
type Worker interface {
	// Run runs the program once, with a strategy that makes its decisions. Two runs
	// with the same decisions must be the same. The strategy may differ from that of
	// the previous call.
	//
	// Not every call is a run of the search: some runs are repeated to check that
	// the program is deterministic, and an estimate makes runs of its own. To count
	// runs, count the calls of Done without Probe.
	Run(s pulse.Strategy) Run
	// Done reports a run of the search that ended by itself, or that failed before
	// the search gave it up, or a probe that failed. It is always the last run of
	// this worker, whose trace is still valid. With a bound on delays or
	// preemptions, which is raised from 0, Done reports the runs of each bound.
	Done(r Run)
	// Again is called for every worker when the search restarts with another
	// reduction: runs reported by Done so far do not count. No worker is running
	// then.
	Again()
}

// A Run is the result of one run.
type Run struct {
	// System has the trace. It is nil if the program made no system.
	System *pulse.System
	// Failure is nil if the run did not fail.
	Failure *pulse.Failure
	// Index counts the runs that ended by themselves, from 0. With several workers
	// it counts those of one subtree, and Subtree is the subtree's number, from 1.
	// Runs above all subtrees, which only Optimal makes, have Subtree 0. The first
	// run of a round is the one with the smallest Subtree and, in it, the smallest
	// Index, whichever ended first.
	Index   int
	Subtree int
	// Probe reports that the run is a failed probe and not part of the tree. Its
	// Index is that of the tree's next run.
	Probe bool
	// Cut reports that the run failed and was then given up before its end.
	Cut bool
	// Watched reports that the reader of the Result knows that observers, or the
	// isolation check, saw only the orders that were run. Otherwise the search
	// restarts with Everything for them.
	Watched bool
}

// isObserved reports whether an observer that the worker does not report reads the run
// after each step.
func (r *Run) isObserved() bool {
	return r.System != nil && !r.Watched && r.System.Host().Observed()
}

// steps returns how many steps the run took.
func (r *Run) steps() int {
	if r.System == nil {
		return 0
	}
	return r.System.Steps()
}

// brokeOff reports whether the program ended the run before its system came to rest: by a
// failure in a step, or because the property skipped it there. A run that ends with the
// answer to an Ask of the test counts as whole: see reducer.markAnswers.
func (r *Run) brokeOff() bool {
	if !r.leavesWork() {
		return false
	}
	t := r.System.Trace()
	return !isAnswer(t, int32(len(t.Steps)-1))
}

// leavesWork reports whether the run took steps and ended before its system came to rest.
func (r *Run) leavesWork() bool {
	return r.System != nil && len(r.System.Trace().Steps) > 0 && !cameToRest(r.System.Trace())
}

// cameToRest reports whether nothing was deliverable at the end of a run.
func cameToRest(t *trace.Trace) bool {
	n := len(t.Rests)
	return n > 0 && int(t.Rests[n-1]) == len(t.Steps)
}
