package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailbox is what the mailroom knows about an actor: whether it is alive and
// which messages it accepts. A message that it does not accept stays in its
// channel, as in Erlang's selective receive. The first message of a channel
// that it accepts can be delivered.
//
// Invariant: between steps, open holds exactly for an actor that is alive and
// accepts everything. It may lag until the last step is finished.
type mailbox struct {
	thread   thread
	match    func(any) bool // the accepted messages when accept is acceptMatching
	actor    int32
	here     int32 // upper bound of the messages to it in ready and held; or unknown
	inward   int32 // the first of the channels to it, linked by sibling
	await    int32 // the Ask or timer whose message ends its wait; 0 for none
	answered int32 // the last Ask whose answer is on its way
	accept   acceptance
	life     life
	open     bool
	safe     bool     // partitions do not affect it
	onFull   Overflow // what happens when it is full
	room     int32    // its bound; 0 for none

	// sieve is the code of match if match depends only on its argument, else 0.
	// sifted is the sieve by which the waiting messages were last filtered, or
	// 0.
	sieve, sifted uintptr
}

// unknown marks a number that nobody counts. Messages to an open mailbox, and
// all messages with FIFO delivery, are not counted.
const unknown = -1

// life is the state of an actor between its spawning and its end.
type life uint8

const (
	alive life = iota
	down       // crashed by a fault; may be restarted
	ended
)

// acceptance is the set of messages that an actor accepts at this point. Plain
// handlers accept everything; a process accepts what it waits for.
//
// The constants are in the order of trace.Want.
type acceptance uint8

const (
	acceptAll      acceptance = iota
	acceptNothing             // only messages that cannot be refused
	acceptStart               // the message that starts a process or notifies a Starter
	acceptMatching            // messages for which match holds
	acceptReply               // the answer to one Ask
)

// admit adds the mailbox of the next actor, which may have been used in an
// earlier run.
func (r *mailroom) admit(b *mailbox) {
	n := len(r.boxes)
	if n == cap(r.boxes) {
		r.boxes = append(r.boxes, nil)
	}
	r.boxes = r.boxes[:n+1]
	if r.boxes[n] != b { // otherwise it is from an earlier run
		r.boxes[n] = b
	}
	if b.match != nil { // comparing is cheaper than storing a pointer
		b.match = nil
	}
	b.actor, b.inward, b.here = int32(n), none, unknown
	b.await, b.answered = 0, 0
	b.sieve, b.sifted = 0, 0
	b.accept, b.life, b.open, b.safe = acceptAll, alive, true, false
	b.onFull, b.room = OnFullDropNewest, 0
}

// accepts reports whether an actor accepts a message now.
func (b *mailbox) accepts(d *trace.Send) bool {
	if d.Kind == trace.Kill || b.isWake(d) {
		return true
	}
	switch b.accept {
	case acceptAll:
		return true
	case acceptStart:
		return d.Kind == trace.Start
	case acceptMatching:
		return d.Kind != trace.Reply && !isWake(d) && (!threaded && b.match(d.Body) || threaded && b.matchOnThread(d.Body))
	case acceptReply:
		return d.Kind == trace.Reply && d.Ask == b.await
	}
	return false
}

// awaits reports whether an actor still waits for the answer to an Ask. A
// second or late answer is dropped. The test keeps receiving other messages
// while it waits.
func (b *mailbox) awaits(ask int32) bool {
	return b.await == ask && b.answered != ask && (b.accept == acceptReply || b.actor == trace.Test)
}

// isWake reports whether a message is from the timer that ends this actor's
// wait.
func (b *mailbox) isWake(d *trace.Send) bool { return b.await != 0 && d.Ask == b.await && isWake(d) }

// isWake reports whether a message ends a wait because of time: a timer or a
// poll.
func isWake(d *trace.Send) bool {
	return d.Ask != 0 && (d.Kind == trace.Timer || d.Kind == trace.Poll)
}

// setOpen opens or closes a mailbox and counts the closed ones.
func (r *mailroom) setOpen(b *mailbox, open bool) {
	if b.open == open {
		return
	}
	b.open = open
	if open {
		b.here = unknown
		r.choosy--
	} else {
		r.choosy++
	}
	r.flagChoosy()
}

