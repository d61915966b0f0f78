package explore

import "time"

// A Result is the outcome of an exploration.
type Result struct {
	// Complete reports whether nothing is left to run: every distinct order was run
	// or, with state comparison, every reachable state was seen.
	Complete bool
	// Reduction is the reduction used in the end. It differs from Method.Reduction
	// if the requested reduction does not support the program: see the package
	// comment.
	Reduction Reduction
	// Sleep reports whether sleep sets were used.
	Sleep bool
	// Because says why the search restarted with Reduction, as a clause in lower
	// case; "" if the search did not restart.
	Because string
	// Bound is the bound that ended the search.
	Bound Bound
	// Distinct is the number of distinct orders that were run, -1 if unknown. Two
	// runs have the same distinct order if every actor received the same messages in
	// the same order at the same times, and all decisions within steps, such as
	// Choose, were the same. If the search chooses early clock ticks, only the times
	// of steps that read the time count.
	//
	// With sleep sets the number of runs is the number of distinct orders, with two
	// exceptions. In two runs of one distinct order, a fault may occur at different
	// points, or steps that conflict without a message, such as two that stop one
	// timer, may come in different orders. In these cases Distinct is known only if
	// Method.CountDistinct is set.
	Distinct int
	// Runs is the number of runs that ended without being stopped by the search.
	Runs int
	// Wasted is the number of additional runs that the search stopped because no
	// continuation was a new distinct order. It is zero with Optimal if no process calls
	// ReceiveMatch.
	Wasted int
	// Cut is the number of additional runs that the search stopped because of a bound or a
	// known state.
	Cut int
	// Probes is the number of additional runs with random decisions, which look for
	// failures in the whole tree. Runs, Distinct and Steps do not include them.
	Probes int `json:",omitempty"`
	// Steps is the number of steps in the tree of all runs: a common prefix of
	// several runs counts once.
	Steps int
	// States is the number of different states that were seen, 0 if states were not
	// compared.
	States int
	// Failures is the number of failed runs, by failure signature. Failed probes
	// count only for signatures that no other run has.
	Failures map[string]int
	// Nondeterminism describes where the program behaved differently although all
	// decisions were the same; "" if no such difference was found.
	Nondeterminism string
	// Clash describes two different states with equal hashes; "" if none were found
	// or the states are not Checked.
	Clash string
	// Unread names the first part of a compared state that could not be read, and
	// says what was compared instead; "" if everything could be read. If Unread is
	// set, Complete is reliable only if no actor writes variables that another actor
	// or the property reads.
	Unread string
	// Levels holds the result for each bound on delays or preemptions, from 0.
	Levels []Level
	// Estimate is the number of runs of the whole search. Estimate equals Runs if
	// the search is complete. Otherwise it is an estimated number, or 0 if the
	// options ask for no estimate or none is possible.
	Estimate float64
	// Elapsed is the duration of the search.
	Elapsed time.Duration
}

// A Bound says why a search did not run every order.
type Bound string

// The bounds.
const (
	NoBound          Bound = ""
	BoundRuns        Bound = "runs"        // Options.Runs
	BoundTime        Bound = "time"        // Options.Time
	BoundStop        Bound = "stop"        // Options.Stop
	BoundFailure     Bound = "failure"     // a run failed, and Options.KeepOn is not set
	BoundDepth       Bound = "depth"       // Method.Depth
	BoundDelays      Bound = "delays"      // Method.DelayBound
	BoundPreemptions Bound = "preemptions" // Method.PreemptionBound
	BoundInputs      Bound = "inputs"      // some inputs of the property were drawn at random, so others were not tried
	BoundSaved       Bound = "saved case"  // a saved case failed before the search
	BoundReplay      Bound = "replay"      // only the replay of a case was requested
)

// A Level is the result of the search with one bound on delays or preemptions.
type Level struct {
	Bound, Runs, Failed int
	Complete            bool
}

// made returns the number of all runs, including wasted runs, cut runs and probes.
func (r *Result) made() int { return r.Runs + r.Wasted + r.Cut + r.Probes }

// failed returns the number of failed runs.
func (r *Result) failed() (n int) {
	for _, number := range r.Failures {
		n += number
	}
	return n
}

// add adds the result of another part of the tree to r. It leaves Distinct unchanged.
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
