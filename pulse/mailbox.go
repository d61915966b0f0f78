package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailbox is what the mailroom knows of an actor: whether it lives and which
// messages it accepts. What an actor does not accept stays in its channel
// (Erlang's selective receive); the first message in the channel that it does
// accept can be delivered.
//
// Invariant: between steps, open holds exactly for an actor that is alive and
// accepts everything, unless the step that has just been taken is still to be
// finished.
type mailbox struct {
	thread   thread
	match    func(any) bool // what it accepts when accept is acceptMatching
	actor    int32
	here     int32 // no more messages to it are in ready and held; or unknown
	inward   int32 // the first of the channels to it, linked by sibling
	await    int32 // the Ask or the timer whose message ends its wait; 0 for none
	answered int32 // the last Ask to which an answer is on its way
	accept   acceptance
	life     life
	open     bool
	safe     bool     // partitions leave it alone
	onFull   Overflow // what follows when it is full
	room     int32    // for how many messages; 0 for any number

	// Of match, if it looks at its argument alone, and of that by which what waits was
	// told apart last; 0 for any other.
	sieve, sifted uintptr
}

// unknown stands for a number that nobody counts: what comes to an open mailbox, or
// with FIFO delivery, costs nothing but its place.
const unknown = -1

// life is where an actor is between its spawning and its end.
type life uint8

const (
	alive life = iota
	down       // crashed by a fault; may be restarted by one
	ended
)

// acceptance is the kind of messages that an actor takes at this point. Plain
// handlers take everything; a process takes what it waits for.
//
// The constants are those of trace.Want, in its order.
type acceptance uint8

const (
	acceptAll      acceptance = iota
	acceptNothing             // only what cannot be refused
	acceptStart               // the message that begins a process, or tells an actor of its start
	acceptMatching            // messages for which its predicate holds
	acceptReply               // the answer to one Ask
)

// admit gives the next actor a mailbox, which may have been one of an older run.
func (r *mailroom) admit(b *mailbox) {
	n := len(r.boxes)
	if n == cap(r.boxes) {
		r.boxes = append(r.boxes, nil)
	}
	r.boxes = r.boxes[:n+1]
	if r.boxes[n] != b { // else it is from an older run
		r.boxes[n] = b
	}
	if b.match != nil { // a comparison costs less than a store of a pointer
		b.match = nil
	}
	b.actor, b.inward, b.here = int32(n), none, unknown
	b.await, b.answered = 0, 0
	b.sieve, b.sifted = 0, 0
	b.accept, b.life, b.open, b.safe = acceptAll, alive, true, false
	b.onFull, b.room = OnFullDropNewest, 0
}

// accepts reports whether an actor takes a message now.
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

// awaits reports whether an actor still waits for the answer to an Ask. An
// answer that comes twice or too late is nobody's. The test goes on receiving all
// else while it waits.
func (b *mailbox) awaits(ask int32) bool {
	return b.await == ask && b.answered != ask && (b.accept == acceptReply || b.actor == trace.Test)
}

// isWake reports whether a message is that of the timer that ends this
// actor's wait.
func (b *mailbox) isWake(d *trace.Send) bool { return b.await != 0 && d.Ask == b.await && isWake(d) }

// isWake reports whether a message ends a wait because of time: that of a timer, or
// of no time at all.
func isWake(d *trace.Send) bool {
	return d.Ask != 0 && (d.Kind == trace.Timer || d.Kind == trace.Poll)
}

// setOpen changes whether a mailbox is open and keeps the count of those that
// are not.
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

// flagChoosy sets the bit that stands for messages that cannot go straight to
// ready, with Unordered delivery, where no channel knows it.
func (r *mailroom) flagChoosy() {
	r.onSend &^= workChoosy
	if r.unordered && (r.choosy > 0 || r.cut >= 0 || r.links.cuts > 0) {
		r.onSend |= workChoosy
	}
}

// refilter makes what can be delivered to an actor agree with what it accepts
// and with which of its channels are held up.
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

// sift is refilter after a step of an actor. If that still takes what it took before,
// by a predicate that looks at its argument alone, only the channel from which its
// message was taken is looked at: the first that is wanted of each other one was found
// when it came.
func (r *mailroom) sift(b *mailbox) {
	if b.sieve == 0 || b.sieve != b.sifted || b.accept != acceptMatching {
		r.refilter(b)
		return
	}
	if r.unordered {
		return // arrive has placed each
	}
	c := &r.channels[r.taken]
	if c.candidate >= 0 { // the actor has sent it to itself, behind others
		r.removeReadySlot(c.candidate)
		c.candidate = none
	}
	r.findCandidate(b, c)
}

// isSifted reports whether the first message that is wanted of each channel is the one
// that sift has left.
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

// removeCandidates takes what the channels of a mailbox have in ready out of it. It
// looks at ready only if there is any, since others may have much in it.
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

// findCandidate puts the first message of a channel that its receiver accepts
// into ready, unless the channel is held up, or a delay holds up that message or one
// before it.
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

// firstWanted returns the first message of a channel that its receiver accepts, or
// one before it that a delay holds up.
func (r *mailroom) firstWanted(b *mailbox, c *channel) int32 {
	m := c.head
	for m >= 0 && !b.open && !b.accepts(&r.sends[m]) && (c.slow == 0 || !r.isSlow(m)) {
		m = r.sends[m].Next
	}
	return m
}

// reopen makes an actor's channels be looked at anew although it was open.
func (r *mailroom) reopen(b *mailbox) {
	r.setOpen(b, false)
	r.refilter(b)
}
