package pulse

import (
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Directive says what follows when an actor panics.
type Directive uint8

const (
	// Fail lets the run fail.
	OnPanicFail Directive = iota
	// Restart starts the actor again: with a new state if its Spec has New or
	// Process, else with the one that it has. The message that it panicked on
	// is gone, those that wait stay. Its children and timers end.
	OnPanicRestart
	// Stop ends the actor and its children.
	OnPanicStop
	// Escalate treats the panic as one of the actor that spawned it.
	OnPanicEscalate
)

const defaultRestarts = 10

// panicked decides what a panic means and says whether the run is over. If
// not, the panic is a step's, and supervisors are asked when the loop goes on:
// what they call may panic too.
func (s *System) panicked(v any) (over bool) {
	if f, ok := v.(*Failure); ok { // thrown by this package or by who watches
		s.fail(f)
		return true
	}
	if s.failure != nil {
		return true
	}
	f, inStep := s.panicFailure(v)
	if !inStep {
		s.fail(f)
		return true
	}
	s.panic = f
	return false
}

// resume goes on after a step that panicked and says whether anyone has dealt
// with that.
func (s *System) resume(f *Failure) bool {
	s.panic = nil
	a := s.actors[s.cur]
	if !s.supervise(a) {
		s.fail(f)
		return false
	}
	s.note("panicked: " + thrown(f.Value))
	s.after &^= workEnd
	s.finishStep(a)
	s.cur = trace.Test
	return true
}

// panicFailure makes a failure of a panic and says whether a step panicked,
// not what decides or watches.
func (s *System) panicFailure(v any) (f *Failure, inStep bool) {
	f = &Failure{Kind: KindPanic, Step: int(s.step), Value: v}
	var list [64]uintptr
	pcs := list[:]
	if c, ok := v.(*carried); ok {
		f.Value, pcs = c.value, c.pcs
	} else {
		pcs = pcs[:runtime.Callers(3, pcs)]
	}
	caller := f.setFrames(pcs)
	inStep = s.cur != trace.Test && !decides(caller)
	where := "in " + s.where()
	if !inStep {
		where = "outside of a step"
	}
	text, more, _ := strings.Cut(thrown(f.Value), "\n")
	f.Text = "panic " + where + ": " + text
	if more != "" {
		f.Detail = strings.TrimSuffix("    "+strings.ReplaceAll(more, "\n", "\n    ")+"\n"+f.Detail, "\n")
	}
	return f, inStep
}

// supervise follows the directives from a panicking actor upward and says
// whether one of them has dealt with the panic.
func (s *System) supervise(a *actor) bool {
	for {
		switch a.spec.OnPanic {
		case OnPanicRestart:
			if a.restarts < orDefault(a.spec.Restarts, defaultRestarts) {
				a.restarts++
				s.restart(a)
				return true
			}
		case OnPanicStop:
			s.endChildren(a.ctx.actor, "stopped")
			s.end(a, "panicked")
			return true
		case OnPanicFail:
			return false
		}
		if a.parent <= trace.Test {
			return false
		}
		a = s.actors[a.parent]
		s.touchOther(a)
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
		s.forgetWait(a)
	}
	s.renew(a, true)
	s.reopen(a)
}
