package pulse

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Run takes steps until nothing more can happen. It returns false if the run
// has failed; Err and Failure then return the failure. Run may be called again
// after more messages were sent. A failed run stays failed until Reset.
func (s *System) Run() bool {
	return s.drive("Run", s.options.horizon(), true)
}

// RunFor is like Run, but stops after d of virtual time. Events due later stay
// pending, and no actor counts as stuck.
func (s *System) RunFor(d time.Duration) bool {
	if d < 0 {
		s.misuse("RunFor(%v): the duration must not be negative", d)
	}
	return s.drive("RunFor", max(s.clock.now, min(s.clock.later(d), s.options.horizon())), false)
}

// Settle delivers the oldest message first until nothing is deliverable. It
// does not advance the clock, asks no strategy and records no decision. Use it
// for start-up whose order is not under test. Like Run, it returns false if the
// run has failed.
func (s *System) Settle() bool {
	if !s.mustBeIdle("Settle") {
		return false
	}
	s.settling = true
	defer func() { s.settling = false }()
	return s.drive("Settle", s.clock.now, false)
}

// drive takes steps until nothing more can happen up to the time until. It
// returns false if the run has failed. If final is set, drive then checks for
// stuck actors and orphans.
func (s *System) drive(what string, until int64, final bool) bool {
	if !s.mustBeIdle(what) {
		return false
	}
	if s.fails.failure == nil {
		s.attempts(until, final)
	}
	if s.fails.failure != nil && s.options.Failed != nil {
		s.options.Failed(s.fails.failure)
	}
	return s.fails.failure == nil
}

// attempts calls attempt until the run is over, then makes the final checks.
func (s *System) attempts(until int64, final bool) {
	s.enter()
	defer s.leave()
	if threaded {
		s.threads.barrier()
	}
	s.clock.timed, s.until = !final, until
	s.rec.passes(&s.faults, s.mail.seq, trace.ByTest)
	for !s.attempt(until) {
	}
	s.fails.settle()
	switch {
	case s.fails.failure != nil, s.todo.beforeStep&workAnswer != 0:
	case final:
		s.judge()
	default:
		s.clock.now = until
	}
}

// enter marks the system as running. It saves the counts of the test's own
// actions, which continue after the run (see origin).
func (s *System) enter() {
	s.root = origin{s.rec.sent, s.rec.spawned}
	s.entered++
	s.calls.enter()
}

// leave marks the system as not running and restores the counts that enter has
// saved. If the strategy is an Ender, leave calls its method End.
func (s *System) leave() {
	s.calls.running = false
	s.rec.outside(s.root)
	s.from, s.ask = none, 0
	if e, ok := s.strategy.(Ender); ok && s.begun && !s.settling {
		e.End(s.view())
	}
}

// watchful returns the initial value of agenda.beforeStep. Its bits say
// whether the strategy is asked for an early timer or a fault before each
// step.
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

// attempt takes steps by calling loop. It returns true if the run is over. It
// returns false after a panic or a crash within a step, which the next attempt
// handles.
func (s *System) attempt(until int64) (over bool) {
	exited := true // set until this function returns normally, so that the deferred function detects a panic or Goexit
	defer func() {
		if !exited {
			return
		}
		if v := recover(); v != nil {
			over = s.panicked(v)
			return
		}
		// The step called runtime.Goexit, as testing's FailNow does. The
		// goroutine keeps unwinding, so this is the last chance to release the
		// coroutines.
		s.abandon()
	}()
	if f := s.fails.panicked; f != nil && !s.resume(f) {
		exited = false
		return true
	}
	if s.todo.afterStep&workCrash != 0 {
		s.finishStep(s.actors[s.rec.cur])
	}
	if !s.settling {
		s.begin()
	}
	s.todo.beforeStep = s.watchful()
	if s.todo.everyStep&workIsolate != 0 {
		s.checkIsolation()
		s.checkDisks()
	}
	s.loop(until)
	exited = false
	return true
}

// abandon fails the run because a step called runtime.Goexit. It ends all
// processes and coroutines that wait.
func (s *System) abandon() {
	s.calls.running = false
	s.unwound()
	s.fails.abandon(s.where())
	s.endCode()
}

// loop takes steps until nothing more can happen, the run fails, or the test's
// Ask is answered. It is part of the hot path.
func (s *System) loop(until int64) {
	strategy := s.strategy
	if s.settling {
		strategy = plain{}
	}
	for {
		n := len(s.mail.ready)
		if n == 0 {
			s.rec.cur = trace.Test
			if !s.rest(until) {
				return
			}
			continue
		}
		if s.todo.beforeStep != 0 {
			if s.todo.beforeStep&workAnswer != 0 {
				return
			}
			if s.rec.steps < s.limit && s.interrupt(until) { // at the limit of steps the strategy is not asked, because the run fails below
				continue
			}
		}
		if s.rec.steps >= s.limit {
			s.exhausted()
			return
		}
		k := 0
		if n > 1 || (s.needs.Single || s.faults.offered > 0) && !s.settling {
			s.rec.callOut() // record that no actor's code runs until the next step begins
			if k = strategy.Pick(&s.enabled); uint(k) >= uint(n) {
				s.rec.cur = trace.Test
				if !s.pickedNone(k, n, until) {
					return
				}
				continue
			}
			s.enabled.picked = k
		}
		a, body := s.take(k)
		if a == nil {
			continue
		}
		s.calls.top = here()
		if _, is := a.handler.(processActor); !is {
			if threaded {
				onThread(s, a, body)
			} else {
				a.handler.Receive(&a.ctx, body)
			}
		} else {
			// This is Coroutine.Resume, inlined by hand. Each avoided call
			// counts, because a switch of stacks spoils the processor's return
			// prediction.
			c := s.hand(a, body)
			g, top, span := s.calls.g, s.calls.top, s.calls.span
			s.calls.g, s.calls.top, s.calls.span = c.g, c.top, c.span
			c.resume()
			c.span = s.calls.span
			s.calls.g, s.calls.top, s.calls.span = g, top, span
			if c.ended {
				s.codeEnded(a)
			}
		}
		if s.todo.afterStep != 0 {
			s.finishStep(a)
		}
	}
}

