package pulse

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Send puts a message on its way. From the test's own code the sender is the
// test; from within a step it is the actor whose step it is.
func (s *System) Send(to Ref, msg any) {
	if s.mayCall("Send") {
		s.send(to, msg)
	}
}

// Kill ends an actor by a message that it cannot refuse.
func (s *System) Kill(r Ref) {
	if s.mayCall("Kill") {
		s.kill(r)
	}
}

func (s *System) kill(r Ref) {
	s.check(r, "Kill")
	s.sendAs(s.cur, r.actor, stop{}, trace.Kill, 0)
}

// stop is the body of a Kill.
type stop struct{}

func (s *System) send(to Ref, msg any) {
	if to.sys != s || to.run != s.run {
		s.check(to, "Send "+describe(msg))
	}
	kind := trace.Message
	if to.ask != 0 {
		s.touch(to.actor, trace.ItsAsk, to.ask)
		if !s.awaited(to) { // it counts as sent: what else the step sends keeps its identity
			s.discard(s.message(s.cur, to.actor, msg, trace.Reply, to.ask), trace.Dropped)
			return
		}
		kind = trace.Reply
	}
	m := s.sendAs(s.cur, to.actor, msg, kind, to.ask)
	if kind == trace.Reply && s.sends[m].Fate == trace.Pending {
		s.actors[to.actor].answered = to.ask
	}
}

