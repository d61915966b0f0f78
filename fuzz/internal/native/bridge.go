package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A bridge makes receive pairs visible to Go's fuzzing engine. The engine saves an input
// if it reaches a new basic block or reaches a block more often than before. But different
// orders of messages reach the same blocks. So the bridge maps each receive pair, by the
// identities of its two steps, to one of 4,096 slots. Each slot has its own basic block.
//
// A run reports all of its pairs, not only new pairs. Otherwise an input would reach fewer
// blocks when the engine runs it again.
//
// The bridge is a pulse.Observer that collects the pairs of each step. After the run, hit
// executes the block of each collected slot once.
type bridge struct {
	seen  [slots / wordBits]uint16
	steps [][]uint64 // has an element for each actor: the identities of its steps so far
}

const (
	slots    = 4096
	wordBits = 16 // the number of bits in an element of bridge.seen
)

func (b *bridge) begin() {
	clear(b.seen[:])
	for i := range b.steps {
		b.steps[i] = b.steps[i][:0]
	}
}

// mostBefore is the maximum number of earlier receives that a receive is paired with. It
// keeps the time of a run linear in its length.
const mostBefore = 64

// Stepped pairs a receive with earlier receives of the same actor.
func (b *bridge) Stepped(s *pulse.System, step int) {
	st := &s.Trace().Steps[step]
	if st.Kind != trace.Receive {
		return
	}
	for int(st.Actor) >= len(b.steps) {
		b.steps = append(b.steps, nil)
	}
	before := b.steps[st.Actor]
	for _, id := range before[max(0, len(before)-mostBefore):] {
		slot := hash.Fold(id, st.ID) % slots
		b.seen[slot/wordBits] |= 1 << (slot % wordBits)
	}
	b.steps[st.Actor] = append(before, st.ID)
}

// hit executes the block of each slot in b.seen.
func (b *bridge) hit() { hitAll[byte](b.seen[:]) }
