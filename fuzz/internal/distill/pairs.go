package distill

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Pair is a receive pair: step First came before step Second at the same actor, or they are
// operations of two goroutines on one object. First and Second are the identities of the steps.
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
	received := map[place][]int32{}
	for i := range t.Steps {
		if coverage.Counts(t, i) {
			list = appendPairs(list, t, received, place{number: t.Steps[i].Actor}, int32(i))
		}
	}
	for _, x := range t.Touches {
		if coverage.Operates(t, x) {
			list = appendPairs(list, t, received, place{true, x.Actor}, x.Step)
		}
	}
	if len(list) > mostPairs {
		return nil
	}
	return list
}

// A place is an actor or an object, by its number in the trace.
type place struct {
	object bool
	number int32
}

// appendPairs appends the pairs of a step with the earlier steps at a place, and adds the
// step to these. Two operations of one goroutine are no pair.
func appendPairs(list []Pair, t *trace.Trace, received map[place][]int32, at place, step int32) []Pair {
	st := &t.Steps[step]
	for _, i := range received[at] {
		if earlier := &t.Steps[i]; len(list) <= mostPairs && !(at.object && earlier.Actor == st.Actor) {
			list = append(list, Pair{earlier.ID, st.ID})
		}
	}
	received[at] = append(received[at], step)
	return list
}
