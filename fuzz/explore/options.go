package explore

import "time"

// Options say how a program is explored. The zero value runs every distinct
// order once, without bounds, and stops at the first failure.
type Options struct {
	Reduction Reduction
	// Sleep adds sleep sets (Godefroid 1996): no distinct order is run twice,
	// but a run may be wasted on finding that. Source and Optimal need no
	// telling.
	Sleep bool
	// Ordering says which messages are tried first.
	Ordering Ordering
	// RandomBranch goes on with a branch drawn from all that are open instead
	// of the deepest. It sees all parts of the tree early, and keeps all
	// branches that are open in memory (Eta, section 4).
	RandomBranch bool
	// Seed is what random decisions follow from.
	Seed uint64

	// States compares states: what was seen before is not gone on with.
	States States
	// BigSteps compares states only where there is a choice (Basset, section
	// 3.5.3); else they are compared after every step.
	BigSteps bool

	// Delays and Preemptions bound how far an order may be from the plain one.
	// A delay passes over the message that is next; a preemption leaves an
	// actor that could go on. The bound is raised from 0 to the given number,
	// so that the first failure is the nearest. Negative means exactly the
	// bound 0; zero means no bound.
	Delays, Preemptions int
	// Depth is how many steps of a run are explored; zero means all.
	Depth int
	// Runs and Time end the search; zero means never.
	Runs int
	Time time.Duration

	// Stop ends the search when it is closed.
	Stop <-chan struct{}

	// File is where what is left of a search is kept when Runs, Time or Stop
	// ends it, and every 30 seconds in case the process is killed. If there is
	// such a file the search goes on from it and its verdict counts on; Runs
	// and Time are then about what is added. A search that has come to its end,
	// or to a failure, removes the file. A program that has changed in a way
	// that its messages show is told from the one that was searched; other
	// changes are not: then remove the file. Two searches must not have one
	// file.
	File      string
	keepEvery time.Duration // in place of 30 seconds, in tests

	// Workers is how many goroutines share the tree; zero means one. Which
	// orders are distinct, and which fail, does not depend on it. More makes
	// the program of each worker but the first, with nothing shared.
	Workers int
	More    func() Program

	// KeepOn goes on after a failure and counts failures by signature.
	KeepOn bool
	// CountDistinct keeps the hash of every distinct order, where the
	// reduction does not give their number itself.
	CountDistinct bool
	// Record has the runs recorded even if nothing else here asks for it.
	Record bool

	// Done is told of each run that came to its end, or failed, while its
	// trace is still there.
	Done func(Run)
	// Progress is told how far the search is, now and then: as often as Every
	// says, or once a second when that is zero; and once more at the end.
	Progress func(Progress)
	Every    time.Duration
	// Estimate has Verdict.Estimate made even if there is no Progress. It takes
	// runs of its own, not counted in the verdict: 100, or about one for a hundred of
	// the search if that is more, but 2,000 at most.
	Estimate bool
}

func (o *Options) bounded() bool { return o.Delays != 0 || o.Preemptions != 0 }

// sleeps says whether sleep sets are in use.
func (o *Options) sleeps() bool { return o.Sleep || o.Reduction <= SourceSets }

// States says whether and how states are compared.
type States uint8

const (
	// NoStates: states are not compared.
	NoStates States = iota
	// ByHash takes states for equal whose hashes are.
	ByHash
	// Checked keeps a description of every state and fails when two states
	// have one hash: for finding a Hash method that says too little.
	Checked
)

// A Verdict says what came of an exploration.
type Result struct {
	// Complete: every distinct order was run, or was found equal to one that was.
	Complete bool
	// Reduction is the one that was used. In place of Optimal it is Source when
	// time may pass early or faults may strike actors, and when the search goes
	// on after runs that failed before their end. In place of any it is
	// Everything, with the sleep sets that there were, when steps have to do
	// with each other by more than messages: by Watch of an actor that may be
	// ending, by two answers to one Ask, or by supervision.
	Reduction Reduction
	// Bound says which bound was hit, "" when none was: "runs", "time",
	// "depth", "delays", "preemptions", "failure", "stop".
	Bound string
	// Distinct is how many distinct orders were run; -1 when that was not counted.
	Distinct int
	// Runs is how many runs came to an end; Wasted how many more were given
	// up because what was left of them had been run before; Cut how many
	// because a bound or a known state ended them.
	Runs, Wasted, Cut int
	// Steps is how many steps the tree of all runs has, what they share counted once.
	Steps int
	// States is how many states were seen; 0 when states were not compared.
	States int
	// Failures counts the runs that failed, by signature.
	Failures map[string]int
	// Nondeterminism says where the program went another way than before
	// although nothing was decided otherwise; "" when it never did.
	Nondeterminism string
	// Clash shows two states that have one hash, where states are Checked; ""
	// when there are none.
	Clash string
	// Levels is what each bound on delays or preemptions took, from 0 on.
	Levels []Level
	// Estimate is how many runs there are in all: Runs when the search is
	// complete; else estimated if the options ask for it, and 0 when nothing is
	// known.
	Estimate float64
	// Elapsed is how long it took.
	Elapsed time.Duration
}

// A Level is what the search with one bound came to.
type Level struct {
	Bound, Runs, Failed int
	Complete            bool
}
