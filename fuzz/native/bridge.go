package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Bridge lets Go's fuzzing engine see receive orders. The engine keeps an
// input that reaches a basic block more often than any before; orders reach
// no block of their own. So each ordered pair of receives of a run is given
// one of 4,096 slots by its identity, and each slot is an empty case of a
// switch, which is a block that the engine counts. Every pair of the run is
// reported each time: were only new ones reported, an input that has many
// would look poorer when it is run again than one that has few.
//
// It is a pulse.Observer: the pairs are gathered step by step and each
// distinct slot is hit once, at the end.
type Bridge struct {
	seen  [slots / 64]uint64
	steps [][]uint64 // by actor, the identities of the steps so far
}

const slots = 4096

// Begin starts a run.
func (b *Bridge) Begin() {
	b.seen = [slots / 64]uint64{}
	for i := range b.steps {
		b.steps[i] = b.steps[i][:0]
	}
}

// mostBefore bounds how many earlier receives of an actor a receive is paired
// with, so that long runs stay linear.
const mostBefore = 64

// Stepped pairs a receive with those before it at its actor.
func (b *Bridge) Stepped(s *pulse.System, step int) {
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
		b.seen[slot/64] |= 1 << (slot % 64)
	}
	b.steps[st.Actor] = append(before, st.ID)
}

// Hit reaches the block of each slot that the run has.
func (b *Bridge) Hit() {
	for slot := range uint16(slots) {
		if b.seen[slot/64]&(1<<(slot%64)) != 0 {
			hitSlot(slot)
		}
	}
}
