package explore

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A search is the state of exploring one tree of orders, or one subtree, with one worker.
// The algorithms depthFirst, optimal and team embed it.
type search struct {
	options *Options
	worker  Worker
	tally   tally
	limits  limits
	habits  habits
	prober  prober
	prints  [2]pulse.Print // the fingerprints of a run and of the same run repeated
	// others is the number of runs that all subtrees except this one had made when
	// the round of runs began.
	others int
	// bound is the current bound on delays or preemptions.
	bound int32
	// over names the reduction that the search must restart with. It is a zero
	// handover if no restart is needed.
	over handover
}

// A handover says which reduction a search restarts with, and why the current reduction
// does not support the program.
type handover struct {
	to    Reduction
	sleep bool // set if the new search keeps the sleep sets of the old search, if any
	why   reason
}

// A reason says why a search restarts, and what the new search must do differently.
type reason struct {
	text string // a clause that follows the word "because"; for people only
	lessons
}

// lessons are what a search has learned about the program from its runs. A restart never
// unlearns one.
type lessons struct {
	// heedsMeetings makes SourceSets reverse conflicts on an actor's lifetime or on
	// test state, such as a history of calls. It is not set initially, because most
	// programs do not notice when a process ends.
	heedsMeetings bool
	// divides makes the search use partitions. Unless it is set, searches with sleep
	// sets make no partitions. Unreduced searches always make partitions.
	divides bool
	// copiesNothing makes the search run the program again instead of restoring a
	// snapshot. It is set when a run from a snapshot has ended differently than the
	// same run from the beginning, or in a state that cannot be read.
	copiesNothing bool
}

// add adds the lessons in m to l.
func (l *lessons) add(m lessons) {
	l.heedsMeetings = l.heedsMeetings || m.heedsMeetings
	l.divides = l.divides || m.divides
	l.copiesNothing = l.copiesNothing || m.copiesNothing
}

// The reasons to restart with another reduction.
var (
	whySpawns     = reason{text: "a step reads Ref.Index or Ref.String of an actor, and both depend on the order in which steps spawn actors"}
	whyLooks      = reason{"a step reads what all earlier steps did, such as System.Steps, System.Trace or System.Warnings, or an actor crashes within it", lessons{divides: true}}
	whyAnswers    = reason{"System.Ask returns while other actors still work, may crash or have timers that may fire early", lessons{heedsMeetings: true}}
	whyLives      = reason{"two steps that messages do not order watch, end or query (System.Alive) the same actor", lessons{heedsMeetings: true}}
	whyTest       = reason{"two steps that messages do not order conflict on test state, such as a history of calls, a failure or a Cleanup, or on state shared by actors of an adapter", lessons{heedsMeetings: true}}
	whyObserved   = reason{"an observer, the isolation check or a bound on waiting messages reads the run after each step, and may distinguish equivalent orders", lessons{divides: true}}
	whyObjects    = reason{"goroutines use the same objects, such as channels and mutexes", lessons{heedsMeetings: true}}
	whyTouches    = reason{text: "two steps that messages do not order conflict, for example through a supervisor, two answers to one Ask, a bounded mailbox or a fault that a step causes"}
	whyStrikes    = reason{text: "an event such as a fault or an early timer may occur between any two steps"}
	whyPartitions = reason{"an actor may be partitioned while time passes, or a step reads what all earlier steps did, which includes partitions", lessons{divides: true}}
	whyTicks      = reason{"timers may fire early while periodic timers tick, or while a step or the test causes faults", lessons{divides: true}}
	whyBrokeOff   = reason{text: "a step ended its run early, by a failure or by Skip"}
	whyCopies     = reason{"the program keeps state that its actors and messages do not hold, so that no state can be restored from a copy", lessons{copiesNothing: true}}
	whyUnread     = reason{"the state at the end of a run cannot be read, so that it cannot show whether a snapshot held the whole state", lessons{copiesNothing: true}}
	whyDepth      = reason{text: "Depth is bounded, and Optimal needs complete runs"}
)

// mayShowPartitions reports whether a search without partitions must restart with
// partitions after a run. A partition only holds messages back. Apart from observers (see
// isObserved), only timers and steps that read all earlier steps can notice a partition.
func (s *search) mayShowPartitions(sys *pulse.System) bool {
	return sys.Options().Faults.Partition > 0 && s.options.picksCrashes() && (setsTime(sys) ||
		slices.ContainsFunc(sys.Trace().Touches, func(x trace.Touch) bool { return x.What == trace.AllSteps }))
}

func (s *search) goesOnAfter(run *Run) bool { return run.Failure == nil || s.options.KeepOn }

// newSearch returns a search that began at the given time. The search reports its runs to
// its worker, unless trial is set.
func newSearch(o *Options, w Worker, began time.Time, trial bool) *search {
	s := &search{options: o, worker: w}
	s.limits = limits{runs: o.Runs, time: o.Time, late: o.late, began: began, stop: o.Stop}
	s.tally = newTally(o)
	if !trial {
		s.goTo(w)
	}
	return s
}

func (s *search) goTo(w Worker) { s.worker, s.tally.told = w, w }

// count counts a run, and reports whether the run ends the search.
func (s *search) count(run Run, end ending, shared int) (last bool) {
	if end == endedItself && s.options.learns() && run.System != nil {
		s.habits.learn(run.System.Trace())
	}
	return s.tally.count(run, end, shared)
}

// One run in repeatEvery is repeated to check that the program is deterministic. After
// the first manyRuns runs, only one run in 4*repeatEvery is repeated, because comparing
// the contents of messages takes longer than a short run.
const (
	repeatEvery = 64
	manyRuns    = 4096
	repeatPhase = 37 // lets subtrees repeat runs at different times: if 64 subtrees make one run each, one run is repeated
)

// isRepeated reports whether to repeat the run counted last. The search repeats its first
// run, and about one in repeatEvery of the later runs.
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

// repeat repeats a run, and reports whether both runs were the same. If not, it sets
// Result.Nondeterminism to the difference.
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

// signatureOf returns the signature of a failure, or "no failure" for nil.
func signatureOf(f *pulse.Failure) string {
	if f == nil {
		return "no failure"
	}
	return f.Signature()
}

// isOver makes the probes that are due, and reports whether the search must stop or pause
// although the tree is not done.
func (s *search) isOver() bool { return s.hitsBound() || s.probeAsDue() }

// hitsBound reports whether the search must stop at a bound, or pause. It sets
// Result.Bound.
func (s *search) hitsBound() bool {
	bound, over := s.limits.end(s.tally.result.made())
	if bound != NoBound {
		s.tally.result.Bound = bound
	}
	return over
}

// mustBeginAgain reports whether the search must restart with another reduction.
func (s *search) mustBeginAgain() bool { return s.over != (handover{}) }

// chooser returns a chooser for the search's ordering.
func (s *search) chooser() chooser {
	return chooser{ordering: s.options.Ordering, habits: &s.habits}
}

// boundText returns the current bound on delays or preemptions, such as "2 delays", or ""
// if there is none.
func (s *search) boundText() string {
	if !s.options.bounded() {
		return ""
	}
	_, name := s.options.boundName()
	return fmt.Sprintf("%d %s", s.bound, name)
}

// A way is an algorithm that explores a tree: depthFirst, optimal or team.
type way interface {
	// explore explores the tree, and reports whether the tree is done.
	explore() (finished bool)
}
