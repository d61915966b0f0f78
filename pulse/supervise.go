package pulse

import (
	"fmt"
	"runtime"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Directive says what follows when an actor panics.
type Directive uint8

const (
	// Fail lets the run fail.
	Fail Directive = iota
	// Restart starts the actor again: with a new state if its Spec has New or
	// Process, else with the one that it has. The message that it panicked on
	// is gone, those that wait stay. Its children and timers end.
	Restart
	// Stop ends the actor and its children.
	Stop
	// Escalate treats the panic as one of the actor that spawned it.
	Escalate
)

const defaultRestarts = 10

// panicked decides what a panic in a step means and says whether the run is over.
func (s *System) panicked(v any) (over bool) {
	if f, ok := v.(*Failure); ok { // thrown by this package or by who watches
		s.fail(f)
		return true
	}
	if s.failure != nil {
		return true
	}
	f := s.panicFailure(v)
	if s.cur == trace.Test {
		f.Text = fmt.Sprintf("panic outside of a step: %v", f.Value)
		s.fail(f)
		return true
	}
	a := s.actors[s.cur]
	if !s.supervise(a) {
		s.fail(f)
		return true
	}
	s.note(fmt.Sprintf("panicked: %v", f.Value))
	s.after &^= workEnd
	s.finishStep(a)
	s.cur = trace.Test
	return false
}

func (s *System) panicFailure(v any) *Failure {
	f := &Failure{Kind: Panic, Step: int(s.step), Value: v}
	if c, ok := v.(*carried); ok {
		f.Value = c.value
		f.setFrames(c.pcs)
	} else {
		var pcs [64]uintptr
		f.setFrames(pcs[:runtime.Callers(3, pcs[:])])
	}
	f.Text = fmt.Sprintf("panic in %s: %v", s.where(), f.Value)
	return f
}

// supervise follows the directives from a panicking actor upward and says
// whether one of them has dealt with the panic.
func (s *System) supervise(a *actor) bool {
	for {
		switch a.spec.OnPanic {
		case Restart:
			if a.restarts < orDefault(a.spec.Restarts, defaultRestarts) {
				a.restarts++
				s.restart(a)
				return true
			}
		case Stop:
			s.endChildren(a.ctx.actor, "stopped")
			s.end(a, "panicked")
			return true
		case Fail:
			return false
		}
		if a.parent <= trace.Test {
			return false
		}
		a = s.actors[a.parent]
		if a.life != alive {
			return false
		}
	}
}

// restart starts an actor again within the step in which it, or one that it
// spawned, panicked. Its mailbox stays.
func (s *System) restart(a *actor) {
	s.endChildren(a.ctx.actor, "stopped")
	s.removeTimersOf(a.ctx.actor)
	if p := a.process; p != nil {
		a.process = nil
		s.killProcess(p)
	}
	s.renew(a, true)
	s.reopen(a)
}
