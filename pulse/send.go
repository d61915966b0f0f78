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
	if s.waiting >= s.flood {
		s.flooded()
	}
	s.waiting++
	m := s.slot()
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

// slot returns a place for a message. A recorded run uses none twice: its
// sends are its trace's.
func (s *System) slot() int32 {
	if m := s.free; m >= 0 {
		s.free = s.links[m].next
		return m
	}
	m := len(s.sends)
	if m == cap(s.sends) || m == cap(s.links) {
		s.growSlots()
	}
	s.sends, s.links = s.sends[:m+1], s.links[:m+1]
	return int32(m)
}

func (s *System) growSlots() {
	n := len(s.sends)
	if n == math.MaxInt32 {
		s.misuse("the run has sent 2,147,483,647 messages, the most that one can keep")
	}
	s.sends = append(s.sends, trace.Send{})[:n]
	s.links = append(s.links, link{})[:n]
}

// post puts a message into its channel. Timers come by a channel from nobody.
func (s *System) post(m, from int32) {
	to := s.sends[m].To
	a := s.actors[to]
	s.seq++
	l := &s.links[m]
	l.seq, l.next = s.seq, none
	if a.life != alive {
		s.undeliverable(m, a)
		return
	}
	if s.unordered {
		if a.open && s.faults.cut < 0 {
			s.enabled.slots = append(s.enabled.slots, m)
		} else {
			s.arriveUnordered(m, from, a)
		}
		return
	}
	i := s.channel(from, to)
	l.channel = i
	c := &s.channels[i]
	if c.head < 0 {
		c.head = m
		if c.open {
			s.enabled.slots = append(s.enabled.slots, m)
		}
	} else {
		s.links[c.tail].next = m
	}
	c.tail = m
	if !c.open {
		s.arrive(m, c, a)
	}
}

// channel finds or makes the channel between two actors.
func (s *System) channel(from, to int32) int32 {
	key := pairKey(from, to)
	if c := s.table.find(key); c.age == s.table.age {
		return c.channel
	}
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
	s.waiting--
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
	if !s.recording {
		s.links[m].next = s.free
		s.free = m
	}
}
