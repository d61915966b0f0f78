package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Worker runs the program that is explored.
//
// All methods of one worker are called one after the other, though not always
// on the same goroutine. The methods of several workers are called at the same
// time: what workers share they must lock. Explore has returned only when no
// worker is running.
type Worker interface {
	// Run runs the program once, with a strategy that makes its decisions.
	// Two runs with the same decisions must be the same. The strategy may be
	// another one than in the call before.
	//
	// Not every call is a run of the search: the first run and some later ones are
	// repeated, to see whether the program repeats itself, and an estimate makes runs of
	// its own. Whoever counts runs counts the calls of Done that are of no probe.
	Run(s pulse.Strategy) Run
	// Done is told of a run of the search that came to its end, or that
	// failed before it was given up, and of a probe that failed. It is always the last run of this
	// worker, whose trace is still there. With a bound on delays or
	// preemptions, which is raised from 0, the runs of each bound are told.
	Done(r Run)
	// Again is told to every worker when the search begins again with another
	// reduction: the runs that Done was told of so far do not count. No worker
	// is running then.
	Again()
}

// A Run is what came of one run.
type Run struct {
	// System has the trace. It is nil when the program has made no system.
	System *pulse.System
	// Failure is nil when the run did not fail.
	Failure *pulse.Failure
	// Index counts the runs that came to an end, from 0. With several workers
	// it counts those of one subtree, and Subtree is the number of that, from
	// 1; runs above all subtrees, which only Optimal makes, have Subtree 0. The first run of a round is the
	// one with the smallest Subtree and, in it, the smallest Index, whichever was
	// over first.
	Index   int
	Subtree int
	// Probe reports that the run is none of the tree's, but a probe that failed.
	// Its Index is that of the next run of the tree.
	Probe bool
	// Cut reports that the run was given up before its end, after it had failed.
	Cut bool
	// Watched reports that whoever reads the Result knows that observers, or
	// the isolation check, have looked only at the orders that were run. Else
	// the search goes over to Everything for them.
	Watched bool
}

// isObserved reports whether something that nobody else heeds looks at the run
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

// brokeOff reports whether the program ended the run before its system came to
// rest: by a failure in a step, or because the property skipped it there. A run that ends
// with the answer to an Ask of the test counts as whole: see reducer.markAnswers.
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

// cameToRest reports whether nothing was left to deliver at the end of a run.
func cameToRest(t *trace.Trace) bool {
	n := len(t.Rests)
	return n > 0 && int(t.Rests[n-1]) == len(t.Steps)
}
