package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailbox holds the data of an actor that the mailroom needs: whether the
// actor is alive and which messages it accepts. A message that the actor does
// not accept stays in its channel, as in Erlang's selective receive. The first
// accepted message of each channel can be delivered.
//
// Invariant: between steps, the field open is set if and only if the actor is
// alive and accepts all messages.
type mailbox struct {
	thread   thread
	match    func(any) bool // reports whether the actor accepts a message; used if accept is acceptMatching
	actor    int32
	here     int32 // at least the number of messages to the actor in mailroom.ready and mailroom.held, or unknown
	inward   int32 // index of the first channel to the actor; channel.sibling is the next one
	await    int32 // number of the Ask or timer whose message ends the actor's wait; 0 for none
	answered int32 // number of the last Ask whose answer was sent
	accept   acceptance
	life     life
	open     bool
	safe     bool     // set if Options.Faults do not affect the actor
	onFull   Overflow // what happens to a message sent when the mailbox is full
	room     int32    // capacity of the mailbox; 0 for unlimited

	// sieve is the code address of match if match depends only on its
	// argument, and 0 otherwise. sifted is the value that sieve had when match
	// was last applied to the waiting messages, or 0.
	sieve, sifted uintptr
}

// unknown is the value of mailbox.here while the messages to an actor are not
// counted. They are not counted with FIFO delivery, or while the mailbox is
// open.
const unknown = -1

// life is the state of an actor between its spawning and its end.
type life uint8

const (
	alive life = iota
	down       // the actor has crashed and may be restarted
	ended
)

// acceptance is the set of messages that an actor accepts now. A handler
// accepts all messages; a process accepts the messages that it waits for.
//
// The constants have the same values as the constants of type trace.Want.
type acceptance uint8

const (
	acceptAll      acceptance = iota
	acceptNothing             // the actor accepts only Kills and the timeout of its wait, which every actor accepts
	acceptStart               // the actor accepts only the message that starts a process or notifies a Starter
	acceptMatching            // the actor accepts the messages for which match returns true
	acceptReply               // the actor accepts only the reply to one Ask
)

// admit adds mailbox b, for the next actor, to the mailroom. It resets b,
// which may have been used in an earlier run.
func (r *mailroom) admit(b *mailbox) {
	n := len(r.boxes)
	if n == cap(r.boxes) {
		r.boxes = append(r.boxes, nil)
	}
	r.boxes = r.boxes[:n+1]
	if r.boxes[n] != b { // the entry may already be b, from an earlier run; storing a pointer is expensive
		r.boxes[n] = b
	}
	if b.match != nil { // load before storing, because storing a pointer is more expensive
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

// awaits reports whether an actor still waits for the answer to an Ask and no
// answer has been sent. If not, the caller drops the answer. While the test
// waits for an answer, its field accept is acceptAll, because the test also
// receives other messages.
func (b *mailbox) awaits(ask int32) bool {
	return b.await == ask && b.answered != ask && (b.accept == acceptReply || b.actor == trace.Test)
}

// isWake reports whether a message is the timeout of this actor's current
// wait.
func (b *mailbox) isWake(d *trace.Send) bool { return b.await != 0 && d.Ask == b.await && isWake(d) }

// isWake reports whether a message is a timeout, of any wait or poll.
func isWake(d *trace.Send) bool {
	return d.Ask != 0 && (d.Kind == trace.Timer || d.Kind == trace.Poll)
}

// setOpen opens or closes a mailbox and updates the number of closed mailboxes.
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

// flagChoosy sets the bit workChoosy of r.onSend if the delivery is Unordered
// and some messages must not be added to the list ready when they are sent.
// Otherwise it clears the bit.
func (r *mailroom) flagChoosy() {
	r.onSend &^= workChoosy
	if r.unordered && (r.choosy > 0 || r.cut >= 0 || r.links.cuts > 0) {
		r.onSend |= workChoosy
	}
}

// refilter recomputes the deliverable messages of an actor. Call it when the
// actor accepts different messages, or when a channel to the actor becomes
// blocked, unblocked, delayed or no longer delayed.
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

// sift does the same as refilter after a step of the actor, but is often
// faster. If the actor waits with the same predicate as before, and the
// predicate depends only on its argument, then only the channel of the
// received message needs a new candidate.
func (r *mailroom) sift(b *mailbox) {
	if b.sieve == 0 || b.sieve != b.sifted || b.accept != acceptMatching {
		r.refilter(b)
		return
	}
	if r.unordered {
		return // arrive has already put each message into ready or held
	}
	c := &r.channels[r.taken]
	if c.candidate >= 0 { // the actor has sent itself a message, which became the candidate although an earlier message may match too
		r.removeReadySlot(c.candidate)
		c.candidate = none
	}
	r.findCandidate(b, c)
}

// isSifted reports whether refilter would leave the list ready as it is.
// isSifted calls match for waiting messages.
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

// removeCandidates removes all messages to an actor from the list ready. It
// counts the messages first, because in most cases there is at most one, and a
// single message is cheaper to remove.
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

// findCandidate adds the first message of a channel that the receiver accepts
// to the list ready. It adds no message if the channel is blocked, or if that
// message or a message before it is delayed.
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

// firstWanted returns the first message of a channel that the receiver accepts
// or that is delayed. It returns none if there is no such message.
func (r *mailroom) firstWanted(b *mailbox, c *channel) int32 {
	m := c.head
	for m >= 0 && !b.open && !b.accepts(&r.sends[m]) && (c.slow == 0 || !r.isSlow(m)) {
		m = r.sends[m].Next
	}
	return m
}

// reopen calls refilter after it has closed the mailbox, because refilter
// skips open mailboxes.
func (r *mailroom) reopen(b *mailbox) {
	r.setOpen(b, false)
	r.refilter(b)
}
