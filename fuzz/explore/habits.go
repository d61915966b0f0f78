package explore

import "github.com/jostle-go/jostle/pulse/trace"

// habits are statistics of what actors did in the runs so far. The orderings HMS and SGR
// and, in part, Optimal use them. All fields are saved in files.
type habits struct {
	received, sent []int32 // how many messages, by actor
	// leads[a*size+b] reports whether messages that a received have led to messages to b.
	leads []bool
	size  int32 // the capacity in actors
	// refused is how many messages each actor is known not to have wanted. The
	// optimal search uses it; it may be shorter than the number of actors.
	refused []int32
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

// lead adds that a leads to b. The relation stays transitive: all that lead to a lead to
// b, and to all that b leads to.
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

// refuse adds that an actor did not want a message.
func (h *habits) refuse(actor int32) {
	for int(actor) >= len(h.refused) {
		h.refused = append(h.refused, 0)
	}
	h.refused[actor]++
}

// refusals returns how often an actor did not want a message.
func (h *habits) refusals(actor int) int32 {
	if actor >= len(h.refused) {
		return 0
	}
	return h.refused[actor]
}

// sentPerReceipt returns how many messages an actor sends per message received, in
// thousandths.
func (h *habits) sentPerReceipt(actor int32) int32 {
	if actor >= h.size {
		return 0
	}
	return int32(int64(h.sent[actor]) * 1000 / int64(max(1, h.received[actor])))
}

// isBefore reports whether a leads to b, and b does not lead back.
func (h *habits) isBefore(a, b int32) bool {
	return max(a, b) < h.size && h.leads[a*h.size+b] && !h.leads[b*h.size+a]
}
