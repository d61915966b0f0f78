package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// Send sends a message. During a step the sender is the step's actor, otherwise
// the test.
func (s *System) Send(to Ref, msg any) {
	if s.mayCall("Send") {
		s.send(to, msg)
	}
}

// Kill sends a message that ends the actor when it is delivered. Every actor
// accepts this message.
func (s *System) Kill(r Ref) {
	if s.mayCall("Kill") {
		s.kill(r)
	}
}

// Send sends a message to an actor.
//
// Send is half of the hot path. It handles only the common case itself: an
// ordinary message to a receiver that accepts everything, through a channel
// that was used before. sendOther handles all other cases. Each call is in
// tail position, so that no variable must be saved across the call.
func (c *Ctx) Send(to Ref, msg any) {
	s := c.sys
	if threaded || s.rec.cur != c.actor || s.calls.top-here() > s.calls.span || to.sys != s || to.run != s.run || to.ask|int32(s.mail.onSend) != 0 {
		c.sendOther(to, msg)
		return
	}
	m := s.mail.free
	if m < 0 {
		c.sendNew(to, msg)
		return
	}
	if s.mail.unordered {
		n := len(s.mail.ready)
		if n >= cap(s.mail.ready) {
			c.sendOther(to, msg)
			return
		}
		s.mail.ready = s.mail.ready[:n+1]
		s.mail.ready[n] = m
		d := &s.mail.sends[m]
		s.mail.free = d.Next
		s.mail.seq++
		d.Body = msg
		d.From, d.To, d.Seq = c.actor, to.actor, s.mail.seq
		d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	h := &s.mail.channels[known.channel]
	if known.to != ^to.actor || !h.open {
		c.sendOther(to, msg)
		return
	}
	d := &s.mail.sends[m]
	s.mail.free = d.Next
	s.mail.seq++
	d.Body = msg
	d.From, d.To, d.Seq, d.Channel = c.actor, to.actor, s.mail.seq, known.channel
	d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
	// The following is mailroom.append, copied here because the compiler
	// cannot inline a function of that size.
	head, before := h.head, h.tail
	empty := int(uint32(head) >> 31)
	if head < 0 {
		before = m
	}
	if head < 0 {
		head = m
	}
	s.mail.sends[before].Next = m
	d.Next = none
	h.head, h.tail = head, m
	n := len(s.mail.ready)
	s.mail.ready[:n+1][n] = m
	s.mail.ready = s.mail.ready[:n+empty]
}

// sendNew does what Send does in the common case, but with a new slot: an index
// of mailroom.sends that was not used before in this run. In a recorded run
// every slot is new. Each call that is not inlined is in tail position, so that
// no variable must be saved across the call.
func (c *Ctx) sendNew(to Ref, msg any) {
	s := c.sys
	typ := s.rec.types.lookUp(msg)
	m := int32(len(s.mail.sends))
	if typ.word != typeWord(msg) || m-s.mail.past >= s.mail.limit || int(m) == cap(s.mail.sends) {
		c.sendOther(to, msg)
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	n := len(s.mail.ready)
	if s.mail.unordered {
		if n == cap(s.mail.ready) {
			c.sendOther(to, msg)
			return
		}
	} else if known.to != ^to.actor || !s.mail.channels[known.channel].open {
		c.sendOther(to, msg)
		return
	}
	id := messageID(typ.hash, s.rec.id, s.rec.sent)
	s.mail.sends = s.mail.sends[:m+1] // slicing the field itself makes the compiler store only the new length
	d := &s.mail.sends[m]
	s.rec.sent++
	s.mail.seq++
	d.Body, d.ID = msg, id
	d.From, d.To, d.Seq, d.Channel = c.actor, to.actor, s.mail.seq, known.channel
	d.Step, d.Receipt = s.rec.step, none
	d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
	if s.mail.unordered {
		s.mail.ready[:n+1][n] = m
		s.mail.ready = s.mail.ready[:n+1]
		return
	}
	s.mail.append(&s.mail.channels[known.channel], d, m)
}

// sendOther implements Send for all cases that Send and sendNew do not handle.
func (c *Ctx) sendOther(to Ref, msg any) {
	s := c.sys
	if sp := here(); s.rec.cur != c.actor || s.calls.top-sp > s.calls.span && !s.calls.same(sp) {
		if !c.wrong("Send") {
			return
		}
	}
	if to.sys != s || to.run != s.run || to.ask|int32(s.mail.onSend) != 0 {
		s.send(to, msg)
		return
	}
	m := s.message(c.actor, to.actor, msg, trace.Message, 0)
	if s.mail.unordered {
		s.mail.post(m, c.actor)
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	if known.to != ^to.actor {
		*known = outward{^to.actor, s.mail.channelOf(c.actor, to.actor)}
	}
	d := &s.mail.sends[m]
	d.Channel = known.channel
	s.mail.enqueue(d, m)
}
