package explore

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A search goes through one tree of orders, or through one subtree of it, with
// one worker. This is what the ways to do so have in common: depthFirst,
// optimal and randomBranches.
type search struct {
	options *Options
	worker  Worker
	tally   tally
	limits  limits
	habits  habits
	prober  prober
	prints  [2]pulse.Print // of a run that is repeated
	// others is how many runs other subtrees had made when the round began.
	others int
	// bound is the one on delays or preemptions that is searched now.
	bound int32
	// over is what the search must begin again with; zero while it need not.
	over handover
}

// A handover is the reduction that a search goes over to, because the one that
// it began with does not fit the program, and why it does not.
type handover struct {
	to    Reduction
	sleep bool // with sleep sets, if the reduction before had them
	why   string
}

// Why a search goes over to another reduction. Each goes on after "because".
const (
	whySpawns     = "a step looks at Ref.Index or Ref.String of an actor, which depend on the order of steps that spawn actors"
	whyLooks      = "a step looks at what all steps before have done, such as System.Steps, System.Trace or System.Warnings, or an actor crashes within it"
	whyAnswers    = "System.Ask returns while others are at work, or may crash, or have set timers that may fire early"
	whyLives      = "steps of this program that no message puts in order watch an actor, end it or ask whether it lives"
	whyTest       = "steps of this program that no message puts in order have to do with what the test keeps, such as a history of calls, its failure or a Cleanup, or with what actors of an adapter share"
	whyObserved   = "an observer, the isolation check or a bound on waiting messages looks at the run after each step, and may tell orders apart in which every actor receives the same"
	whyTouches    = "steps of this program have to do with each other by more than messages, such as a supervisor, two answers to one Ask, a bounded mailbox, a fault that a step makes happen"
	whyStrikes    = "something may come between any two steps, such as a fault or an early timer"
	whyPartitions = "an actor may be cut off while time passes, or a step looks at what all steps before have done, partitions too"
	whyTicks      = "time may pass early while periodic timers tick, or a step or the test makes faults happen"
	whyBrokeOff   = "a step ended its run before the rest of it, by a failure or by Skip"
	whyDepth      = "Depth is bounded, and Optimal learns from whole runs"
)

// whyMet returns why a search goes over to one that turns round what a touch is of.
func whyMet(x trace.Touch) string {
	if x.What == trace.TheTest {
		return whyTest
	}
	return whyLives
}

// mayShowPartitions reports whether a search that makes no partitions must begin again
// with them, by what a run has shown. A partition holds messages back, and only time can
// tell, or a step that counts all steps. Observers are heeded elsewhere.
func (s *search) mayShowPartitions(sys *pulse.System) bool {
	return sys.Options().Faults.Partition > 0 && s.options.picksCrashes() && (setsTime(sys) ||
		slices.ContainsFunc(sys.Trace().Touches, func(x trace.Touch) bool { return x.What == trace.AllSteps }))
}

// goesOnAfter reports whether the search goes on after a run.
func (s *search) goesOnAfter(run *Run) bool { return run.Failure == nil || s.options.KeepOn }

// newSearch returns a search that began at a time. Unless it is a trial, its
// worker is told of its runs.
func newSearch(o *Options, w Worker, began time.Time, trial bool) *search {
	s := &search{options: o, worker: w}
	s.limits = limits{runs: o.Runs, time: o.Time, late: o.late, began: began, stop: o.Stop}
	s.tally = newTally(o)
	if !trial {
		s.goTo(w)
	}
	return s
}

// goTo gives the search another worker.
func (s *search) goTo(w Worker) { s.worker, s.tally.told = w, w }

// count counts a run, and reports whether it ends the search.
func (s *search) count(run Run, end ending, shared int) (last bool) {
	if end == endedItself && s.options.learns() && run.System != nil {
		s.habits.learn(run.System.Trace())
	}
	return s.tally.count(run, end, shared)
}

// repeatEvery is how many runs of a search there are for each one that is repeated to see whether the program repeats itself. To compare what
// messages hold takes longer than a short run: after the first manyRuns there are
// four times as many for each.
const (
	repeatEvery = 64
	manyRuns    = 4096
	repeatPhase = 37 // so that of 64 subtrees of one run one is repeated
)

// isRepeated reports whether the run that was counted last is to be repeated: the
// first of a search, and some after it.
func (s *search) isRepeated(run *Run, end ending) bool {
	if end != endedItself || s.tally.told == nil || run.System == nil {
		return false
	}
	before := s.tally.result.Runs - 1
	if before == 0 && s.tally.subtree <= 1 {
		return true
	}
	before += repeatPhase * s.tally.subtree
	switch {
	case s.others+s.tally.result.Runs > manyRuns:
		return before%(4*repeatEvery) == 0
	}
	return before%repeatEvery == 0
}

// repeat repeats a run, and reports whether it was the same. The search is over
// when it was not: the result says where they differ.
func (s *search) repeat(run *Run, again func() Run) bool {
	s.prints[0].Take(run.System)
	failure := run.Failure
	second := again()
	r := &s.tally.result
	switch {
	case r.Nondeterminism != "":
	case second.System == nil:
		r.Nondeterminism = "the same decisions led to no system when they were made again"
	default:
		s.prints[1].Take(second.System)
		r.Nondeterminism = s.prints[0].Differs(&s.prints[1], second.System)
	}
	if r.Nondeterminism == "" && signatureOf(failure) != signatureOf(second.Failure) {
		r.Nondeterminism = fmt.Sprintf("a run ended with %s, and with %s when its decisions were made again",
			signatureOf(failure), signatureOf(second.Failure))
	}
	return r.Nondeterminism == ""
}

// signatureOf returns the signature of a failure, or words that say that there
// is none.
func signatureOf(f *pulse.Failure) string {
	if f == nil {
		return "no failure"
	}
	return f.Signature()
}

// isOver reports whether the search must end, or pause, before the tree is done.
// It makes the probes that are due, too.
func (s *search) isOver() bool { return s.hitsBound() || s.probeAsDue() }

// hitsBound reports whether the run that was made last is the last for now.
func (s *search) hitsBound() bool {
	bound, over := s.limits.end(s.tally.result.made())
	if bound != NoBound {
		s.tally.result.Bound = bound
	}
	return over
}

// mustBeginAgain reports whether the program turned out not to be one for the
// reduction.
func (s *search) mustBeginAgain() bool { return s.over.why != "" }

// chooser returns what finds the first message by the search's ordering.
func (s *search) chooser() chooser {
	return chooser{ordering: s.options.Ordering, habits: &s.habits}
}

// boundText names the bound that is searched, where it is raised.
func (s *search) boundText() string {
	if !s.options.bounded() {
		return ""
	}
	_, name := s.options.boundName()
	return fmt.Sprintf("%d %s", s.bound, name)
}

// A way is how a search goes through its tree.
type way interface {
	// explore goes through the tree, and reports whether that is done.
	explore() (finished bool)
}
