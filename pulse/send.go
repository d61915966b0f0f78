package pulse

import (
	"math"

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
	s.sendAs(s.cur, r.actor, killed{}, trace.Kill, 0)
}

// killed is the body of a Kill.
type killed struct{}

func (s *System) send(to Ref, msg any) {
	if to.sys != s || to.run != s.run {
		s.check(to, "Send "+describe(msg))
	}
	kind := trace.Message
	if to.ask != 0 {
		if !s.awaited(to) {
			return
		}
		kind = trace.Reply
	}
	m := s.sendAs(s.cur, to.actor, msg, kind, to.ask)
	if kind == trace.Reply && s.sends[m].Fate == trace.Pending {
		s.actors[to.actor].answered = to.ask
	}
}

// Send puts a message on its way. It is the hot path of a run, so it is
// written out for an ordinary message that goes to an actor which takes
// anything; for all others there is sendAs.
func (c *Ctx) Send(to Ref, msg any) {
	s := c.sys
	if s.cur != c.actor || s.g != goroutine() {
		if !c.wrong("Send") {
			return
		}
	}
	if to.sys != s || to.run != s.run || to.ask|int32(s.onSend) != 0 {
		s.send(to, msg)
		return
	}
	m := s.free
	if m < 0 {
		m = s.newSlot()
	} else {
		s.free = s.sends[m].Next
	}
	d := &s.sends[m]
	d.Body = msg
	d.From, d.To, d.Step, d.Receipt = c.actor, to.actor, s.step, none
	d.Ask, d.Kind, d.Fate = 0, trace.Message, trace.Pending
	if s.recording {
		d.ID = messageID(s.types.of(msg).hash, s.curID, s.sent)
	}
	s.sent++
	if !s.actors[to.actor].open || s.faults.cut >= 0 {
		s.post(m, c.actor)
		return
	}
	if s.unordered {
		s.seq++
		d.Seq = s.seq
		s.enabled.slots = append(s.enabled.slots, m)
		return
	}
	known := &c.out[uint32(to.actor)%uint32(len(c.out))]
	if known.to != ^to.actor {
		*known = outward{^to.actor, s.channelOf(c.actor, to.actor)}
	}
	d.Channel = known.channel
	s.enqueue(d, m)
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
	m := s.newSlot()
	d := &s.sends[m]
	d.Body = msg
	d.From, d.To, d.Step, d.Receipt = from, to, s.step, none
	d.Ask, d.Kind, d.Fate = ask, kind, trace.Pending
	if s.recording {
		d.ID = messageID(s.types.of(msg).hash, s.curID, s.sent)
	}
	s.sent++
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
	a := s.actors[d.To]
	switch {
	case a.life != alive:
		s.undeliverable(m, a)
	case !s.unordered:
		d.Channel = s.channelOf(from, d.To)
		s.enqueue(d, m)
	case a.open && s.faults.cut < 0:
		s.seq++
		d.Seq = s.seq
		s.enabled.slots = append(s.enabled.slots, m)
	default:
		s.seq++
		d.Seq = s.seq
		s.arriveUnordered(m, from, a)
	}
}

// enqueue puts a message at the end of its channel. If the channel was empty
// and is open the enabled grow by one; whether it was is a coin toss, so
// there is no branch on it.
func (s *System) enqueue(d *trace.Send, m int32) {
	n := len(s.enabled.slots)
	if n == cap(s.enabled.slots) {
		s.enabled.slots = append(s.enabled.slots, 0)
	}
	slots := s.enabled.slots[:n+1]
	c := &s.channels[d.Channel]
	head, before := c.head, c.tail
	empty := int(uint32(head) >> 31)
	if head < 0 {
		before = m
	}
	if head < 0 {
		head = m
	}
	s.seq++
	d.Seq = s.seq
	s.sends[before].Next = m
	d.Next = none
	c.head, c.tail = head, m
	if !c.open {
		s.arrive(m, c)
		return
	}
	slots[n] = m
	s.enabled.slots = slots[:n+empty]
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
	i := int32(len(s.channels))
	a := s.actors[to]
	c := channel{from: from, to: to, head: none, candidate: none, sibling: a.inward}
	if s.crosses(from, to) {
		c.blocked = 1
	}
	c.open = a.open && c.blocked == 0
	a.inward = i
	s.channels = append(s.channels, c)
	s.table.put(key, i)
	return i
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
