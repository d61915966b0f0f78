package explore

import "time"

// A Result is what came of an exploration.
type Result struct {
	// Complete reports that every distinct order was run, or was found equal
	// to one that was.
	Complete bool
	// Reduction is the one that was used. It differs from the one that was
	// asked for when that does not fit the program: the package comment says
	// when. Sleep reports whether sleep sets were in use.
	Reduction Reduction
	Sleep     bool
	// Because is why the search went over from the reduction that was asked
	// for to Reduction, as a sentence that begins in lower case; "" when it did
	// not.
	Because string
	// Bound is the bound that was hit.
	Bound Bound
	// Distinct is how many distinct orders were run, -1 when that was not
	// counted. Two runs are of one distinct order when every actor has received
	// the same messages in the same order and every question of a step, such as
	// the program's Choose, was answered the same. When a
	// step came counts as well; where early passes of time are picked, only of a step
	// that has read the time. Sleep sets give the number themselves unless there are more
	// runs than distinct orders: because a fault may come at another place, or steps that
	// touch the same thing without a message in another order, such as two that stop one
	// timer, or the calls and returns of a history. Then only Method.CountDistinct
	// counts them.
	Distinct int
	// Runs is how many runs came to an end. Wasted is how many more were begun
	// and given up, because nothing that was left of them is a distinct order that
	// was not run: the package comment says when. With Optimal it is zero when no
	// process calls ReceiveMatch. Cut is how many were given up because of a bound
	// or a state that was seen before.
	Runs, Wasted, Cut int
	// Probes is how many runs were made beside, with random decisions, to look for
	// failures outside of the corner of the tree that comes first.
	// They count nowhere else: not in Runs, Distinct or Steps.
	Probes int `json:",omitempty"`
	// Steps is how many steps the tree of all runs has: what runs share at
	// their beginning is counted once.
	Steps int
	// States is how many states were seen, 0 when states were not compared.
	States int
	// Failures is how many runs failed, by signature; of a failure that only
	// probes have met, how many probes.
	Failures map[string]int
	// Nondeterminism is where the program went another way than before
	// although all decisions were the same; "" when it never did.
	Nondeterminism string
	// Clash shows two states that have one hash, where states are Checked; ""
	// when there are none.
	Clash string
	// Unread is the first part of a state that could not be read, where states
	// are compared, and what stood in for it; "" when all could be read. Where
	// it is set, Complete holds only if no actor writes variables that another
	// one or the property reads.
	Unread string
	// Levels is what each bound on delays or preemptions took, from 0 on.
	Levels []Level
	// Estimate is how many runs there are in all: Runs when the search is
	// complete; else an estimate if the options ask for one, and 0 when
	// nothing is known.
	Estimate float64
	// Elapsed is how long the search took.
	Elapsed time.Duration
}

// A Bound is what kept a search from running every order.
type Bound string

// The bounds.
const (
	NoBound          Bound = ""
	BoundRuns        Bound = "runs"        // Options.Runs
	BoundTime        Bound = "time"        // Options.Time
	BoundStop        Bound = "stop"        // Options.Stop
	BoundFailure     Bound = "failure"     // a run failed, without Options.KeepOn
	BoundDepth       Bound = "depth"       // Method.Depth
	BoundDelays      Bound = "delays"      // Method.DelayBound
	BoundPreemptions Bound = "preemptions" // Method.PreemptionBound
	BoundInputs      Bound = "inputs"      // some inputs are drawn at random
	BoundSaved       Bound = "saved case"  // one failed before the search
	BoundReplay      Bound = "replay"      // a case alone was asked for
)

// A Level is what the search with one bound on delays or preemptions came to.
type Level struct {
	Bound, Runs, Failed int
	Complete            bool
}

// made returns how many runs were made, given up ones and probes included.
func (r *Result) made() int { return r.Runs + r.Wasted + r.Cut + r.Probes }

// failed returns how many runs failed.
func (r *Result) failed() (n int) {
	for _, number := range r.Failures {
		n += number
	}
	return n
}

// add adds what another part of the tree came to. Distinct is not added up.
func (r *Result) add(part *Result) {
	r.Runs += part.Runs
	r.Wasted += part.Wasted
	r.Cut += part.Cut
	r.Probes += part.Probes
	r.Steps += part.Steps
	for signature, n := range part.Failures {
		r.Failures[signature] += n
	}
	if r.Bound == NoBound {
		r.Bound = part.Bound
	}
	if r.Nondeterminism == "" {
		r.Nondeterminism = part.Nondeterminism
	}
}
