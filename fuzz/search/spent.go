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
	if res.Watches && !isSequence(t) || !res.Watches && hasRace(t) {
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

// isSequence reports whether a run is known to have had only one way to go on at each step: the
// pending messages were of one channel, or there were none and one timer. Lost messages and
// stopped timers count until the end.
func isSequence(t *trace.Trace) bool {
	messages, timers, sent, channel := 0, 0, 0, int32(0)
	for i := range t.Steps {
		for ; sent < len(t.Sends) && int(t.Sends[sent].Step) < i; sent++ {
			d := &t.Sends[sent]
			switch {
			case d.Kind.IsTimer():
				timers++
				continue
			case messages == 0:
				channel = d.Channel
			case t.Unordered || d.Channel != channel:
				return false
			}
			messages++
		}
		switch by := t.Steps[i].Send; {
		case by == trace.None || timers > 1:
			return false
		case t.Sends[by].Kind.IsTimer():
			timers--
		default:
			messages--
		}
	}
	return true
}

// inputSeed returns the seed of a run's input. spent reports whether the previous run, if in
// the same batch, was spent.
func (s *sampler) inputSeed(index int, spent bool) uint64 {
	if spent && index%runsPerInput > 0 {
		return hash.Seed(s.Seed+5, uint64(index))
	}
	return hash.Seed(s.Seed, uint64(index/runsPerInput))
}
