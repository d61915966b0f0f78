package explore

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// An ending says whether a run ended by itself, or why the search stopped it.
type ending uint8

const (
	endedItself ending = iota
	endedAsleep        // no continuation is a new distinct order: every possible next event was run from another branch, or cannot occur
	endedKnown         // the state of the run was seen before
	endedDeep          // the run has as many steps as Method.Depth allows
	endedLate          // the search must stop, so the run does not count
	endedOther         // the run differs from an earlier run although the decisions are the same
)

var endingTexts = [...]string{
	endedItself: "explore: the run ended by itself",
	endedAsleep: "explore: every possible next event was run from another branch",
	endedKnown:  "explore: the state was seen before",
	endedDeep:   "explore: the bound on the depth was reached",
	endedLate:   "explore: the search was stopped",
	endedOther:  "explore: the program is nondeterministic: it behaved differently with the same decisions",
}

// A givenUp is an error that says why the search stopped a run. It allocates nothing,
// because a search may stop many runs.
type givenUp ending

// Error returns why the search stopped the run.
func (g givenUp) Error() string { return endingTexts[g] }

// An outcome records how a run ended. Each strategy of a search embeds an outcome.
type outcome struct {
	ending     ending
	difference string // how the run differs from the earlier run, if the ending is endedOther
	leftOut    bool   // set if a bound has excluded some orders, in this run or an earlier run
	// limits may stop the search within a run; nil while a run is repeated, because then
	// the run must be complete.
	limits *limits
}

// isLate reports whether the search must stop within the run. Each Pick calls it.
func (o *outcome) isLate() bool { return o.limits != nil && o.limits.endsRun() }

// Err returns why the search stopped the run, nil if the run ended by itself.
func (o *outcome) Err() error {
	if o.ending == endedItself {
		return nil
	}
	return givenUp(o.ending)
}

// giveUp stops the run for the given reason. The strategy must return the result of
// giveUp from Pick or Choose.
func (o *outcome) giveUp(e ending) int {
	o.ending = e
	return pulse.Quit
}

// differ stops a run because it differs from an earlier run. The strategy must return the
// result of differ from Pick or Choose.
func (o *outcome) differ(difference string) int {
	o.difference = difference
	return o.giveUp(endedOther)
}

// repeats reports whether a finished run repeated the decisions of an earlier run. The
// argument passedAll says whether the run made all these decisions. A run that the search
// stopped need not have made them all.
func (o *outcome) repeats(run *Run, passedAll bool) bool {
	if o.ending == endedItself && !passedAll {
		o.differ(endedEarly(run))
	}
	return o.ending != endedOther
}

// endedEarly returns the text for Result.Nondeterminism when a run ended before it had
// repeated all decisions of an earlier run.
func endedEarly(run *Run) string {
	how := "with nothing left to deliver"
	if run.Failure != nil {
		how = "with: " + run.Failure.Text
	}
	if run.System == nil {
		return "the run had no system, " + how
	}
	return fmt.Sprintf("the run ended after %d steps, %s, and the earlier run continued", run.System.Steps(), how)
}

// otherMessages returns the text for Result.Nondeterminism when the deliverable messages
// differ from those of the earlier run.
func otherMessages(e *pulse.Enabled) string {
	return fmt.Sprintf("before step %d, the deliverable messages differ from the earlier run (now %d, the first one %s)", e.Step(), e.Len(), e.Label(0))
}

// otherQuestion returns the text for Result.Nondeterminism when a run asks for a choice
// that the earlier run did not ask for, or asked for with a different number of
// alternatives.
func otherQuestion(k choice.Kind, n int) string {
	return fmt.Sprintf("the run asked for a choice (%v with %d alternatives) that the earlier run did not ask for", k, n)
}

// A needy is a strategy whose method Needs returns the field needs.
type needy struct {
	pulse.Judge
	needs pulse.Needs
}

// Needs returns n.needs.
func (n needy) Needs() pulse.Needs { return n.needs }
