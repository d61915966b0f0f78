package search

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostLooked bounds the steps of the runs that isSpent inspects: longer runs hardly ever have
// only one order.
const mostLooked = 64

// isSpent reports whether a run is known to have shown all that its input can: it asked no
// question, and no two messages could have been received in reverse order. If the property
// watches steps of several actors, no other message could have been received at any step. A
// further run of the input would be the same. So it would be if a run was skipped before it
// made a system.
func isSpent(res *props.Result) bool {
	if res.System == nil {
		return true
	}
	if res.System.Steps() > mostLooked {
		return false
	}
	// The record comes last: most runs have a race between two early messages.
	t := res.System.Trace()
	if res.Watches && !t.Sequential() || !res.Watches && hasRace(t) {
		return false
	}
	return len(res.System.Record().Choices) == 0
}

// hasRace reports whether two receives of one actor could have come in reverse order.
func hasRace(t *trace.Trace) bool {
	for i := range t.Steps {
		if t.Swappable(int(t.Steps[i].Prev), i) {
			return true
		}
	}
	return false
}

// inputSeed returns the seed of a run's input. spent reports whether the previous run, if in
// the same batch, was spent.
func (s *sampler) inputSeed(index int, spent bool) uint64 {
	if spent && index%runsPerInput > 0 {
		return hash.Seed(s.Seed+5, uint64(index))
	}
	return hash.Seed(s.Seed, uint64(index/runsPerInput))
}