// Send puts a message on its way.
//
// It is half of the hot path, and written out for the plain cases: an
// ordinary message for a receiver that takes anything, by a channel that has
// been used before. The rest is sendOther's. Calls stand last in it, so that
// nothing need be kept across them.
func (c *Ctx) Send(to Ref, msg any) {
	s := c.sys
	if s.cur != c.actor || s.top-here() > s.span || to.sys != s || to.run != s.run || to.ask|int32(s.onSend) != 0 {
		c.sendOther(to, msg)
		return
	}
	m := s.free
	if m < 0 {
		c.sendNew(to, msg)
		return
	}
	if s.unordered {
		n := len(s.enabled.slots)
		if n == cap(s.enabled.slots) {
			c.sendOther(to, msg)
			return
		}
		d := &s.sends[m]
		s.free = d.Next
		s.seq++
		d.Body = msg
		d.From, d.To, d.Seq = c.actor, to.actor, s.seq
		d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
		s.enabled.slots[:n+1][n] = m
		s.enabled.slots = s.enabled.slots[:n+1]
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	h := &s.channels[known.channel]
	if known.to != ^to.actor || !h.open {
		c.sendOther(to, msg)
		return
	}
	d := &s.sends[m]
	s.free = d.Next
	s.seq++
	d.Body = msg
	d.From, d.To, d.Seq, d.Channel = c.actor, to.actor, s.seq, known.channel
	d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
	// What follows is append, which is too large to be inlined.
	head, before := h.head, h.tail
	empty := int(uint32(head) >> 31)
	if head < 0 {
		before = m
	}
	if head < 0 {
		head = m
	}
	s.sends[before].Next = m
	d.Next = none
	h.head, h.tail = head, m
	n := len(s.enabled.slots)
	s.enabled.slots[:n+1][n] = m
	s.enabled.slots = s.enabled.slots[:n+empty]
}

// append puts a message at the end of an open channel. If the channel was
// empty the enabled grow by one; whether it was is a coin toss, so there is no
// branch on it.
func (s *System) append(h *channel, d *trace.Send, m int32) {
	head, before := h.head, h.tail
	empty := int(uint32(head) >> 31)
	if head < 0 {
		before = m
	}
	if head < 0 {
		head = m
	}
	s.sends[before].Next = m
	d.Next = none
	h.head, h.tail = head, m
	n := len(s.enabled.slots) // less than cap: see newChannel
	s.enabled.slots[:n+1][n] = m
	s.enabled.slots = s.enabled.slots[:n+empty] // of itself: only the length is stored
}

// sendNew is Send into a slot that was not used before in this run, as all
// are in a run that is recorded.
func (c *Ctx) sendNew(to Ref, msg any) {
	s := c.sys
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	m := int32(len(s.sends))
	if known.to != ^to.actor || !s.channels[known.channel].open || m-s.past >= s.flood || int(m) == cap(s.sends) {
		c.sendOther(to, msg)
		return
	}
	id := messageID(s.types.hash(msg), s.curID, s.sent)
	s.sends = s.sends[:m+1] // of itself: only the length is stored
	d := &s.sends[m]
	s.sent++
	s.seq++
	d.Body, d.ID = msg, id
	d.From, d.To, d.Seq, d.Channel = c.actor, to.actor, s.seq, known.channel
	d.Step, d.Receipt = s.step, none
	d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
	s.append(&s.channels[known.channel], d, m)
}

// sendOther is Send for whatever is not the plain case.
func (c *Ctx) sendOther(to Ref, msg any) {
	s := c.sys
	if sp := here(); s.cur != c.actor || s.top-sp > s.span && !s.sameGoroutine(sp) {
		if !c.wrong("Send") {
			return
		}
	}
	if to.sys != s || to.run != s.run || to.ask|int32(s.onSend) != 0 {
		s.send(to, msg)
		return
	}
	m := s.message(c.actor, to.actor, msg, trace.Message, 0)
	if s.unordered {
		s.post(m, c.actor)
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	if known.to != ^to.actor {
		*known = outward{^to.actor, s.channelOf(c.actor, to.actor)}
	}
	d := &s.sends[m]
	d.Channel = known.channel
	s.enqueue(d, m)
}

// identify completes a message of the running step for the trace.
func (s *System) identify(d *trace.Send) {
	d.Step, d.Receipt = s.step, none
	d.ID = messageID(s.types.hash(d.Body), s.curID, s.sent)
	s.sent++
}

// sendAs makes a message of the running step, in anyone's name, and lets it go.
func (s *System) sendAs(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	m := s.message(from, to, msg, kind, ask)
	if s.onSend != 0 && s.meetFate(m) {
		return m
	}
	s.post(m, from)
	return m
}

// message makes a message of the running step and does not let it go yet.
func (s *System) message(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	if s.sent > s.flood && s.cur != trace.Test {
		s.poured()
	}
	m := s.newSlot()
	d := &s.sends[m]
	d.Body = msg
	d.From, d.To = from, to
	d.Ask, d.Kind, d.Fate = ask, kind, trace.Pending
	if s.recording {
		s.identify(d)
	}
	return m
}

// newSlot returns a place for a message that is to wait. A recorded run uses
// none twice: its sends are its trace's.
func (s *System) newSlot() int32 {
	if m := s.free; m >= 0 {
		s.free = s.sends[m].Next
		return m
	}
	m := len(s.sends)
	if int32(m)-s.past >= s.flood {
		s.flooded()
	}
	if m == cap(s.sends) {
		s.growSends()
	}
	s.sends = s.sends[:m+1]
	return int32(m)
}

func (s *System) growSends() {
	if len(s.sends) == math.MaxInt32 {
		s.misuse("the run has sent 2,147,483,647 messages, the most that one can keep")
	}
	s.sends = append(s.sends, trace.Send{})
}

// post puts a message into its channel. Timers come by a channel from nobody.
func (s *System) post(m, from int32) {
	d := &s.sends[m]
	if !s.unordered {
		d.Channel = s.channelOf(from, d.To)
		s.enqueue(d, m)
		return
	}
	s.seq++
	d.Seq = s.seq
	if s.onSend&workChoosy == 0 {
		s.enabled.slots = append(s.enabled.slots, m)
		return
	}
	s.arriveUnordered(m, from)
}

// enqueue puts a message at the end of its channel.
func (s *System) enqueue(d *trace.Send, m int32) {
	h := &s.channels[d.Channel]
	if !h.open {
		s.enqueueClosed(d, m, h)
		return
	}
	s.seq++
	d.Seq = s.seq
	s.append(h, d, m)
}

// enqueueClosed is enqueue for a channel that is blocked or whose receiver
// does not take just anything.
func (s *System) enqueueClosed(d *trace.Send, m int32, c *channel) {
	s.seq++
	d.Seq, d.Next = s.seq, none
	a := s.actors[c.to]
	if a.life != alive {
		s.undeliverable(m, a)
		return
	}
	if c.head < 0 {
		c.head = m
	} else {
		s.sends[c.tail].Next = m
	}
	c.tail = m
	if c.blocked == 0 && c.slow == 0 && c.candidate < 0 && a.accepts(d) {
		c.candidate = m
		s.enabled.slots = append(s.enabled.slots, m)
	}
}

// channelOf finds or makes the channel between two actors.
func (s *System) channelOf(from, to int32) int32 {
	key := pairKey(from, to)
	if c := s.table.find(key); c.age == s.table.age {
		return c.channel
	}
	return s.newChannel(from, to, key)
}

func (s *System) newChannel(from, to int32, key uint64) int32 {
	n := len(s.channels)
	if n == cap(s.channels) {
		s.channels = append(s.channels, channel{})
	}
	s.channels = s.channels[:n+1]
	a, c := s.actors[to], &s.channels[n]
	c.from, c.to, c.head, c.candidate = from, to, none, none
	c.sibling, a.inward = a.inward, int32(n)
	c.blocked, c.slow = 0, 0
	if s.crosses(from, to) {
		c.blocked = 1
	}
	c.open = a.open && c.blocked == 0
	// There are never more enabled than channels: keep room for all and one more.
	if n+2 > cap(s.enabled.slots) {
		s.enabled.slots = slices.Grow(s.enabled.slots, n+2-len(s.enabled.slots))
	}
	s.table.put(key, int32(n))
	return int32(n)
}

// undeliverable deals with a message whose receiver has ended or is down.
func (s *System) undeliverable(m int32, a *actor) {
	if a.life == down {
		s.discard(m, trace.Dropped)
		return
	}
	s.discard(m, trace.Orphaned)
}

const keptOrphans = 64

// discard gives a message that is in no channel its last fate.
func (s *System) discard(m int32, fate trace.Fate) {
	d := &s.sends[m]
	d.Fate = fate
	if fate == trace.Orphaned && d.Kind != trace.Down && d.Kind != trace.Kill {
		if len(s.orphans) < keptOrphans {
			s.orphans = append(s.orphans, m)
			if !s.recording {
				return // the slot is kept for the report
			}
		} else {
			s.lost++
		}
	}
	s.release(m)
}

// release gives a slot back, unless the trace needs it.
func (s *System) release(m int32) {
	if s.recording {
		s.past++
	} else {
		s.sends[m].Next = s.free
		s.free = m
	}
}