// rest is called when no message is deliverable. It lets a fault happen,
// advances the clock or ends a partition. It returns false if none of these is
// possible or if the run has ended in another way.
func (s *System) rest(until int64) bool {
	if f := s.fails.intruder.Load(); f != nil {
		s.fails.fail(f)
		return false
	}
	if s.fails.failure != nil {
		return false
	}
	if s.rec.steps > s.limit { // a fault, which is a step too, has exceeded the limit
		s.exhausted()
		return false
	}
	if s.todo.beforeStep&(workFault|workAnswer) == workFault {
		if s.strike() || s.faults.offered > 0 && picksAtRest(s, until) {
			return true // not recorded as a quiescent point: the fault depends only on its actor's steps and could have come earlier
		}
		if s.fails.failure != nil {
			return false
		}
	}
	s.rec.atRest()
	if s.todo.beforeStep&workAnswer != 0 {
		return false
	}
	if s.timeCanPass(until) {
		s.rec.passes(&s.faults, s.mail.seq, trace.AtRest)
		return s.passTime(until)
	}
	return s.healAtEnd() || s.needs.End && !s.settling && picksAtRest(s, until)
}

// picksAtRest lets Pick choose a crash, or go back to a snapshot, when no message
// is deliverable. It reports whether the run continues.
func picksAtRest(s *System, until int64) bool {
	s.rec.callOut()
	k := s.strategy.Pick(&s.enabled)
	s.rec.callOver()
	return k != Hold && s.pickedNone(k, 0, until)
}

// interrupt asks the strategy whether a fault or an early timer comes before
// the next step. It reports whether the fault or the early timer has happened.
func (s *System) interrupt(until int64) bool {
	if s.todo.beforeStep&workFault != 0 && s.strike() {
		return true
	}
	if s.todo.beforeStep&workClock == 0 {
		return false
	}
	can := s.timeCanPass(until)
	if s.faults.timed {
		if s.faults.offered = 0; can {
			s.faults.offerTime(&s.rec)
		}
		return false
	}
	return can && s.choose(choice.Clock, 2) == 1 && passEarly(s, until)
}

// canHold reports whether a timer may fire early now, so that Pick may return
// Hold.
func canHold(s *System, until int64) bool {
	return s.todo.beforeStep&workClock != 0 && s.timeCanPass(until)
}

// passEarly advances the clock to the next due time while messages can be
// delivered. It reports whether anything was due.
func passEarly(s *System, until int64) bool {
	if s.faults.early++; s.faults.early == s.options.EarlyTimers {
		s.todo.beforeStep &^= workClock
	}
	s.faults.offered = 0
	s.rec.passes(&s.faults, s.mail.seq, trace.Early)
	return s.passTime(until)
}

// pickedNone handles a result k of Pick that is not the index of a message,
// with n messages deliverable. k may select a fault or an early timer, may be
// Hold or Quit, or may be invalid. pickedNone reports whether the run
// continues.
func (s *System) pickedNone(k, n int, until int64) bool {
	switch {
	case k >= n && k < n+s.faults.offered:
		if x := s.faults.take(k-n, &s.rec); x.actor != none {
			s.inflict(x)
			return true
		}
		return passEarly(s, until)
	case k == Hold && s.needs.Single:
		if canHold(s, until) {
			s.rec.held()
			return passEarly(s, until)
		}
		s.badStrategy("returned Hold for %d deliverable messages, but no timer may fire early: check Enabled.CanHold first", n)
	case k == Quit && s.quit():
	case k == Again && s.enabled.restored:
		s.enabled.restored = false
		return true
	default:
		s.badStrategy("picked %d of %d deliverable messages, counted from 0", k, n)
	}
	return false
}

// judge checks a run in which nothing more can happen. It fails the run if
// there are stuck actors, if there are orphans and Options.Orphans is set, or
// if the strategy is a Judge and returns an error.
func (s *System) judge() {
	if f := s.stuck(s.options.Environment == EnvironmentClosed); f != nil {
		s.fails.fail(f)
		return
	}
	if s.options.Orphans && s.mail.orphans.count() > 0 {
		s.fails.fail(s.orphaned())
		return
	}
	if j, ok := s.strategy.(Judge); ok {
		if err := j.Err(); err != nil {
			s.fails.fail(&Failure{Kind: KindNondeterminism, Text: err.Error(), Step: int(s.rec.steps)})
		}
	}
}

// exhausted fails the run because the run has reached its limit of steps.
func (s *System) exhausted() {
	s.fails.fail(&Failure{Kind: KindBudget, Step: int(s.rec.step), Site: "steps", Detail: s.rec.repeating(s.mail.sends), Text: fmt.Sprintf(
		"the run has not ended after %d steps: does it run forever? if not, raise Options.Steps", s.limit)})
}
