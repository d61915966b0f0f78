package finding

import (
	"slices"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// turns reports whether message second comes before message first in p.order.
func (p *pair) turns(first, second uint64) bool {
	i, k := slices.Index(p.order, first), slices.Index(p.order, second)
	return k >= 0 && (i < 0 || k < i)
}

// A pair is two messages that can be received in the reverse order. They have the same receiver, or the
// steps that receive them do operations on the same object.
type pair struct {
	choice.Constraint
	order []uint64 // the order of the run, changed so that Second comes before First, as numbers of messages: see namer
	exact int      // the index of the message First in the field order; all messages before it keep their exact order
	apart int      // the number of receives from First to Second in their queue; 1 if they are consecutive
}

// A reversals finds the pairs of messages in a run that can be received in the reverse order.
type reversals struct {
	t       *trace.Trace
	id      func(*trace.Send) uint64 // returns the ID of the step that receives a message
	order   []uint64                 // the numbers of the received messages, in order
	numbers map[uint64]uint64        // maps the ID of a message to its number: see namer

	received []int32         // the indices in t.Sends of the received messages, in order
	by       map[queue][]int // the indices of messages in the field received
	pairs    []pair
}

// A queue is the messages that an actor receives, or the messages whose steps do operations on an object.
type queue struct {
	what  trace.Touched // trace.ItsSteps or trace.AnObject
	whose int32         // the index of the actor, or the number of the object
}

// find sets r.pairs, nearest pairs first. It pairs each received message with the messages that
// the same actor received later or could have received next, and with later steps on the same object.
func (r *reversals) find() {
	list := r.candidates()
	if len(r.received) != len(r.order) {
		return
	}
	for apart, more := 1, true; more && apart <= mostApart; apart++ {
		more = false
		for _, c := range list {
			if c.turn >= apart && len(r.pairs) < mostTurns {
				more = true
				r.consider(&c, apart)
			}
		}
	}
}

// A candidate is a message that may be the second of a pair.
type candidate struct {
	send  int32
	place int // the index in reversals.received; its length if the message was not received
	queue queue
	turn  int // the number of earlier messages in the queue
}

// candidates sets r.received and r.by. It returns the messages that were received, and those that could
// have been received next.
func (r *reversals) candidates() (list []candidate) {
	r.by = map[queue][]int{}
	touches := r.t.Touches
	for i := range r.t.Steps {
		st, place := &r.t.Steps[i], len(r.received)
		if st.Kind != trace.Receive || st.Settled {
			continue
		}
		r.received = append(r.received, st.Send)
		queues := []queue{{trace.ItsSteps, st.Actor}}
		for ; len(touches) > 0 && int(touches[0].Step) <= i; touches = touches[1:] {
			if x := &touches[0]; int(x.Step) == i && x.What == trace.AnObject && !slices.Contains(queues, queue{x.What, x.Actor}) {
				queues = append(queues, queue{x.What, x.Actor})
			}
		}
		for _, q := range queues {
			list = append(list, candidate{st.Send, place, q, len(r.by[q])})
			r.by[q] = append(r.by[q], place)
		}
	}
	heads := map[[2]int32]bool{}
	for i := range r.t.Sends {
		d := &r.t.Sends[i]
		channel := [2]int32{d.From, d.To}
		if d.Fate != trace.Pending || d.Kind.IsTimer() || heads[channel] && !r.t.Unordered {
			continue
		}
		heads[channel] = true
		q := queue{trace.ItsSteps, d.To}
		list = append(list, candidate{int32(i), len(r.received), q, len(r.by[q])})
	}
	return list
}

// consider pairs c with the message `apart` places earlier in its queue, if the two can be received in
// the reverse order.
func (r *reversals) consider(c *candidate, apart int) {
	d := &r.t.Sends[c.send]
	first := r.by[c.queue][c.turn-apart]
	if a := &r.t.Sends[r.received[first]]; !r.oneChannel(a, d) && !r.causes(a.Receipt, d.Step) && !r.quiescentBetween(a, d) {
		r.add(first, c.place, d, apart)
	}
}

func (r *reversals) oneChannel(a, b *trace.Send) bool {
	return !r.t.Unordered && a.From == b.From && a.To == b.To && a.Kind.IsTimer() == b.Kind.IsTimer()
}

// quiescentBetween reports whether the system was quiescent between the receipts of two
// messages.
func (r *reversals) quiescentBetween(a, b *trace.Send) bool {
	return slices.ContainsFunc(r.t.Rests, func(at int32) bool { return at >= a.Receipt && (b.Receipt == trace.None || at < b.Receipt) })
}

// causes reports whether two steps are equal or the first one happens before the second.
func (r *reversals) causes(step, sent int32) bool {
	return sent == step || r.t.HappensBefore(int(step), int(sent))
}

// add adds the pair of the message at index first of r.received and the message d, which is at
// index second or was not received. In the order of the pair, d and everything that d needs
// come directly before the first message. d needs its causes and the earlier messages of its
// channel.
func (r *reversals) add(first, second int, d *trace.Send, apart int) {
	needed := []*trace.Send{d}
	for _, send := range r.received[first+1 : second] {
		if b := &r.t.Sends[send]; r.oneChannel(b, d) {
			needed = append(needed, b)
		}
	}
	prefix, rest := slices.Clone(r.order[:first]), []uint64{r.order[first]}
	for k := first + 1; k < len(r.order); k++ {
		b := &r.t.Sends[r.received[k]]
		switch {
		case k == second:
		case k < second && slices.ContainsFunc(needed, func(n *trace.Send) bool { return n == b || r.causes(b.Receipt, n.Step) }):
			prefix = append(prefix, r.order[k])
		default:
			rest = append(rest, r.order[k])
		}
	}
	prefix = append(prefix, r.numbers[r.id(d)])
	a := &r.t.Sends[r.received[first]]
	r.pairs = append(r.pairs, pair{
		Constraint: choice.Constraint{First: r.id(a), Second: r.id(d)},
		order:      append(prefix, rest...), exact: len(prefix), apart: apart,
	})
}

// neighborsIn returns the pairs of consecutive receives of a run that can be swapped.
func neighborsIn(res *props.Result, by *steered) []pair {
	r := &reversals{t: res.System.Trace(), id: res.System.Host().StepID, numbers: by.numbers}
	for i := range r.t.Steps {
		if st := &r.t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			r.order = append(r.order, by.numbers[r.id(&r.t.Sends[st.Send])])
		}
	}
	r.find()
	return slices.DeleteFunc(r.pairs, func(p pair) bool { return p.apart > 1 })
}
