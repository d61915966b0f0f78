package pulse

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// take begins a step. It removes message k of the list ready and returns the
// receiver and the message. If the step is already over, the actor is nil. With
// FIFO delivery the next message of the channel takes entry k of the list. If
// there is none, or with Unordered delivery, the last entry is moved there. The
// processor could not predict which of the two happens, so the code has no
// branch on that.
//
// take, loop and Ctx.Send are the hot path. In all but the common case take
// ends with a call in tail position, so that no variable must be saved across
// the call.
func (s *System) take(k int) (*actor, any) {
	slots := s.mail.ready
	m := slots[k]
	d := &s.mail.sends[m]
	last := len(slots) - 1
	if s.mail.unordered {
		slots[k] = slots[last]
		s.mail.ready = s.mail.ready[:last] // a slice of itself, so that only the length is stored
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
		s.mail.ready = slots[:n] // storing only the length is no faster here
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

// takeClosed implements take for a closed channel. The next deliverable message
// of the channel is determined after the step.
func (s *System) takeClosed(k int, m int32, c *channel) (*actor, any) {
	s.mail.takeClosed(k, m, c)
	s.todo.afterStep |= workFilter
	return s.receive(m)
}

// receive is the second half of take for all cases but the common one.
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

// isForHandler reports whether the actor's handler receives a message of a
// special kind. It handles a Kill and an answer to the test's Ask itself.
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
		s.ask = 0 // the message belongs to no Ask that the handler could answer
	}
	return true
}

// finishStep does the work that afterStep requests at the end of a step.
func (s *System) finishStep(a *actor) {
	w := s.todo.afterStep
	s.todo.afterStep = s.todo.everyStep
	if w&workCrash != 0 {
		s.mustBeUnwound()
		w &^= workEnd // the actor crashes instead of ending
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

// strike asks the strategy whether a fault happens before the next step, and
// reports whether one did. If Pick chooses crashes, strike only offers them and
// returns false.
func (s *System) strike() bool {
	list := s.listStrikes()
	s.faults.offered = 0
	if len(list) == 0 {
		return false
	}
	if s.needs.Strikes && s.options.offersStrikes() {
		s.faults.offer(&s.rec)
		return false
	}
	v := s.choose(choice.Fault, len(list)+1)
	if v == 0 {
		return false
	}
	s.inflict(list[v-1])
	return true
}

// inflict makes a fault happen, as a step of the affected actor.
func (s *System) inflict(x strike) {
	a := s.actors[x.actor]
	s.rec.beginFault(x.kind, faultName(x.kind, x.lose), x.actor, &a.track, s.clock.now)
	s.from, s.ask = none, 0
	s.faults.spend(x)
	switch x.kind {
	case trace.Crash:
		s.rec.touch(a.actor, trace.ItsLife, 0)
		s.loseNews(a)
		s.crash(a)
	case trace.Restart:
		s.rec.touch(a.actor, trace.ItsLife, 0)
		handler := s.anew(a, x.lose)
		a.life = alive
		s.renew(a, handler, a.actor)
		s.mail.reopen(&a.mailbox)
	case trace.Partition:
		s.mail.partition(x.actor)
	case trace.Heal:
		s.mail.heal()
	}
	s.finishStep(a)
	s.rec.cur = trace.Test
}

// healAtEnd heals the current partition before the run ends. It returns false
// if there was none.
func (s *System) healAtEnd() bool {
	if s.mail.cut < 0 {
		return false
	}
	s.inflict(strike{kind: trace.Heal, actor: s.mail.cut})
	return true
}
