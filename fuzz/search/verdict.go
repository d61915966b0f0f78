package search

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A Verdict is the result of an exploration, for all its inputs together.
//
// Complete and Estimate are about the inputs that were run. Distinct, Runs and Steps count
// only the enumerated orders. Probes counts probes, which are random runs that look for
// failures elsewhere in the tree. If a run that confirms a complete exploration fails (see
// Explore), Probes also counts the confirming runs. Reduction is the reduction used in the
// end. If the inputs used different reductions, it is the reduction of the last input whose
// search restarted with a different reduction. Wasted counts runs that were given up because
// they led to nothing new. It is zero if the reduction is Optimal and no process calls
// ReceiveMatch.
type Verdict struct {
	explore.Result
	// Inputs is the number of explored inputs; 1 for a property without draws.
	Inputs int
	// Sampled reports whether some draws were not OneOf draws, so that there may be
	// inputs that were not run.
	Sampled bool
	// Skipped is the number of runs that the property skipped. It includes inputs that
	// the property skipped and inputs with a draw that found no value.
	Skipped int
	// Watched reports whether a reduction has pruned orders although the property has
	// Always, Eventually, a monitor, an observer, the isolation check or a reader of
	// the trace. In a pruned order one of these observers might have seen something
	// different.
	Watched bool
	// Unreached lists the situations of Sometimes that no run reached, if Watched is
	// set: a pruned order may reach such a situation.
	Unreached []string

	crowded bool  // set if the calls to T.Sometimes used too many names: see isCrowded
	looked  bool  // set if props.Result.Looks was set for some run
	refuted doubt // the reason why a confirming run failed; noDoubt if none failed
	assumes bool  // set if Complete assumes that actors share nothing but messages
	timed   bool  // set if the program sets timers
	early   int   // the maximum number of early timers in a run

	existing bool // see Property.Existing

	asked explore.Method // the requested method
	known float64        // a lower bound on the number of all runs, from the estimates so far
	more  bool           // set if there may be further inputs, which Estimate does not include
}

// String describes v in one line, such as
//
//	complete: 24 distinct orders in 24 runs, 165 steps, 0.2ms
//	NOT complete (runs): 100 distinct orders in 100 runs, 812 steps, 0.9ms
//	NOT complete (time): 12,400 distinct orders in 12,400 runs of about 81,000, 98,712 steps, 10s
//
// The total number of runs is an estimate. After a hundredth of the runs, nine of ten
// estimates are within a factor of 2.
func (v Verdict) String() string {
	var b strings.Builder
	b.WriteString(v.head())
	switch {
	case v.Distinct < 0:
		fmt.Fprintf(&b, ": %s", words.Count(v.Runs, "run"))
	default:
		fmt.Fprintf(&b, ": %s in %s", words.Count(v.Distinct, "distinct order"), words.Count(v.Runs, "run"))
	}
	b.WriteString(v.whole())
	beside := "more at random"
	if v.refuted != noDoubt {
		beside = "to confirm it"
	}
	for _, part := range []struct {
		n    int
		text string
	}{{v.Wasted, "wasted"}, {v.Cut, "cut short"}, {v.Probes, beside}, {v.Skipped, "skipped"}} {
		if part.n > 0 {
			fmt.Fprintf(&b, ", %s %s", words.Grouped(part.n), part.text)
		}
	}
	fmt.Fprintf(&b, ", %s", words.Count(v.Steps, "step"))
	if v.States > 0 {
		fmt.Fprintf(&b, ", %s", words.Count(v.States, "state"))
	}
	fmt.Fprintf(&b, ", %s", words.Elapsed(v.Elapsed))
	if v.assumes {
		b.WriteString(", if " + nothingButMessages)
	}
	b.WriteString(v.timers())
	b.WriteString(v.failures())
	b.WriteString(v.handedOver())
	if v.Unread != "" {
		fmt.Fprintf(&b, "; states were compared without a part that cannot be read: %s", v.Unread)
	}
	switch {
	case v.looked:
		b.WriteString("; Always, Eventually, monitors, observers, the isolation check and readers of the trace saw " +
			"only the orders that were run: the states between the steps of other orders may differ")
	case v.Watched:
		b.WriteString("; Always, Eventually and monitors saw " +
			"only the orders that were run: the states between the steps of other orders may differ")
	}
	for i, name := range v.Unreached {
		if i == mostMissed {
			fmt.Fprintf(&b, "; %s more reached in no run", words.Count(len(v.Unreached)-i, "situation"))
			break
		}
		fmt.Fprintf(&b, "; sometimes %q: reached in no run", name)
	}
	if v.crowded {
		b.WriteString("; " + manySituations)
	}
	return b.String()
}

