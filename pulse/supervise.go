package pulse

import (
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

const defaultRestarts = 10

// panicked handles panic value v and reports whether the run is over. It
// returns false for the crash of an actor within a step, and for a panic of an
// actor's code. The next call to attempt then performs the crash, or asks the
// supervisors by calling resume. panicked does not ask them itself, because
// code that supervisors call may panic too.
func (s *System) panicked(v any) (over bool) {
	if s.crashes(v) {
		return false
	}
	if f, ok := v.(*Failure); ok { // this package or an observer has panicked with a Failure
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

// resume asks supervisors to handle the panic of a step. It returns false if
// no supervisor has handled the panic. Failure f is then the failure of the
// run.
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

// panicFailure returns the failure for panic value v. inStep is set if the
// code of an actor has panicked, and not set if a strategy or an observer has
// panicked.
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

// supervise does what Spec.OnPanic of a panicking actor says. If the panic is
// escalated, supervise continues with the actor's parent. It reports whether
// the panic was handled.
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
