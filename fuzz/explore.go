package fuzz

import (
	"io"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
)

// Explore runs a property in every distinct order of its messages and fails
// the test if it does not hold in one. Two orders are distinct when some actor
// receives its messages in another order; of those that are not, one is run.
//
//	func TestEveryOrder(t *testing.T) { fuzz.Explore(t, resultsAreStored) }
//
// Saved cases run first, as with Check, and a failing order is shown and saved
// as there. Inputs that the property draws by props.OneOf are all gone
// through; of others, ten are drawn at random.
//
// It ends after 10 seconds, or after a second with -short, whether it is done
// or not. A test that was not complete passes, since what a machine can do in
// a while must not decide that; its log and the Verdict say what it hit. Set
// Exploration.MustComplete to have it fail.
//
// A reduction leaves out orders in which every actor receives the same. What
// Always says is then checked in the states of the orders that are run only,
// and so is what monitors and histories see; the verdict tells when a property
// has such. With Exploration{Reduction: Everything} they are checked in all.
//
// In a benchmark saved cases are left alone and nothing is logged unless the
// exploration fails or is not complete.
func Explore(tb testing.TB, property func(*props.T)) Verdict {
	tb.Helper()
	return Exploration{}.Run(tb, property)
}

// An Exploration says how Explore goes through the orders. The zero value is
// what Explore uses.
type Exploration struct {
	// Reduction says which of the orders that do the same are left out; zero
	// is Optimal, which runs each distinct order once.
	Reduction Reduction
	// Sleep adds sleep sets to reductions that do not have them by nature:
	// fewer orders are run twice. Optimal and Source have them.
	Sleep bool
	// Ordering says which actor's messages are tried first. It decides how
	// soon a failure is found and, unless the reduction is Optimal, how much
	// is left out.
	Ordering Ordering

	// States compares the states that runs come to and does not go on from one
	// that was seen before. It needs another reduction than Optimal, and that
	// nothing but the actors remembers what happened: no Eventually, no
	// monitor, no history.
	States States
	// BigSteps compares states only where there is a choice.
	BigSteps bool

	// Delays and Preemptions bound how far an order may be from the plain one,
	// oldest message first, starting from 0 and raised to this number, so that
	// the first failure is the nearest. Negative means 0 only; zero is no
	// bound. They need the reduction Everything.
	Delays, Preemptions int
	// Depth is how many steps of a run are explored; zero is no bound.
	Depth int
	// Budget is how long the exploration may take, Runs how many runs, over all
	// inputs. If both are zero Budget is 10 seconds, and a tenth of that with
	// -short; else zero is no bound. JOSTLE_BUDGET overrides both.
	Budget time.Duration
	Runs   int
	// MustComplete fails the test when a bound was hit, whichever it is.
	MustComplete bool

	// KeepOn goes on after a failure and shows the first failure of each
	// signature; else the first failure ends the exploration.
	KeepOn bool
	// CountDistinct counts distinct orders also with reductions that run some
	// twice; it keeps a number for each in memory.
	CountDistinct bool

	// Inputs is how many inputs are drawn at random for each choice of OneOf's
	// values, if the property draws otherwise; zero means 10. Fewer are run
	// when there seem to be no more that differ.
	Inputs int
	// Seed is what random inputs follow from, and random branches; zero
	// means 1. JOSTLE_SEED overrides it.
	Seed uint64
	// RandomBranch goes on with any open branch instead of the deepest, which
	// shows all parts of the tree early and keeps them in memory. It needs
	// the reduction Everything.
	RandomBranch bool
	// Workers is how many goroutines run the property at the same time; zero
	// means one, because a property may touch what its test shares. Which
	// failure is shown does not depend on which of them is faster. State
	// comparison, random branches and File need one.
	Workers int
	// Folder is where cases are kept; empty means testdata/jostle beside the test.
	Folder string

	// Progress is where an exploration that takes more than seconds says how
	// many runs it has made, how fast it is, about how many there are and how
	// long they take: in a line that is written over if it is a terminal, else
	// in a line every five seconds. How many there are is said of a property
	// with one input only. Nil means standard error with go test -v, and
	// nowhere else; io.Discard is nowhere at all.
	Progress io.Writer
	// Estimate has Verdict.Estimate made for an exploration that is not
	// complete: by runs of its own, 100 at least for each input and then about
	// one for a hundred. They are not counted, and a failure that they meet is
	// one only when the exploration comes to it. Progress has it made too, after
	// the first second or, of several workers, before they begin. Without
	// either Verdict.Estimate is 0, even when a bound was hit.
	Estimate bool
	// File is where what is left of the exploration is kept when its budget is
	// used up, and every 30 seconds: the next time it goes on from there, and
	// its verdict counts on; unless a saved case fails before. It is removed at
	// the end. Remove it also when the program has changed. The property must
	// have one input, and there must be one worker, no state comparison, no
	// random branches and no bound on delays or preemptions.
	File string
}

