package native

import (
	"math"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/trace"
)

// prioritiesOf returns the priorities of a draft with which Play repeats the steps of a
// run. It has one byte for each message that was sent.
//
// Each message gets the highest priority that is possible. If another message was received
// earlier while both were deliverable, the priority must not exceed that of the other
// message. It must be lower by one if the other message is newer. So in a run that
// delivers the oldest message first, all priorities are 255, and only overtaking uses up
// priorities. A run of at most 255 steps keeps its order. A longer run also keeps its
// order, unless more than 255 messages in a chain each overtake the next one. In such a
// run, messages get priority zero when the priorities are used up, and come oldest first.
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

// depths has the depth of each message: how far its priority must be below the highest one,
// as far as is known from the steps so far.
//
// Messages are identified by their Seq, their position in plain order. When a message is
// received, all messages with a Seq between some first and some last one may be deliverable.
// Those before the received message must be deeper than it, and those after it at least as deep.
// These are two ranges of Seq. A tree raises the depths of a whole range: the depth of a
// message is the maximum on its path to the root. A range may contain messages that were
// already received, whose depths no longer matter.
type depths struct {
	trace *trace.Trace
	leafs int     // the number of leaves, a power of two
	nodes []int32 // nodes[1] is the root; nodes[n]'s parent is nodes[n/2]
	// last[i] is the last message, by Seq, that may have arrived before step i. Every
	// message with a larger Seq arrived in step i or later. A timer that fired between
	// two sends may be counted as having fired too soon, which only costs priorities.
	last []int32
	// first[i] is the first message, by Seq, that may have arrived before step i.
	first []int32
	least int32 // the least Seq, or 0
}

func newDepths(t *trace.Trace) *depths {
	d := &depths{trace: t, last: make([]int32, len(t.Steps)+1), first: make([]int32, len(t.Steps)+1)}
	seqs := int32(0)
	for i := range t.Sends {
		seqs, d.least = max(seqs, t.Sends[i].Seq), min(d.least, t.Sends[i].Seq)
	}
	d.leafs = 1 << bits.Len32(uint32(seqs-d.least))
	d.nodes = make([]int32, 2*d.leafs)
	for i := range d.last {
		d.last[i] = seqs
	}
	for i := range t.Sends {
		switch s := &t.Sends[i]; {
		case s.Step == trace.None:
		case s.Seq > 0:
			d.last[s.Step] = min(d.last[s.Step], s.Seq-1)
		default:
			d.first[s.Step+1] = min(d.first[s.Step+1], s.Seq)
		}
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		d.last[i] = min(d.last[i], d.last[i+1])
	}
	for i := range t.Steps {
		d.first[i+1] = min(d.first[i+1], d.first[i])
	}
	return d
}

func (d *depths) of(send int32) (depth int32) {
	for n := d.leafs + int(d.trace.Sends[send].Seq-d.least); n > 0; n /= 2 {
		depth = max(depth, d.nodes[n])
	}
	return depth
}

// received raises the depths of the messages that were deliverable when a message with the
// given depth was received in a step.
func (d *depths) received(send int32, step int, depth int32) {
	seq := d.trace.Sends[send].Seq
	d.raise(d.first[step], seq, depth+1)
	d.raise(seq+1, d.last[step]+1, depth)
}

// raise gives messages a depth of at least the given one: those with from <= Seq and Seq <
// to.
func (d *depths) raise(from, to, depth int32) {
	for lo, hi := int(from-d.least)+d.leafs, int(to-d.least)+d.leafs; lo < hi; lo, hi = lo/2, hi/2 {
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
