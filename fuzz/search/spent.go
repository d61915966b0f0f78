package search

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// isSpent inspects only runs with at most mostLooked steps. Longer runs hardly ever have
// only one order.
const mostLooked = 64

// isSpent reports whether a run is known to have shown all that its input can show, because every
// other run with the input would be the same. This holds if the run made no system. It also holds
// if the run made no choice, and no two messages could have been received in reverse order. If the
// property observes steps of several actors, a further condition is that only one message was
// deliverable at each step.
func isSpent(res *props.Result) bool {
	if res.System == nil {
		return true
	}
	if res.System.Steps() > mostLooked {
		return false
	}
	// Choices are checked last, because most runs have a race between two early
	// messages, which the check for races finds quickly.
	t := res.System.Trace()
	if res.Watches && !t.Sequential() || !res.Watches && hasRace(t) {
		return false
	}
	return len(res.System.Record().Choices) == 0
}

// hasRace reports whether two consecutive receives of an actor could have come in reverse
// order.
func hasRace(t *trace.Trace) bool {
	for i := range t.Steps {
		if t.Swappable(int(t.Steps[i].Prev), i) {
			return true
		}
	}
	return false
}
