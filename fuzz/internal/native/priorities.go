package native

import (
	"math"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/trace"
)

// prioritiesOf returns the priorities with which Play takes the steps of a run again: a
// byte for each message that was sent.
//
// A message gets the highest priority it can have. That is the lowest among the messages
// that were on their way with it and received before it. If the message is older than
// that one, it gets one less, because it must be outranked. So a run in plain order has
// 255 throughout, and only overtaking uses up priorities. Runs of at most 255 steps keep
// their order. Longer ones do if no chain of messages, each overtaken by the one before,
// has more than 255 overtakings. In others the order is kept until the priorities are
// used up: further messages get zero and come in plain order.
//
// Priorities cannot express that all messages were held back until a timer fired.
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

// depths has for each message how far it must be below the highest priority, as far as
// the steps so far show.
//
// Messages are identified by their Seq, the order in which they arrived. When one is
// received, those with a Seq up to a last are on their way. Older ones must be deeper
// than it, and the others at least as deep. These are two ranges of Seq, whose depths a
// tree raises together: a message's depth is the maximum on its path to the root. Ranges
// also raise messages already received, which no longer matters.
type depths struct {
	trace *trace.Trace
	leafs int     // a power of two
	nodes []int32 // nodes[1] is the root; nodes[n]'s parent is nodes[n/2]
	// last[i] is the last message by Seq that may have arrived before step i. It is
	// before all messages known to have arrived later: those sent in step i or after it.
	// A timer that fired between two sends may count as fired too soon; that only costs
	// priorities.
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

// received raises the messages on their way when one with this depth is received.
func (d *depths) received(send int32, step int, depth int32) {
	seq := d.trace.Sends[send].Seq
	d.raise(0, int(seq), depth+1)
	d.raise(int(seq)+1, int(d.last[step])+1, depth)
}

// raise raises the depths from one Seq to before another to at least depth.
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
