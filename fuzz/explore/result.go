package explore

import "time"

// A Result is the outcome of an exploration.
type Result struct {
	// Complete reports whether every distinct order was run, or found equal to
	// one that was.
	Complete bool
	// Reduction is the reduction used in the end. It differs from the requested
	// one if that does not support the program; see the package comment. Sleep
	// reports whether sleep sets were in use.
	Reduction Reduction
	Sleep     bool
	// Because is why the search restarted with Reduction, as a clause in lower
	// case; "" if it did not restart.
	Because string
	// Bound is the bound that ended the search.
	Bound Bound
	// Distinct is how many distinct orders were run, -1 if unknown. Two runs
	// are of one distinct order if every actor received the same messages in
	// the same order, and all decisions within steps, such as Choose, were the
	// same. The time of a step counts too; if the search picks
	// early clock ticks, only the time of steps that read it.
	//
	// With sleep sets the number of runs is the number of distinct orders, with
	// two exceptions. A fault may come at another point. Steps that conflict without
	// a message, such as two that stop one timer, may come in another order. Then only Method.CountDistinct counts distinct
	// orders.
	Distinct int
	// Runs is how many runs ended by themselves. Wasted is how many more the
	// search gave up because no continuation was a new distinct order; it is
	// zero with Optimal if no process calls ReceiveMatch. Cut is how many the
	// search gave up because of a bound or a known state.
	Runs, Wasted, Cut int
	// Probes is how many additional runs with random decisions looked for
	// failures outside of the first corner of the tree. They count nowhere
	// else: not in Runs, Distinct or Steps.
	Probes int `json:",omitempty"`
	// Steps is how many steps the tree of all runs has: a common prefix of
	// several runs counts once.
	Steps int
	// States is how many states were seen, 0 if states were not compared.
	States int
	// Failures is how many runs failed, by signature. For a failure that only
	// probes met, it is how many probes failed.
	Failures map[string]int
	// Nondeterminism is where the program behaved differently although all
	// decisions were the same; "" if it never did.
	Nondeterminism string
	// Clash shows two different states with equal hashes; "" if there are none
	// or states are not Checked.
	Clash string
	// Unread is the first part of a compared state that could not be read, and
	// what replaced it; "" if all could be read. If it is set, Complete holds
	// only if no actor writes variables that another actor or the property
	// reads.
	Unread string
	// Levels holds the result for each bound on delays or preemptions, from 0.
	Levels []Level
	// Estimate is how many runs the whole search has: Runs if it is complete,
	// otherwise an estimate if the options ask for one, and 0 if unknown.
	Estimate float64
	// Elapsed is how long the search took.
	Elapsed time.Duration
}

// A Bound is the reason why a search did not run every order.
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
	BoundSaved       Bound = "saved case"  // a saved case failed before the search
	BoundReplay      Bound = "replay"      // only the replay of a case was requested
)

// A Level is the result of the search with one bound on delays or preemptions.
type Level struct {
	Bound, Runs, Failed int
	Complete            bool
}

// made returns how many runs were made, including wasted and cut runs and probes.
func (r *Result) made() int { return r.Runs + r.Wasted + r.Cut + r.Probes }

// failed returns how many runs failed.
func (r *Result) failed() (n int) {
	for _, number := range r.Failures {
		n += number
	}
	return n
}

// add adds the result of another part of the tree. It does not add up Distinct.
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
