package finding

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// turns reports whether the second of two messages comes before the first.
func (p *pair) turns(first, second uint64) bool {
	i, k := slices.Index(p.order, first), slices.Index(p.order, second)
	return k >= 0 && (i < 0 || k < i)
}

// A pair is two messages to one actor, of which the second could have come first, and an order
// in which it does.
type pair struct {
	choice.Constraint
	order []uint64
	exact int // how many of the order come before the first one
	apart int // the distance of the two, in messages of their actor
}

// A reversals finds the pairs of a run.
type reversals struct {
	t       *trace.Trace
	id      func(*trace.Send) uint64
	order   []uint64 // of messages, as they were received
	numbers map[uint64]uint64

	received []int32         // the sends of those messages
	by       map[int32][]int // their places, by actor
	pairs    []pair
}

// find finds the pairs of a run: each message that an actor received, with those that it
// received later or would have received next; the nearest pairs first.
func (r *reversals) find() {
	r.by = map[int32][]int{}
	for i := range r.t.Steps {
		if st := &r.t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			r.by[st.Actor] = append(r.by[st.Actor], len(r.received))
			r.received = append(r.received, st.Send)
		}
	}
	if len(r.received) != len(r.order) {
		return
	}
	list := r.candidates()
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
	place int // where it was received; after all others if never
	turn  int // how many messages its actor received before
}

// candidates returns the messages that were received, and those that could have been next.
func (r *reversals) candidates() (list []candidate) {
	turns, heads := map[int32]int{}, map[[2]int32]bool{}
	for place, send := range r.received {
		to := r.t.Sends[send].To
		list = append(list, candidate{send, place, turns[to]})
		turns[to]++
	}
	for i := range r.t.Sends {
		d := &r.t.Sends[i]
		channel := [2]int32{d.From, d.To}
		if d.Fate != trace.Pending || d.Kind.IsTimer() || heads[channel] && !r.t.Unordered {
			continue
		}
		heads[channel] = true
		list = append(list, candidate{int32(i), len(r.order), turns[d.To]})
	}
	return list
}

// consider adds the pair of a message and an earlier one of its actor, at distance apart, if
// they can be reversed.
func (r *reversals) consider(c *candidate, apart int) {
	d := &r.t.Sends[c.send]
	first := r.by[d.To][c.turn-apart]
	if a := &r.t.Sends[r.received[first]]; !r.oneChannel(a, d) && !r.causes(a.Receipt, d.Step) && !r.rests(a, d) {
		r.add(first, c.place, d, apart)
	}
}

func (r *reversals) oneChannel(a, b *trace.Send) bool {
	return !r.t.Unordered && a.From == b.From && a.To == b.To && a.Kind.IsTimer() == b.Kind.IsTimer()
}

// rests reports whether the system was at rest between the receipts of two messages.
func (r *reversals) rests(a, b *trace.Send) bool {
	return slices.ContainsFunc(r.t.Rests, func(at int32) bool { return at >= a.Receipt && (b.Receipt == trace.None || at < b.Receipt) })
}

// causes reports whether a message was sent in a step, or the step happens before the send.
func (r *reversals) causes(step, sent int32) bool {
	return sent == step || r.t.HappensBefore(int(step), int(sent))
}

// add adds the pair of the message received at place first and another one, d, received at the
// later place second or never. What d needs comes before both of them: its causes, and the
// earlier messages of its channel.
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
