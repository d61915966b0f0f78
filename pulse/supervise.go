package pulse

import (
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

const defaultRestarts = 10

// panicked handles a panic and reports whether the run is over. If not, the
// panic is a step's, and the loop asks supervisors when it continues, since
// code that they call may panic too.
func (s *System) panicked(v any) (over bool) {
	if s.crashes(v) {
		return false
	}
	if f, ok := v.(*Failure); ok { // thrown by this package or by an observer
		s.fails.fail(f)
		return true
	}
	if s.fails.failure != nil {
		return true
	}
	inStep := s.rec.inStep()
	f := s.panicFailure(v, inStep)
	if !inStep {
		s.fails.fail(f)
		return true
	}
	s.fails.panicked = f
	return false
}

// resume continues after a step that panicked, and reports whether a supervisor
// has handled the panic.
func (s *System) resume(f *Failure) bool {
	s.fails.panicked = nil
	a := s.actors[s.rec.cur]
	if !s.supervise(a) {
		s.fails.fail(f)
		return false
	}
	s.rec.note("panicked: " + trace.Thrown(f.Value))
	s.todo.afterStep &^= workEnd
	s.finishStep(a)
	s.rec.cur = trace.Test
	return true
}

// panicFailure returns the failure for a panic. inStep means that an actor's
// code panicked, not a strategy or an observer.
func (s *System) panicFailure(v any, inStep bool) *Failure {
	f := &Failure{Kind: KindPanic, Step: int(s.rec.step), Value: v}
	var list [64]uintptr
	pcs := list[:]
	if c, ok := v.(*carried); ok {
		f.Value, pcs = c.value, c.pcs
	} else {
		pcs = pcs[:runtime.Callers(3, pcs)]
	}
	f.setFrames(pcs)
	where := "outside of a step"
	if inStep {
		where = "in " + s.where()
	}
	text, more, _ := strings.Cut(trace.Thrown(f.Value), "\n")
	f.Text = "panic " + where + ": " + text
	if more != "" {
		f.Detail = strings.TrimSuffix("    "+strings.ReplaceAll(more, "\n", "\n    ")+"\n"+f.Detail, "\n")
	}
	return f
}

// supervise follows the directives from a panicking actor upward, and reports
// whether one of them has handled the panic.
func (c *cast) supervise(a *actor) bool {
	for {
		switch a.spec.OnPanic {
		case OnPanicRestart:
			if a.restarts < orDefault(a.spec.Restarts, defaultRestarts) {
				a.restarts++
				c.restart(a)
				return true
			}
		case OnPanicStop:
			c.endChildren(a.actor, "stopped")
			c.end(a, "panicked")
			return true
		case OnPanicFail:
			return false
		}
		if a.parent <= trace.Test {
			return false
		}
		a = c.actors[a.parent]
		c.rec.touchOther(a.actor)
		if a.life != alive {
			return false
		}
	}
}

// restart restarts an actor within the step in which it or a descendant
// panicked. Its mailbox stays.
func (c *cast) restart(a *actor) {
	c.unwatchAll(a.actor)
	c.endChildren(a.actor, "stopped")
	c.stopTimersOf(a.actor)
	if a.process != nil {
		c.killProcess(a)
		c.mail.forgetWait(&a.mailbox)
	}
	if a.pending != nil {
		return // it has done nothing yet: its start is still to come
	}
	c.renew(a, c.anew(a, true), c.rec.cur)
	c.mail.reopen(&a.mailbox)
}