// flagChoosy sets or clears the bit for sends with Unordered delivery: when
// set, not every message can go straight to ready.
func (r *mailroom) flagChoosy() {
	r.onSend &^= workChoosy
	if r.unordered && (r.choosy > 0 || r.cut >= 0 || r.links.cuts > 0) {
		r.onSend |= workChoosy
	}
}

// refilter updates ready after a change of what an actor accepts or of which of
// its channels are blocked.
func (r *mailroom) refilter(b *mailbox) {
	if b.sifted = 0; b.accept == acceptMatching {
		b.sifted, r.matches = b.sieve, true
	}
	open := b.life == alive && b.accept == acceptAll
	if open && b.open && r.cut < 0 && r.slow == 0 && r.links.cuts == 0 {
		return
	}
	r.setOpen(b, open)
	if r.unordered {
		r.refilterUnordered(b)
		return
	}
	r.removeCandidates(b)
	for i := b.inward; i >= 0; i = r.channels[i].sibling {
		c := &r.channels[i]
		c.open = open && c.blocked == 0 && c.slow == 0
		c.candidate = none
		if b.life == alive {
			r.findCandidate(b, c)
		}
	}
}

// sift is refilter after a step of an actor. If the actor still accepts the
// same messages, by a predicate that depends only on its argument, only the
// channel of the received message needs a check. In every other channel the
// first accepted message is known.
func (r *mailroom) sift(b *mailbox) {
	if b.sieve == 0 || b.sieve != b.sifted || b.accept != acceptMatching {
		r.refilter(b)
		return
	}
	if r.unordered {
		return // arrive has placed each message
	}
	c := &r.channels[r.taken]
	if c.candidate >= 0 { // the actor has sent it to itself, behind others
		r.removeReadySlot(c.candidate)
		c.candidate = none
	}
	r.findCandidate(b, c)
}

// isSifted reports whether the result of sift is what refilter would find.
func (r *mailroom) isSifted(b *mailbox) bool {
	if r.unordered {
		other := func(m int32) bool { return r.sends[m].To == b.actor && !b.accepts(&r.sends[m]) }
		return indexFunc(r.ready, other) < 0
	}
	for i := b.inward; i >= 0; i = r.channels[i].sibling {
		if c := &r.channels[i]; c.blocked == 0 && c.slow == 0 && r.firstWanted(b, c) != c.candidate {
			return false
		}
	}
	return true
}

// removeCandidates removes the messages of a mailbox from ready. It counts them
// first, since a scan of ready may be long.
func (r *mailroom) removeCandidates(b *mailbox) {
	count, slot := 0, none
	for i := b.inward; i >= 0; i = r.channels[i].sibling {
		c := &r.channels[i]
		m := c.candidate
		if c.open {
			m = c.head
		}
		if m >= 0 {
			count++
			slot = m
		}
	}
	switch count {
	case 0:
	case 1:
		r.removeReadySlot(slot)
	default:
		r.removeReadyIf(func(m int32) bool { return r.sends[m].To == b.actor })
	}
}

// findCandidate adds the first message of a channel that its receiver accepts
// to ready. It adds none if the channel is blocked or that message, or one
// before it, is delayed.
func (r *mailroom) findCandidate(b *mailbox, c *channel) {
	if c.blocked > 0 {
		return
	}
	m := r.firstWanted(b, c)
	if m >= 0 && (c.slow == 0 || !r.isSlow(m)) {
		c.candidate = m
		r.ready = append(r.ready, m)
	}
}

// firstWanted returns the first message of a channel that its receiver accepts,
// or a delayed one before it.
func (r *mailroom) firstWanted(b *mailbox, c *channel) int32 {
	m := c.head
	for m >= 0 && !b.open && !b.accepts(&r.sends[m]) && (c.slow == 0 || !r.isSlow(m)) {
		m = r.sends[m].Next
	}
	return m
}

// reopen refilters a mailbox even if it was open.
func (r *mailroom) reopen(b *mailbox) {
	r.setOpen(b, false)
	r.refilter(b)
}
