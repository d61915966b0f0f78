package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// order sorts the candidates of a new node: by what the ordering makes of
// their receivers, then by actor, then by age.
func (w *walker) order(list []cand, e *pulse.Enabled) {
	w.rank(list, e)
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].before(&list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

func (c *cand) before(d *cand) bool {
	switch {
	case c.rank != d.rank:
		return c.rank < d.rank
	case c.actor != d.actor:
		return c.actor < d.actor
	}
	return c.seq < d.seq
}

// rank gives all candidates of one actor the same rank: the smaller, the
// earlier it is taken.
func (w *walker) rank(list []cand, e *pulse.Enabled) {
	if w.options.Preemptions != 0 {
		w.rankRunning(list, e)
		return
	}
	rank(list, w.options.Ordering, &w.habits)
}

func rank(list []cand, o Ordering, h *habits) {
	switch o {
	case OrderECA: // by actor, as order does it anyway
	case OrderLCA:
		for i := range list {
			list[i].rank = -list[i].actor
		}
	case OrderHMS:
		for i := range list {
			list[i].rank = -h.sentPerReceipt(list[i].actor)
		}
	case OrderSGR:
		for i := range list {
			list[i].rank = h.leadersOf(list, list[i].actor)
		}
	default:
		for i := range list {
			list[i].rank = rankOf(list, list[i].actor, o)
		}
	}
}

// firstBy is the message that an ordering takes first. It also returns its
// scratch.
func firstBy(e *pulse.Enabled, o Ordering, h *habits, list []cand) (int, []cand) {
	if o == OrderFIFO || e.Len() == 1 {
		return e.Oldest(), list
	}
	list = list[:0]
	for i := range e.Len() {
		list = append(list, cand{seq: e.Seq(i), index: int32(i), actor: int32(e.Receiver(i))})
	}
	rank(list, o, h)
	best := 0
	for i := range list {
		if list[i].before(&list[best]) {
			best = i
		}
	}
	return int(list[best].index), list
}

// rankOf ranks an actor by its messages.
func rankOf(list []cand, actor int32, o Ordering) int32 {
	oldest, youngest, number := int32(-1), int32(-1), int32(0)
	for i := range list {
		if list[i].actor != actor {
			continue
		}
		if number++; oldest < 0 || list[i].seq < oldest {
			oldest = list[i].seq
		}
		youngest = max(youngest, list[i].seq)
	}
	switch o {
	case OrderLIFO:
		return -youngest
	case OrderLDM:
		return number
	case OrderHDM:
		return -number
	}
	return oldest
}

// rankRunning puts the actor first whose step came before, then the oldest message.
func (w *walker) rankRunning(list []cand, e *pulse.Enabled) {
	n := &w.nodes[len(w.nodes)-1]
	n.running = -1
	if steps := e.Trace().Steps; len(steps) > 0 {
		n.running = steps[len(steps)-1].Actor
	}
	for i := range list {
		list[i].rank = list[i].seq
		if list[i].actor == n.running {
			list[i].rank = -1
		}
	}
}

// habits is what actors did in the runs so far.
type habits struct {
	received, sent []int32
	leads          []bool // leads[a*size+b]: what a received has led to messages to b
	size           int32
}

// learn adds a run.
func (h *habits) learn(t *trace.Trace) {
	if n := int32(len(t.Actors)); n > h.size {
		h.grow(n)
	}
	for i := range t.Steps {
		h.received[t.Steps[i].Actor]++
	}
	for i := range t.Sends {
		d := &t.Sends[i]
		h.sent[d.From]++
		if d.From != d.To {
			h.lead(d.From, d.To)
		}
	}
}

func (h *habits) grow(n int32) {
	old := *h
	h.size = 2 * n
	h.received = append(h.received, make([]int32, h.size-old.size)...)
	h.sent = append(h.sent, make([]int32, h.size-old.size)...)
	h.leads = make([]bool, h.size*h.size)
	for a := range old.size {
		copy(h.leads[a*h.size:], old.leads[a*old.size:(a+1)*old.size])
	}
}

// lead adds that a leads to b, and whoever leads to a leads to b and to whom
// b leads to.
func (h *habits) lead(a, b int32) {
	if h.leads[a*h.size+b] {
		return
	}
	for x := range h.size {
		if x != a && !h.leads[x*h.size+a] {
			continue
		}
		for y := range h.size {
			if y == b || h.leads[b*h.size+y] {
				h.leads[x*h.size+y] = true
			}
		}
	}
}

// sentPerReceipt is how many messages an actor sends for each that it
// receives, in thousandths.
func (h *habits) sentPerReceipt(actor int32) int32 {
	if actor >= h.size {
		return 0
	}
	return int32(int64(h.sent[actor]) * 1000 / int64(max(1, h.received[actor])))
}

// leadersOf is how many of the candidates' receivers lead to an actor that
// does not lead back to them: they come before it.
func (h *habits) leadersOf(list []cand, actor int32) int32 {
	number := int32(0)
	for i := range list {
		a := list[i].actor
		if max(a, actor) < h.size && h.leads[a*h.size+actor] && !h.leads[actor*h.size+a] {
			number++
		}
	}
	return number
}
