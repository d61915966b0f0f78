package search

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostLooked bounds the steps of the runs that isSpent looks at: what takes more of them
// hardly ever has one order.
const mostLooked = 64

// isSpent reports whether a run is known to have shown all that its input can: nothing asked
// what to do in it, and no two messages could have been received the other way round, or, if
// the property watches steps of several actors, none could have been received but those that
// were. A further run of the input would be the same, as it is where a run was skipped before
// it made a system.
func isSpent(res *props.Result) bool {
	if res.System == nil {
		return true
	}
	if res.System.Steps() > mostLooked {
		return false
	}
	// The record comes last: most runs have two messages that race among their first.
	t := res.System.Trace()
	if res.Watches && !isSequence(t) || !res.Watches && hasRace(t) {
		return false
	}
	return len(res.System.Record().Choices) == 0
}

// hasRace reports whether two receives of one actor could have come the other way round.
func hasRace(t *trace.Trace) bool {
	for i := range t.Steps {
		if t.Swappable(int(t.Steps[i].Prev), i) {
			return true
		}
	}
	return false
}

// isSequence reports whether a run is known to have gone on in the only way each time: the
// messages on their way were of one channel then, or there was none and one timer. A message
// that is lost, and a timer that is taken back, count until the end.
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

// inputSeed returns what the input of a run follows from. Spent says whether the run before
// it, if it was one of the same batch, was.
func (s *sampler) inputSeed(index int, spent bool) uint64 {
	if spent && index%runsPerInput > 0 {
		return hash.Seed(s.Seed+5, uint64(index))
	}
	return hash.Seed(s.Seed, uint64(index/runsPerInput))
}
