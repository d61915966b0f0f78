package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A bridge shows receive pairs to Go's fuzzing engine. The engine keeps an input that
// reaches a basic block more often than any input before, but an order of messages
// reaches no block of its own. So the bridge maps each receive pair, by its identities,
// to one of 4,096 slots. Each slot has a block that the engine counts.
//
// A run reports all of its pairs, not only new ones. Otherwise an input with many pairs
// would look poorer when the engine runs it again.
//
// The bridge is a pulse.Observer that collects the pairs of each step. At the end hit
// reaches the block of each slot once.
type bridge struct {
	seen  [slots / wordBits]uint16
	steps [][]uint64 // by actor: the identities of the steps so far
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

// mostBefore limits the earlier receives that a receive is paired with. It keeps the time
// of a run linear in its length.
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

// hit reaches the block of each slot of the run.
func (b *bridge) hit() { hitAll[byte](b.seen[:]) }
