package distill

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Pair is a receive pair: step First came before step Second at the same actor. First
// and Second are the identities of the steps.
type Pair struct{ First, Second uint64 }

// mostPairs limits the pairs of a run. Their number grows with the square of the number
// of receives of an actor. A run with more pairs is not saved.
const mostPairs = 100_000

// PairsOf returns the receive pairs of a run, as in criterion PR of package coverage. It
// returns nil if there are more than 100,000 pairs, or if t is nil.
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
