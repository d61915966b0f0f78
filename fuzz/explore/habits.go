package explore

import "github.com/jostle-go/jostle/pulse/trace"

// habits are statistics about the actors in the runs so far. OrderHMS and OrderSGR use
// them; Optimal uses the field refused. All fields are saved in files.
type habits struct {
	received, sent []int32 // for each actor, the numbers of messages received and sent
	// leads[a*size+b] reports whether actor a has sent messages to actor b, directly
	// or through other actors.
	leads []bool
	size  int32 // the capacity in actors
	// refused counts, for each actor, the messages that the actor is known to have
	// refused in ReceiveMatch. Missing elements are 0.
	refused []int32
}

// learn adds a run to the statistics.
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

// lead records in h.leads that actor a has sent a message to actor b. It also records all
// pairs that follow by transitivity.
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

// refuse counts a message that an actor refused in ReceiveMatch.
func (h *habits) refuse(actor int32) {
	for int(actor) >= len(h.refused) {
		h.refused = append(h.refused, 0)
	}
	h.refused[actor]++
}

// refusals returns the number of messages that an actor has refused in ReceiveMatch.
func (h *habits) refusals(actor int) int32 {
	if actor >= len(h.refused) {
		return 0
	}
	return h.refused[actor]
}

// sentPerReceipt returns 1000 times the number of messages that an actor sends per
// message received.
func (h *habits) sentPerReceipt(actor int32) int32 {
	if actor >= h.size {
		return 0
	}
	return int32(int64(h.sent[actor]) * 1000 / int64(max(1, h.received[actor])))
}

// isBefore reports whether actor a has sent messages to actor b, directly or through
// other actors, and b has never sent messages to a in this way.
func (h *habits) isBefore(a, b int32) bool {
	return max(a, b) < h.size && h.leads[a*h.size+b] && !h.leads[b*h.size+a]
}
