package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// acceptance says which messages an actor takes at this point. Plain handlers
// take anything; a process takes what it waits for (Erlang's selective
// receive). What it does not take stays in its channel, and the first message
// in the channel that it does take can be delivered.
//
// The constants are those of trace.Want, in its order.
type acceptance uint8

const (
	anything acceptance = iota
	nothing             // only what cannot be refused
	starting            // the message that begins a process
	matching            // what its predicate holds for
	replying            // the answer to one Ask
	waking              // the timer of one Sleep
)

// accepts says whether an actor takes a message now.
func (a *actor) accepts(d *trace.Send) bool {
	if d.Kind == trace.Kill || a.isWake(d) {
		return true
	}
	switch a.accept {
	case anything:
		return true
	case starting:
		return d.Kind == trace.Start
	case matching:
		return d.Kind != trace.Reply && !isWake(d) && a.match(d.Body)
	case replying:
		return d.Kind == trace.Reply && d.Ask == a.await
	}
	return false
}

// isWake says whether a message is the one that ends the waiting of this actor.
func (a *actor) isWake(d *trace.Send) bool { return a.await != 0 && d.Ask == a.await && isWake(d) }

func isWake(d *trace.Send) bool { return d.Kind == trace.Timer && d.Ask != 0 }

// setOpen keeps count of the actors that do not take just anything: with
// Unordered delivery, where no channel knows it, a bit stands for there being any.
func (s *System) setOpen(a *actor, open bool) {
	if a.open == open {
		return
	}
	a.open = open
	if open {
		s.choosy--
	} else {
		s.choosy++
	}
	s.flagChoosy()
}

func (s *System) flagChoosy() {
	s.onSend &^= workChoosy
	if s.unordered && (s.choosy > 0 || s.faults.cut >= 0) {
		s.onSend |= workChoosy
	}
}

// refilter makes what can be delivered to an actor agree with what it accepts
// and with which of its channels are blocked.
func (s *System) refilter(a *actor) {
	open := a.life == alive && a.accept == anything
	if open && a.open && s.faults.cut < 0 && s.faults.slow == 0 {
		return
	}
	s.setOpen(a, open)
	to := a.ctx.actor
	if s.unordered {
		s.refilterUnordered(a)
		return
	}
	s.enabled.removeIf(func(m int32) bool { return s.sends[m].To == to })
	for i := a.inward; i >= 0; i = s.channels[i].sibling {
		c := &s.channels[i]
		c.open = open && c.blocked == 0 && c.slow == 0
		c.candidate = none
		if c.blocked != 0 || a.life != alive {
			continue
		}
		m := c.head
		for m >= 0 && !open && !a.accepts(&s.sends[m]) && (c.slow == 0 || !s.isSlow(m)) {
			m = s.sends[m].Next
		}
		if m >= 0 && (c.slow == 0 || !s.isSlow(m)) {
			c.candidate = m
			s.enabled.slots = append(s.enabled.slots, m)
		}
	}
}

// unlink takes a message out of the middle of its channel.
func (s *System) unlink(m int32, c *channel) {
	next := s.sends[m].Next
	if c.candidate == m {
		c.candidate = none
	}
	if c.head == m {
		c.head = next
		return
	}
	before := c.head
	for s.sends[before].Next != m {
		before = s.sends[before].Next
	}
	s.sends[before].Next = next
	if c.tail == m {
		c.tail = before
	}
}

// withdraw takes back a message that is waiting and that nobody wants any more.
func (s *System) withdraw(m int32) {
	s.enabled.removeIf(func(x int32) bool { return x == m })
	d := &s.sends[m]
	slow := s.lose(m)
	if s.unordered {
		s.unhold(m)
	} else {
		c := &s.channels[s.sends[m].Channel]
		s.unlink(m, c)
		if a := s.actors[d.To]; c.open && c.head >= 0 || slow {
			s.reopen(a)
		}
	}
	s.discard(m, trace.Dropped)
}

// reopen makes an actor's channels be looked at anew although it was open.
func (s *System) reopen(a *actor) {
	s.setOpen(a, false)
	s.refilter(a)
}

// empty discards all that waits for an actor.
func (s *System) empty(a *actor, fate trace.Fate) {
	to := a.ctx.actor
	if s.unordered {
		s.emptyUnordered(to, fate)
		return
	}
	waiting := false
	for i := a.inward; i >= 0; i = s.channels[i].sibling {
		c := &s.channels[i]
		waiting = waiting || c.head >= 0
		for m := c.head; m >= 0; {
			next := s.sends[m].Next // discard may use the link
			s.lose(m)
			s.discard(m, fate)
			m = next
		}
		c.head, c.candidate, c.open = none, none, false
	}
	if waiting {
		s.enabled.removeIf(func(m int32) bool { return s.sends[m].To == to })
	}
}