// exploreBudget is how long an exploration without bounds takes at most: one
// that never ends would hang its test.
const exploreBudget = 10 * time.Second

// A Reduction says which of the orders that do the same are left out.
type Reduction = explore.Reduction

// The reductions, the best first.
const (
	// Optimal runs each distinct order once and no other.
	Optimal = explore.Optimal
	// Source runs each distinct order once; a run may be wasted on finding
	// that what is left of it was run before.
	Source = explore.SourceSets
	// Persistent, DCUTE and GoodSiblings are those of Basset and of Eta.
	Persistent   = explore.PersistentSets
	DCUTE        = explore.DCUTE
	GoodSiblings = explore.GoodSiblings
	// Everything leaves out nothing.
	Everything = explore.Everything
)

// An Ordering says which actor's messages come first where several could.
type Ordering = explore.Ordering

// The orderings of Basset: by the age of actors' messages, by when actors were
// created, by how many messages they have, by how many they send for each that
// they receive, and by whom they send to.
const (
	FIFO = explore.OrderFIFO // the oldest message first
	LIFO = explore.OrderLIFO // the youngest
	ECA  = explore.OrderECA  // the actor that was created earliest
	LCA  = explore.OrderLCA  // latest
	LDM  = explore.OrderLDM  // the fewest messages
	HDM  = explore.OrderHDM  // the most
	HMS  = explore.OrderHMS  // the most sent for each received
	SGR  = explore.OrderSGR  // senders before their receivers
)

// States is whether and how states are compared.
type States = explore.States

// The ways to compare states.
const (
	NoStates = explore.NoStates // not at all
	ByHash   = explore.ByHash   // equal hashes are equal states
	Checked  = explore.Checked  // fails when two states have one hash: it finds a Hash method that says too little
)

// Run explores a property, fails the test if it does not hold, and says how
// far it came.
func (e Exploration) Run(tb testing.TB, property func(*props.T)) Verdict {
	tb.Helper()
	s, err := e.settle()
	if err != nil {
		tb.Fatal(err)
	}
	x := newExploring(tb, e, s, property)
	defer x.close()
	switch {
	case s.replay != "":
		x.replayOne()
		return Verdict{Result: explore.Result{Bound: "replay"}}
	case !x.benchmark && !x.replaySaved():
		return Verdict{Result: explore.Result{Bound: "saved case"}}
	}
	x.explore()
	x.judge()
	return x.verdict
}

// settle fills in what is open.
func (e *Exploration) settle() (settings, error) {
	return Config{Budget: e.Budget, Runs: e.Runs, Seed: e.Seed, Workers: e.Workers, Folder: e.Folder}.settleFor(exploreBudget)
}

// reduces reports whether orders are left out that a look at several actors at
// once might tell apart.
func (e *Exploration) reduces() bool { return e.Reduction != Everything || e.Sleep }

// options are what is told to package explore, but for the bounds.
func (e *Exploration) options() explore.Options {
	m := explore.Method{Reduction: e.Reduction, Sleep: e.Sleep, Ordering: e.Ordering, RandomBranch: e.RandomBranch,
		States: e.States, BigSteps: e.BigSteps, DelayBound: e.Delays, PreemptionBound: e.Preemptions, Depth: e.Depth,
		CountDistinct: e.CountDistinct}
	return explore.Options{Method: m, KeepOn: e.KeepOn, Estimate: e.Estimate, File: e.File}
}
