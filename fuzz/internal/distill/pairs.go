package distill

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Pair says that one step came before another at the same actor in some run, by
// their identities.
type Pair struct{ First, Second uint64 }

// mostPairs bounds the pairs of a run, which are as many as half the square of the
// receives of an actor: a run with more is not kept.
const mostPairs = 100_000

// PairsOf returns the pairs of a run, as package coverage counts them by PR; none if there are
// more than 100,000, or no trace.
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
