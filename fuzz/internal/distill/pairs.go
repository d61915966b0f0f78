package distill

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Pair is a receive pair: step First came before step Second at the same actor, or they are
// operations of two goroutines on one object. First and Second are the identities of the steps.
type Pair struct{ First, Second uint64 }

// mostPairs limits the pairs of a run, including pairs of operations of one goroutine. Their
// number grows with the square of the number of receives of an actor. A run with more pairs is
// not saved.
const mostPairs = 100_000

// PairsOf returns the receive pairs of a run, as in criterion PR of package coverage. It
// returns nil if there are too many (see mostPairs), or if t is nil.
func PairsOf(t *trace.Trace) []Pair {
	if t == nil {
		return nil
	}
	r := reading{steps: t.Steps, received: map[int32][]int32{}}
	for i := range t.Steps {
		if coverage.Counts(t, i) && !r.add(t.Steps[i].Actor, int32(i)) {
			return nil
		}
	}
	for _, x := range t.Touches {
		if coverage.Operates(t, x) && !r.add(^x.Actor, x.Step) {
			return nil
		}
	}
	return r.pairs
}

// A reading is the state of PairsOf.
type reading struct {
	steps    []trace.Step
	received map[int32][]int32 // the steps so far, by actor; for object n the key is ^n, which is negative
	pairs    []Pair
	all      int // the number of pairs so far, including pairs of operations of one goroutine
}

// add adds the pairs of a step with the earlier steps at an actor or object, except for pairs of
// operations of one goroutine. It returns false if there are too many.
func (r *reading) add(at, step int32) bool {
	before, st := r.received[at], &r.steps[step]
	if r.all += len(before); r.all > mostPairs {
		return false
	}
	for _, i := range before {
		if earlier := &r.steps[i]; at >= 0 || earlier.Actor != st.Actor {
			r.pairs = append(r.pairs, Pair{earlier.ID, st.ID})
		}
	}
	r.received[at] = append(before, step)
	return true
}