// timers says whether timers could fire early, and which setting decides that. It returns
// "" if the program sets no timers or a run failed.
func (v Verdict) timers() string {
	setting := "pulse.Options.EarlyTimers"
	if v.existing {
		setting = "jostle test -early"
	}
	switch {
	case !v.timed || v.Failing() > 0:
		return ""
	case v.early == math.MaxInt:
		return fmt.Sprintf(", with any number of early timers (%s)", setting)
	case v.early > 0:
		return fmt.Sprintf(", with at most %s in a run (%s)", words.Count(v.early, "early timer"), setting)
	}
	return fmt.Sprintf(", without early timers (%s allows them)", setting)
}

// whole returns the estimated number of all runs, such as " of about 81,000". It returns ""
// if that number is unknown or not larger than Runs. If a bound was raised, the estimate
// would be for the last bound only, so whole returns "" too.
func (v Verdict) whole() string {
	if v.Complete || v.refuted != noDoubt || v.Nondeterminism != "" || v.Clash != "" || len(v.Levels) > 0 || v.Estimate <= float64(v.Runs) {
		return ""
	}
	of := ""
	switch {
	case v.more && v.Inputs == 1:
		of = " for this input"
	case v.more:
		of = " for these inputs"
	}
	return " of " + v.estimated() + of
}

// estimated returns the estimated number of all runs in words. All messages use it, so that
// they agree.
func (v *Verdict) estimated() string {
	text := words.Roughly(v.Estimate, v.Runs)
	if words.IsVast(v.Estimate) {
		return text
	}
	return "about " + text
}

// head says whether the exploration is complete, why it is not, and for how many inputs.
func (v Verdict) head() string {
	inputs := ""
	switch {
	case v.Sampled:
		inputs = fmt.Sprintf(" for %s, drawn at random", words.Count(v.Inputs, "input"))
	case v.Complete && v.Inputs > 1:
		inputs = fmt.Sprintf(" for all %d inputs", v.Inputs)
	case v.Inputs > 1:
		inputs = fmt.Sprintf(" after %d inputs", v.Inputs)
	}
	if v.Complete {
		return "complete" + inputs
	}
	return "NOT complete (" + v.why() + ")" + inputs
}

func (v Verdict) why() string {
	switch {
	case v.Nondeterminism != "":
		return "the program does not repeat itself"
	case v.Clash != "":
		return "two states have one hash"
	case v.refuted == outlives:
		return "an order that passed fails in a rerun"
	case v.refuted != noDoubt:
		return "an order that was left out fails"
	case v.Bound == explore.BoundFailure:
		return "stopped at the first failure"
	case v.Bound == explore.NoBound:
		return "nothing to run"
	}
	return string(v.Bound)
}

// handedOver says that the search restarted, mostly with a different reduction, and why. It
// returns "" if the search did not restart.
func (v Verdict) handedOver() string {
	if v.Because == "" {
		return ""
	}
	from, to := reduction(v.asked.Reduction, v.asked.Sleep), reduction(v.Reduction, v.Sleep)
	if from == to {
		return "; restarted, because " + v.Because
	}
	return fmt.Sprintf("; restarted with the reduction %s instead of %s, because %s", to, from, v.Because)
}

