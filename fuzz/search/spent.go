package search

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
)

// mostLooked bounds the steps of the runs that isSpent looks at: what takes more of them
// hardly ever has one order.
const mostLooked = 64

// isSpent reports whether a run is known to have shown all that its input can: nothing asked
// what to do in it, no two messages could have been received the other way round, and the
// property sees no more of a run than its actors do. A further run of the input would be the
// same to all of them, as it is where a run was skipped before it made a system.
func isSpent(res *props.Result) bool {
	if res.System == nil {
		return true
	}
	if res.Watches || res.System.Steps() > mostLooked || len(res.System.Record().Choices) > 0 {
		return false
	}
	t := res.System.Trace()
	for i := range t.Steps {
		if before := int(t.Steps[i].Prev); before >= 0 && t.Swappable(before, i) {
			return false
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
