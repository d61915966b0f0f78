package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// take begins a step. It removes message k of the list ready and returns the
// receiver and the message. If the handler has nothing to do in the step, take
// finishes the step and returns nil. With FIFO delivery, entry k of the list
// becomes the next message of the channel. If the channel has no next message,
// or with Unordered delivery, the last entry is moved to k. The code has no
// branch on whether there is a next message, because the processor could not
// predict the branch.
//
// take, loop and Ctx.Send are the hot path. All calls in take are in tail
// position, so that no variable must be saved across a call.
func (s *System) take(k int) (*actor, any) {
	slots := s.mail.ready
	m := slots[k]
	d := &s.mail.sends[m]
	last := len(slots) - 1
	if s.mail.unordered {
		slots[k] = slots[last]
		s.mail.ready = s.mail.ready[:last] // slicing the field itself makes the compiler store only the new length
	} else {
		next, v, n := d.Next, slots[last], last
		c := &s.mail.channels[d.Channel]
		if !c.open {
			return s.takeClosed(k, m, c)
		}
		c.head = next
		if next >= 0 {
			v = next
		}
		if next >= 0 {
			n = last + 1
		}
		slots[k] = v
		s.mail.ready = slots[:n] // the compiler stores all words of the slice, which costs no time here
	}
	if threaded || s.rec.on || d.Kind >= trace.Timer {
		return s.receive(m)
	}
	a := s.actors[d.To]
	s.rec.cur, s.from, s.ask = d.To, d.From, d.Ask
	s.rec.step = s.rec.steps
	s.rec.steps++
	d.Next = s.mail.free
	s.mail.free = m
	return a, d.Body
}

// takeClosed implements take for a channel whose first message cannot be
// delivered now. After the step, the next deliverable message is searched for.
func (s *System) takeClosed(k int, m int32, c *channel) (*actor, any) {
	s.mail.takeClosed(k, m, c)
	s.todo.afterStep |= workFilter
	return s.receive(m)
}

// receive does the second half of take, except in the common case that take
// handles itself. It begins the step that receives message m.
func (s *System) receive(m int32) (*actor, any) {
	d := &s.mail.sends[m]
	a := s.actors[d.To]
	s.rec.cur, s.from, s.ask = d.To, d.From, d.Ask
	s.calls.top = here()
	if threaded {
		s.threads.slot = m
	}
	s.rec.step = s.rec.steps
	s.rec.steps++
	if s.rec.on {
		s.rec.addStep(d, m, &a.track, trace.Want(a.accept), s.clock.now, s.settling)
		s.mail.past++
		if a.room > 0 && takesRoom(d) {
			s.rec.touch(a.actor, trace.ItsRoom, 0)
		}
		if s.states != nil {
			s.remember(d, a)
		}
	} else {
		s.mail.release(m)
	}
	if d.Kind < trace.Timer || s.isForHandler(a, d.Body, d.Kind, m) {
		return a, d.Body
	}
	if s.todo.afterStep != 0 {
		s.finishStep(a)
	}
	return nil, nil
}

// isForHandler handles the special effects of a message kind, and reports
// whether the actor's handler must receive the message. It returns false for a
// Kill, which it executes, and for an answer to the test's Ask, which it
// stores.
func (s *System) isForHandler(a *actor, body any, kind trace.SendKind, m int32) bool {
	switch kind {
	case trace.Kill:
		s.end(a, "killed")
		return false
	case trace.Periodic:
		s.clock.received(m)
	case trace.Reply:
		if a.actor == trace.Test {
			s.asking.answered(&s.cast, body)
			return false
		}
	}
	if kind != trace.Copy {
		s.ask = 0 // a message of any other kind, such as a timer or a Down, belongs to no Ask
	}
	return true
}

// finishStep does the work that agenda.afterStep requests at the end of a
// step.
func (s *System) finishStep(a *actor) {
	w := s.todo.afterStep
	s.todo.afterStep = s.todo.everyStep
	if w&workCrash != 0 {
		s.mustBeUnwound()
		w &^= workEnd // an actor that called Stop and then crashes has crashed, not ended
	}
	if w&workEnd != 0 {
		s.end(a, "stopped")
	} else if w&workFilter != 0 && a.life == alive {
		s.mail.sift(&a.mailbox)
	}
	if w&workIsolate != 0 {
		s.checkSieve(&a.mailbox)
		s.checkIsolation()
		s.checkDisks()
	}
	if w&workHost != 0 {
		s.hosted()
	}
	if w&workObserve != 0 {
		s.tellObservers()
	}
	if w&workThrow != 0 && s.fails.failure != nil {
		panic(s.fails.failure)
	}
	if w&workCrash != 0 {
		s.inflict(strike{kind: trace.Crash, actor: a.actor})
	}
}

func (s *System) tellObservers() {
	s.rec.callOut()
	for _, o := range s.observers {
		o.Stepped(s, int(s.rec.step))
	}
	if threaded {
		s.threads.barrier()
	}
	s.rec.callOver()
}