// reduction returns the name of a reduction for the text of a Verdict. If the reduction is
// Everything, the name says whether sleep sets were used.
func reduction(r explore.Reduction, sleep bool) string {
	if r == explore.Everything && sleep {
		return r.String() + " with sleep sets"
	}
	return r.String()
}

func (v Verdict) failures() string {
	n := v.Failing()
	switch {
	case n == 0:
		return ""
	case len(v.Failures) == 1:
		return fmt.Sprintf("; %s failed", words.Count(n, "run"))
	}
	return fmt.Sprintf("; %s failed, in %d ways", words.Count(n, "run"), len(v.Failures))
}

// Failing returns the number of failing runs. If no order ran twice, that is the number
// of failing orders.
func (v Verdict) Failing() (n int) {
	for _, count := range v.Failures {
		n += count
	}
	return n
}

func (v *Verdict) add(o *explore.Result) {
	if o.Because != "" || v.Inputs == 0 { // report the reduction of the last input whose search restarted
		v.Reduction, v.Sleep, v.Because = o.Reduction, o.Sleep, o.Because
	}
	v.Inputs++
	v.Runs += o.Runs
	v.Wasted += o.Wasted
	v.Cut += o.Cut
	v.Probes += o.Probes
	v.Steps += o.Steps
	v.States += o.States
	if o.Distinct < 0 || v.Distinct < 0 {
		v.Distinct = -1
	} else {
		v.Distinct += o.Distinct
	}
	v.Elapsed += o.Elapsed
	v.addEstimate(o)
	for signature, n := range o.Failures {
		v.Failures[signature] += n
	}
	if v.Bound == explore.NoBound {
		v.Bound = o.Bound
	}
	if v.Unread == "" {
		v.Unread = o.Unread
	}
	v.Nondeterminism, v.Clash = cmp.Or(v.Nondeterminism, o.Nondeterminism), cmp.Or(v.Clash, o.Clash) // a text here ends the exploration
	v.addLevels(o.Levels)
}

// Progress returns v as the final progress report.
func (v *Verdict) Progress() explore.Progress {
	p := explore.Progress{Elapsed: v.Elapsed, Done: true}
	v.addTo(&p)
	return p
}

// addTo adds v's counts to the progress p.
func (v *Verdict) addTo(p *explore.Progress) {
	p.Runs += v.Runs
	p.Wasted += v.Wasted + v.Cut
	p.Probes += v.Probes
	p.Failures += v.Failing()
	if s := p.Elapsed.Seconds(); s > 0 {
		p.Rate = float64(p.Runs+p.Wasted+p.Probes) / s
	}
}

// addEstimate adds the estimated number of runs of one more input. If the number of any
// input is unknown, the total is unknown.
func (v *Verdict) addEstimate(o *explore.Result) {
	v.known += max(o.Estimate, float64(o.Runs))
	if o.Estimate == 0 || v.Estimate == 0 && v.Inputs > 1 {
		v.Estimate = 0
		return
	}
	v.Estimate += o.Estimate
}

// addLevels adds the levels (results for each bound on delays or preemptions) of one more
// input. An input with fewer levels than another is complete at its last level, and
// therefore at all higher levels.
func (v *Verdict) addLevels(levels []explore.Level) {
	for i, l := range levels {
		if i == len(v.Levels) {
			v.Levels = append(v.Levels, l)
			continue
		}
		v.Levels[i].Runs += l.Runs
		v.Levels[i].Failed += l.Failed
		v.Levels[i].Complete = v.Levels[i].Complete && l.Complete
	}
}

// reduced reports whether the exploration may have pruned equivalent orders.
func (v *Verdict) reduced() bool {
	return v.Reduction != explore.Everything || v.Sleep || v.asked.States != explore.NoStates
}

// leftOut reports whether a reduction may have left out orders, and no bound may have.
func (v *Verdict) leftOut() bool {
	m := &v.asked
	return v.reduced() && m.DelayBound == 0 && m.PreemptionBound == 0 && m.Depth == 0 && !m.DepthFirst
}
