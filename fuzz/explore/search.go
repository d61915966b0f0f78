package explore

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A search explores one tree of orders, or one subtree of it, with one worker. It is the
// common part of depthFirst, optimal and branches.
type search struct {
	options *Options
	worker  Worker
	tally   tally
	limits  limits
	habits  habits
	prober  prober
	prints  [2]pulse.Print // of a repeated run
	// others is how many runs other subtrees had made when the round began.
	others int
	// bound is the current bound on delays or preemptions.
	bound int32
	// over is what the search must restart with; zero if it need not.
	over handover
}

// A handover says which reduction a search restarts with, and why the current one does
// not support the program.
type handover struct {
	to    Reduction
	sleep bool // with sleep sets, if the previous reduction had them
	why   string
}

// The reasons to restart with another reduction. Each continues a sentence after "because".
const (
	whySpawns     = "a step reads Ref.Index or Ref.String of an actor, which depend on the order of steps that spawn actors"
	whyLooks      = "a step reads what all earlier steps did, such as System.Steps, System.Trace or System.Warnings, or an actor crashes within it"
	whyAnswers    = "System.Ask returns while other actors still work, may crash or have timers that may fire early"
	whyLives      = "steps that no message orders watch an actor, end it or ask whether it is alive"
	whyTest       = "steps that no message orders conflict on test state, such as a history of calls, a failure or a Cleanup, or on what actors of an adapter share"
	whyObserved   = "an observer, the isolation check or a bound on waiting messages reads the run after each step, and may distinguish orders in which every actor receives the same"
	whyTouches    = "steps conflict without a message between them, such as by a supervisor, two answers to one Ask, a bounded mailbox or a fault that a step causes"
	whyStrikes    = "an event such as a fault or an early timer may occur between any two steps"
	whyPartitions = "an actor may be partitioned while time passes, or a step reads what all earlier steps did, partitions included"
	whyTicks      = "timers may fire early while periodic timers tick, or while a step or the test causes faults"
	whyBrokeOff   = "a step ended its run early, by a failure or by Skip"
	whyDepth      = "Depth is bounded, and Optimal learns from whole runs"
)

// whyMet returns why a search restarts to reverse conflicts of a touch.
func whyMet(x trace.Touch) string {
	if x.What == trace.TheTest {
		return whyTest
	}
	return whyLives
}

// mayShowPartitions reports whether a search without partitions must restart with them
// after a run. A partition holds messages back, which only time can show, or a step that
// reads all earlier steps. isObserved covers observers.
func (s *search) mayShowPartitions(sys *pulse.System) bool {
	return sys.Options().Faults.Partition > 0 && s.options.picksCrashes() && (setsTime(sys) ||
		slices.ContainsFunc(sys.Trace().Touches, func(x trace.Touch) bool { return x.What == trace.AllSteps }))
}

// goesOnAfter reports whether the search continues after a run.
func (s *search) goesOnAfter(run *Run) bool { return run.Failure == nil || s.options.KeepOn }

// newSearch returns a search that began at the given time. Unless it is a trial, it
// reports its runs to its worker.
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

// repeatEvery is how many runs there are for each repeated run, which checks that the
// program is deterministic. After the first manyRuns there are four times as many,
// because comparing the contents of messages takes longer than a short run.
const (
	repeatEvery = 64
	manyRuns    = 4096
	repeatPhase = 37 // so that one of 64 subtrees with one run each repeats it
)

// isRepeated reports whether the run counted last is to be repeated: the first of a
// search, and some later ones.
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

// repeat repeats a run, and reports whether it was the same. If not, the search is over
// and the result says where they differ.
func (s *search) repeat(run *Run, again func() Run) bool {
	s.prints[0].Take(run.System)
	failure := run.Failure
	second := again()
	r := &s.tally.result
	switch {
	case r.Nondeterminism != "":
	case second.System == nil:
		r.Nondeterminism = "a run had a system, and its replay with the same decisions had none"
	default:
		s.prints[1].Take(second.System)
		r.Nondeterminism = s.prints[0].Differs(&s.prints[1], second.System)
	}
	if r.Nondeterminism == "" && signatureOf(failure) != signatureOf(second.Failure) {
		r.Nondeterminism = fmt.Sprintf("a run ended with %s, and its replay with the same decisions ended with %s",
			signatureOf(failure), signatureOf(second.Failure))
	}
	return r.Nondeterminism == ""
}

// signatureOf returns the signature of a failure, or words for no failure.
func signatureOf(f *pulse.Failure) string {
	if f == nil {
		return "no failure"
	}
	return f.Signature()
}

// isOver makes the probes that are due, and reports whether the search must end, or
// pause, before the tree is done.
func (s *search) isOver() bool { return s.hitsBound() || s.probeAsDue() }

// hitsBound reports whether a bound or a pause ends the search for now.
func (s *search) hitsBound() bool {
	bound, over := s.limits.end(s.tally.result.made())
	if bound != NoBound {
		s.tally.result.Bound = bound
	}
	return over
}

// mustBeginAgain reports whether the search must restart with another reduction.
func (s *search) mustBeginAgain() bool { return s.over.why != "" }

// chooser returns a chooser for the search's ordering.
func (s *search) chooser() chooser {
	return chooser{ordering: s.options.Ordering, habits: &s.habits}
}

// boundText names the current bound, if the search raises it.
func (s *search) boundText() string {
	if !s.options.bounded() {
		return ""
	}
	_, name := s.options.boundName()
	return fmt.Sprintf("%d %s", s.bound, name)
}

// A way is an algorithm that explores a tree.
type way interface {
	// explore explores the tree, and reports whether it is done.
	explore() (finished bool)
}
