package native

import (
	"math"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/trace"
)

// prioritiesOf returns those with which Play takes the steps of a run
// again: a byte for each message that was sent.
//
// A message is given the highest that it can have: the lowest of those that
// were on their way with it and received before it, less one if it is older
// than that, because then it must be outranked. So a run in plain order has
// 255 throughout, and only overtaking uses priorities up. The order is the
// same for every run of at most 255 steps, and for every longer one in which
// no chain of messages, each overtaken by the one before, has more than 255
// overtakings. In others it is the same up to where the priorities are used
// up: what would need a lower one than zero has zero, and comes in plain order.
//
// What it cannot keep: that all messages were held back until a timer fired.
func prioritiesOf(t *trace.Trace) []byte {
	d := newDepths(t)
	list := make([]byte, len(t.Sends))
	for i := range t.Steps {
		st := &t.Steps[i]
		if st.Kind != trace.Receive {
			continue
		}
		depth := d.of(st.Send)
		list[st.Send] = priorityOf(depth)
		d.received(st.Send, i, depth)
	}
	for i := range t.Sends {
		if t.Sends[i].Receipt == trace.None {
			list[i] = priorityOf(d.of(int32(i)))
		}
	}
	return list
}

func priorityOf(depth int32) byte { return byte(math.MaxUint8 - min(depth, math.MaxUint8)) }

// depths says for each message by how much it must be below the highest
// priority, as far as the steps looked at so far show.
//
// Messages are known by their Seq, the order in which they arrived. Those on
// their way when one is received are those with Seq up to a last: the older of
// them must have a depth greater than its, the others one as great. That is
// two ranges of Seq, whose depths are raised together in a tree; a message's
// depth is the greatest on its way to the root. Ranges also raise what has been
// received already, which is asked for no more.
type depths struct {
	trace *trace.Trace
	leafs int     // a power of two
	nodes []int32 // nodes[1] is the root; nodes[n]'s parent is nodes[n/2]
	// last[i] is the last message by Seq that may have arrived before step i,
	// because it is before all that are known to have arrived later: those sent
	// in step i or after it. A timer that fired between two sendings may be
	// taken to have fired sooner than it did; that only costs priorities.
	last []int32
}

func newDepths(t *trace.Trace) *depths {
	seqs := int32(0)
	for i := range t.Sends {
		seqs = max(seqs, t.Sends[i].Seq)
	}
	d := &depths{trace: t, leafs: 1 << bits.Len32(uint32(seqs)), last: make([]int32, len(t.Steps)+1)}
	d.nodes = make([]int32, 2*d.leafs)
	for i := range d.last {
		d.last[i] = seqs
	}
	for i := range t.Sends {
		if s := &t.Sends[i]; s.Step != trace.None && s.Seq > 0 {
			d.last[s.Step] = min(d.last[s.Step], s.Seq-1)
		}
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		d.last[i] = min(d.last[i], d.last[i+1])
	}
	return d
}

func (d *depths) of(send int32) (depth int32) {
	for n := d.leafs + int(d.trace.Sends[send].Seq); n > 0; n /= 2 {
		depth = max(depth, d.nodes[n])
	}
	return depth
}

// received raises what was on its way when a message of some depth was received.
func (d *depths) received(send int32, step int, depth int32) {
	seq := d.trace.Sends[send].Seq
	d.raise(0, int(seq), depth+1)
	d.raise(int(seq)+1, int(d.last[step])+1, depth)
}

// raise makes all depths from one Seq to before another at least depth.
func (d *depths) raise(from, to int, depth int32) {
	for lo, hi := from+d.leafs, to+d.leafs; lo < hi; lo, hi = lo/2, hi/2 {
		if lo&1 == 1 {
			d.nodes[lo] = max(d.nodes[lo], depth)
			lo++
		}
		if hi&1 == 1 {
			hi--
			d.nodes[hi] = max(d.nodes[hi], depth)
		}
	}
}
