package explore

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// An ending says how a run ended: by itself, or stopped by the search.
type ending uint8

const (
	endedItself ending = iota
	endedAsleep        // everything that could come next sleeps: it was run from another branch
	endedKnown         // its state was seen before
	endedDeep          // it has as many steps as Method.Depth allows
	endedOther         // it differs from an earlier run although the decisions are the same
)

var endingTexts = [...]string{
	endedItself: "explore: the run ended by itself",
	endedAsleep: "explore: everything that could come next was run from another branch",
	endedKnown:  "explore: the state was seen before",
	endedDeep:   "explore: the bound on the depth was reached",
	endedOther:  "explore: the program is nondeterministic: it behaved differently with the same decisions",
}

// A givenUp is an ending as an error. It allocates nothing: a search may give up as many
// runs as it makes.
type givenUp ending

// Error says why the run was given up.
func (g givenUp) Error() string { return endingTexts[g] }

// An outcome is the part of a search's strategy that says how the run ended.
type outcome struct {
	ending     ending
	difference string // what differed, if the ending is endedOther
	leftOut    bool   // a bound has left something out, in this run or before
}

// Err returns why the search gave the run up, nil if it did not.
func (o *outcome) Err() error {
	if o.ending == endedItself {
		return nil
	}
	return givenUp(o.ending)
}

// giveUp ends the run. Pick or Choose must return its result.
func (o *outcome) giveUp(e ending) int {
	o.ending = e
	return pulse.Quit
}

// differ ends a run that differs from an earlier one.
func (o *outcome) differ(difference string) int {
	o.difference = difference
	return o.giveUp(endedOther)
}

// repeats reports whether a finished run repeated its decisions. One that ended by itself
// must have passed all of them.
func (o *outcome) repeats(run *Run, passedAll bool) bool {
	if o.ending == endedItself && !passedAll {
		o.differ(endedEarly(run))
	}
	return o.ending != endedOther
}

// endedEarly describes a run that ended before all decisions to be repeated had come.
func endedEarly(run *Run) string {
	how := "with nothing left to deliver"
	if run.Failure != nil {
		how = "with: " + run.Failure.Text
	}
	if run.System == nil {
		return "the run had no system, " + how
	}
	return fmt.Sprintf("the run ended after %d steps, %s", run.System.Steps(), how)
}

// otherMessages describes a pick with other deliverable messages than before.
func otherMessages(e *pulse.Enabled) string {
	return fmt.Sprintf("after step %d %d messages could be delivered, the first of them %s", e.Step()-1, e.Len(), e.Label(0))
}

// otherQuestion describes a question that was not asked before, or not in this form.
func otherQuestion(k choice.Kind, n int) string {
	return fmt.Sprintf("a question (%v) of %d answers was asked that was not asked before", k, n)
}

// A needy is a search's strategy with its needs.
type needy struct {
	pulse.Judge
	needs pulse.Needs
}

// Needs returns what the search needs.
func (n needy) Needs() pulse.Needs { return n.needs }
