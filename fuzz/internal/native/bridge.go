package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A bridge shows receive orders to Go's fuzzing engine. The engine keeps an
// input that reaches a basic block more often than any input before, but an
// order of messages reaches no block of its own. So the bridge maps each ordered
// pair of receives, by its identity, to one of 4,096 slots, and each slot has a
// block that the engine counts.
//
// A run reports all of its pairs, not only those that are new. Otherwise an
// input with many pairs would look poorer when the engine runs it again.
//
// It is a pulse.Observer: it gathers the pairs step by step, and hit
// reaches the block of each slot once.
type bridge struct {
	seen  [slots / wordBits]uint16
	steps [][]uint64 // by actor, the identities of the steps so far
}

const (
	slots    = 4096
	wordBits = 16 // of hitWord
)

// begin starts a run.
func (b *bridge) begin() {
	clear(b.seen[:])
	for i := range b.steps {
		b.steps[i] = b.steps[i][:0]
	}
}

// mostBefore is how many of its actor's earlier receives a receive is paired
// with: the time for a run then grows with its length, not with the square.
const mostBefore = 64

// Stepped pairs a receive with those before it at its actor.
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

// hit reaches the block of each slot that the run has.
func (b *bridge) hit() { hitAll[byte](b.seen[:]) }
