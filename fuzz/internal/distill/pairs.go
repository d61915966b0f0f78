package distill

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Pair says that one step came before another at the same actor, by their identities.
type Pair struct{ First, Second uint64 }

// mostPairs limits the pairs of a run, which grow with the square of the receives of an
// actor. A run with more is not kept.
const mostPairs = 100_000

// PairsOf returns the receive pairs of a run, by criterion PR of package coverage. It
// returns none if there are more than 100,000, or if t is nil.
func PairsOf(t *trace.Trace) (list []Pair) {
	if t == nil {
		return nil
	}
	received := make([][]uint64, len(t.Actors))
	for i := range t.Steps {
		st := &t.Steps[i]
		if !coverage.Counts(t, i) {
			continue
		}
		before := received[st.Actor]
		if len(list)+len(before) > mostPairs {
			return nil
		}
		for _, id := range before {
			list = append(list, Pair{id, st.ID})
		}
		received[st.Actor] = append(before, st.ID)
	}
	return list
}
