package pulse

import (
	"math"
	"runtime"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// What is due at forever never comes; a run lasts until the end of time.
const (
	forever   = math.MaxInt64
	endOfTime = forever - 1
)

// Run takes steps until nothing more can happen and reports whether the run
// has not failed; Err and Failure say what it failed with. It may be called
// again after more has been sent; once a run has failed it stays failed until
// Reset.
func (s *System) Run() bool {
	return s.drive("Run", s.horizon(), true)
}

// horizon is where virtual time ends.
func (s *System) horizon() int64 {
	if h := int64(s.options.Horizon); h > 0 {
		return min(h, endOfTime)
	}
	return endOfTime
}

// RunFor is Run until d of virtual time has passed. What waits for a later
// time goes on waiting, and nobody counts as stuck.
func (s *System) RunFor(d time.Duration) bool {
	if d < 0 {
		s.misuse("RunFor(%v): time does not go back", d)
	}
	return s.drive("RunFor", max(s.now, min(s.later(d), s.horizon())), false)
}

// Settle takes steps in plain order, oldest message first, until nothing is
// deliverable; no time passes. It is for start-up whose order is not what is
// tested: no strategy is asked and no decision is kept.
func (s *System) Settle() bool {
	if !s.mustBeIdle("Settle") {
		return false
	}
	s.settling = true
	defer func() { s.settling = false }()
	return s.drive("Settle", s.now, false)
}

// drive takes steps and reports whether the run has not failed.
func (s *System) drive(what string, until int64, final bool) bool {
	if !s.mustBeIdle(what) {
		return false
	}
	if s.failure == nil {
		s.attempts(until, final)
	}
	if s.failure != nil && s.options.Failed != nil {
		s.options.Failed(s.failure)
	}
	return s.failure == nil
}

// attempts runs the loop, again after each panic that a supervisor has dealt with.
func (s *System) attempts(until int64, final bool) {
	s.enter()
	defer s.leave()
	s.timers.timed, s.until = !final, until
	for !s.attempt(until) {
	}
	if f := s.intruder.Load(); f != nil { // else what it has broken would be told
		s.failure = f
	}
	switch {
	case s.failure != nil:
	case final:
		s.judge()
	default:
		s.now = until
	}
}

// enter suspends the step that the test is.
func (s *System) enter() {
	s.root = origin{s.sent, s.spawned}
	s.running, s.ran = true, true
	s.g, s.span = goroutine(), 0
}

// leave resumes it.
func (s *System) leave() {
	s.running = false
	s.cur, s.step, s.curID, s.from, s.ask = trace.Test, none, rootID, none, 0
	s.sent, s.spawned = s.root.sent, s.root.spawned
	if e, ok := s.strategy.(Ender); ok && s.begun && !s.settling {
		e.End(s.Trace())
	}
}

// watchful says what must be looked at before each step.
func (s *System) watchful() work {
	var w work
	if s.settling {
		return w
	}
	if n := s.options.EarlyTimers; n < 0 || s.faults.early < n {
		w |= workClock
	}
	if s.faults.strikes {
		w |= workFault
	}
	return w
}

// attempt runs until the end, or until a panic; it says whether the run is over.
func (s *System) attempt(until int64) (over bool) {
	exited := true // unless we get to the end of this function
	defer func() {
		if !exited {
			return
		}
		if v := recover(); v != nil {
			over = s.panicked(v)
			return
		}
		// The step called runtime.Goexit, as testing's FailNow does: the
		// goroutine goes on unwinding, and nothing of ours may stay behind.
		s.abandon()
	}()
	if f := s.panic; f != nil && !s.resume(f) {
		exited = false
		return true
	}
	if !s.settling {
		s.begin()
	}
	s.before = s.watchful()
	if s.always&workIsolate != 0 {
		s.checkIsolation()
	}
	s.loop(until)
	exited = false
	return true
}

// abandon leaves nothing running when a step takes the goroutine with it.
func (s *System) abandon() {
	s.running = false
	s.fail(&Failure{Kind: KindMisuse, Text: "the run was left by runtime.Goexit in " + s.where() +
		" (a FailNow in a handler?)"})
	s.killProcesses()
	s.pool.close()
}

// loop is the hot path: pick, deliver, until nothing is left.
func (s *System) loop(until int64) {
	strategy := s.strategy
	if s.settling {
		strategy = plain{}
	}
	for {
		n := len(s.enabled.slots)
		if n == 0 {
			s.cur = trace.Test
			if !s.rest(until) {
				return
			}
			continue
		}
		if s.before != 0 && s.interrupt(until) {
			continue
		}
		if s.steps >= s.limit {
			s.exhausted()
			return
		}
		k := 0
		if n > 1 || s.asksOne && !s.settling {
			if k = strategy.Pick(&s.enabled); uint(k) >= uint(n) {
				s.cur = trace.Test
				if !s.held(k, n, until) {
					return
				}
				continue
			}
		}
		s.deliver(k)
	}
}

// deliver takes one step: message k of the enabled is received. In its place
// among them comes the one behind it in its channel, else the last of them;
// which of the two is a coin toss, so it is written without a branch.
//
// It and Ctx.Send are the hot path. What is not the plain case leaves them
// early and by a last call, so that nothing need be kept across it.
func (s *System) deliver(k int) {
	slots := s.enabled.slots
	m := slots[k]
	d := &s.sends[m]
	last := len(slots) - 1
	v, n := slots[last], last
	if !s.unordered {
		next := d.Next
		c := &s.channels[d.Channel]
		if !c.open {
			s.deliverClosed(k, m, c)
			return
		}
		c.head = next
		if next >= 0 {
			v = next
		}
		if next >= 0 {
			n = last + 1
		}
	}
	slots[k] = v
	s.enabled.slots = s.enabled.slots[:n] // of itself: only the length is stored
	if s.recording || d.Kind >= trace.Timer {
		s.receive(m)
		return
	}
	a := s.actors[d.To]
	s.cur, s.from, s.ask = d.To, d.From, d.Ask
	s.top = here()
	s.step = s.steps
	s.steps++
	d.Next = s.free
	s.free = m
	a.handler.Receive(&a.ctx, d.Body)
	if s.after != 0 {
		s.finishStep(a)
	}
}

// deliverClosed is deliver for a receiver that does not take just anything:
// what comes in the message's place is seen after the step.
func (s *System) deliverClosed(k int, m int32, c *channel) {
	s.enabled.remove(k)
	s.unlink(m, c)
	s.after |= workFilter
	s.receive(m)
}

// receive is the second half of deliver, for any message in slot m.
func (s *System) receive(m int32) {
	d := &s.sends[m]
	a := s.actors[d.To]
	s.cur, s.from, s.ask = d.To, d.From, d.Ask
	s.top = here()
	s.step = s.steps
	s.steps++
	if s.recording {
		s.recordStep(d, a, m)
	} else {
		s.release(m)
	}
	if d.Kind < trace.Timer {
		a.handler.Receive(&a.ctx, d.Body)
	} else {
		s.receiveSpecial(a, d.Body, d.Kind, m)
	}
	if s.after != 0 {
		s.finishStep(a)
	}
}

// recordStep writes the step that begins into the trace.
func (s *System) recordStep(d *trace.Send, a *actor, m int32) {
	t := &s.trace
	n := len(t.Steps)
	if n == cap(t.Steps) {
		t.Steps = append(t.Steps, trace.Step{})
	}
	t.Steps = t.Steps[:n+1]
	st := &t.Steps[n] // field by field: a literal would be built first and then copied
	id := stepID(d.ID, a.id)
	d.Receipt, d.Fate = s.step, trace.Delivered
	st.ID, st.Time = id, s.now
	st.Send, st.Actor, st.Prev = m, d.To, a.last
	st.Kind, st.Changed, st.Settled, st.Wanted = trace.Receive, false, s.settling, trace.Want(a.accept)
	a.last = s.step
	s.past++
	s.sent, s.spawned = 0, 0
	s.curID = id
	s.hash = fold(s.hash, id)
	if s.states != nil {
		s.remember(d, a, st.Prev)
	}
}

// receiveSpecial receives what is not an ordinary message.
func (s *System) receiveSpecial(a *actor, body any, kind trace.SendKind, m int32) {
	switch kind {
	case trace.Kill:
		s.end(a, "killed")
		return
	case trace.Periodic:
		s.timers.received(m)
	}
	if kind != trace.Copy {
		s.ask = 0 // it answers one, or nobody asked
	}
	a.handler.Receive(&a.ctx, body)
}

// finishStep looks at what the step has left to do.
func (s *System) finishStep(a *actor) {
	w := s.after
	s.after = s.always
	if w&workEnd != 0 {
		s.end(a, "stopped")
	} else if w&workFilter != 0 && a.life == alive {
		s.refilter(a)
	}
	if w&workIsolate != 0 {
		s.checkIsolation()
	}
	if w&workObserve != 0 {
		s.tellObservers()
	}
	if w&workIntruder != 0 && s.failure != nil {
		panic(s.failure)
	}
}

func (s *System) tellObservers() {
	if o := s.options.Observer; o != nil {
		o.Stepped(s, int(s.step))
	}
	for _, o := range s.observers {
		o.Stepped(s, int(s.step))
	}
}

// rest is when nothing is deliverable: something goes wrong, time passes, or
// the run is over, and then rest is false.
func (s *System) rest(until int64) bool {
	if f := s.intruder.Load(); f != nil {
		s.fail(f)
		return false
	}
	if s.failure != nil {
		return false
	}
	if n := int32(len(s.trace.Steps)); s.recording && n > 0 && (len(s.trace.Rests) == 0 || s.trace.Rests[len(s.trace.Rests)-1] != n) {
		s.trace.Rests = append(s.trace.Rests, n)
	}
	if s.before&workFault != 0 && s.strike() {
		return true
	}
	return s.passTime(until) || s.healAtEnd()
}

// interrupt asks, before a step, for what may come instead of it. It says
// whether something did.
func (s *System) interrupt(until int64) bool {
	if s.before&workFault != 0 && s.strike() {
		return true
	}
	if s.before&workClock != 0 && s.timePasses(until) && s.choose(choice.Clock, 2) == 1 {
		if s.faults.early++; s.faults.early == s.options.EarlyTimers {
			s.before &^= workClock
		}
		return s.passTime(until)
	}
	return false
}

// held deals with a pick that is no message: the strategy holds them all
// back, gives up, or is wrong. It says whether the run goes on.
func (s *System) held(k, n int, until int64) bool {
	switch {
	case k == Hold && s.asksOne:
		if s.passTime(until) {
			return true
		}
		s.badStrategy("holds back all of %d deliverable messages and no timer is left", n)
	case k == Quit && s.quit():
	default:
		s.badStrategy("picked %d of %d deliverable messages", k, n)
	}
	return false
}

// mayCall says whether a method of the system may be called now.
func (s *System) mayCall(what string) bool {
	if s.closed {
		s.misuse("%s on a system that is closed: the property that it was made for has returned", what)
	}
	s.unwind()
	if s.running && s.g != goroutine() {
		s.intrude(what, "system")
		return false
	}
	return true
}

// wrong says what is wrong with a call of a Ctx.
func (c *Ctx) wrong(what string) bool {
	s := c.sys
	if s == nil {
		panic(&Failure{Kind: KindMisuse, Text: what + ": the Ctx is the zero Ctx; use the one that Receive was given"})
	}
	s.unwind()
	switch {
	case s.running && s.g != goroutine():
		s.intrude(what, "Ctx")
		return false
	case s.closed:
		s.misuse("%s on a Ctx of a system that is closed", what)
	case !s.running:
		s.misuse("%s on the Ctx of %s after its step: a Ctx is good only until Receive returns", what, s.nameOf(c.actor))
	}
	s.misuse("%s on the Ctx of %s in a step of %s: a Ctx was kept or handed on", what, s.nameOf(c.actor), s.nameOf(s.cur))
	return false
}

// nameOf names an actor that may be of an older run.
func (s *System) nameOf(actor int32) string {
	if int(actor) < len(s.trace.Actors) {
		return s.trace.Name(actor)
	}
	return "an actor of an earlier run"
}

// intrude keeps the failure of a call from another goroutine. That goroutine
// is not made to panic: it would take the process with it.
func (s *System) intrude(what, on string) {
	f := &Failure{Kind: KindMisuse, Text: what + " on a " + on + " from another goroutine: " +
		"a system is used by the goroutine that runs it, and by handlers; send what other goroutines make before Run"}
	var pcs [32]uintptr
	f.setFrames(pcs[:runtime.Callers(3, pcs[:])])
	s.intruder.CompareAndSwap(nil, f)
}
