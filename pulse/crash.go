package pulse

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A crash within a step has two parts. First the actor's code stops. A process
// parks, and the crash later ends it like any waiting process. A handler is
// unwound by a panic. Then the step ends, and the crash follows as the next
// step, like a crash between steps.

// MayCrash marks a point at which the actor may crash. The crash does not undo
// what the step has already sent or written. After a crash only deferred
// functions run, and each stops at its first call to the system. Call MayCrash
// between two actions that are not atomic, such as a write to disk and the
// reply that confirms the write.
//
// While the Faults.Crash budget lasts, the strategy decides whether the actor
// crashes. A crash unwinds a handler by a panic, so code that recovers panics
// must panic again with values that it does not know.
func (c *Ctx) MayCrash() {
	if !c.ok("MayCrash") {
		return
	}
	s := c.sys
	if !s.rec.inStep() {
		s.misuse("MayCrash outside of an actor's step: an actor can crash only in its own step")
	}
	if a := s.actors[c.actor]; s.faults.left.Crash > 0 && !s.settling && a.life == alive && s.mayStrike(a) {
		s.mayCrash(a)
	}
}

// crashThrown is the panic value that unwinds a crashing handler.
type crashThrown struct{}

// Error returns crashText. If the code recovers the crash and panics with this
// text in its own message, ofCrash still recognizes the crash.
func (crashThrown) Error() string { return crashText }

const crashText = "jostle crashes this actor, as Faults.Crash allows at MayCrash"

// ofCrash reports whether a panic value is a crashThrown, or an error or text
// that contains one.
func ofCrash(v any) bool {
	if c, ok := v.(*carried); ok {
		v = c.value
	}
	if err, ok := v.(error); ok && errors.As(err, &crashThrown{}) {
		return true
	}
	return strings.Contains(trace.Thrown(v), crashText)
}

// mayCrash asks the strategy whether the running actor crashes here. If the
// actor crashes, mayCrash stops its code and does not return.
func (c *cast) mayCrash(a *actor) {
	p := a.process
	if p != nil && !p.co.mine() {
		c.misuse("MayCrash of a process outside of its own code: call it in the function of the process")
	}
	c.rec.nextPoint()
	v := c.choose(choice.Crash, 2)
	c.learned(uint64(v))
	if v == 0 {
		return
	}
	c.todo.afterStep |= workCrash
	c.rec.look(trace.Test, trace.AllSteps) // the step with the crash depends on all steps before it
	if c.rec.on {
		c.rec.note("crashes" + userPlace())
	}
	if p != nil {
		a.accept, a.waits = acceptNothing, wait{verb: "MayCrash", on: none}
		p.co.Park() // the process does not continue, because the crash ends it while it is parked
	}
	var pcs [32]uintptr
	c.calls.left = append(c.calls.left[:0], pcs[:runtime.Callers(2, pcs[:])]...)
	c.calls.crashing, c.rec.cur = a.actor, trace.Test
	panic(crashThrown{})
}

// userPlace returns the position of the calling user code as text: " at
// file:line (function)". It returns "" if there is none.
func userPlace() string {
	var pcs [32]uintptr
	calls, _ := trimmer.Inner(pcs[:runtime.Callers(2, pcs[:])])
	if len(calls) == 0 {
		return ""
	}
	at := stack.FrameOf(calls[0])
	return " at " + at.Place() + " (" + at.Func + ")"
}

// crashes reports whether v is the panic that unwinds a crashing handler. If
// so, the caller must finish the handler's step. If the handler's code has
// replaced that panic by another one, crashes returns false and the actor does
// not crash.
func (t *traffic) crashes(v any) bool {
	if !t.unwound() {
		return false
	}
	if ofCrash(v) {
		return true
	}
	t.todo.afterStep &^= workCrash
	return false
}

// unwound ends the unwinding of a crashing handler and makes its actor the
// running one again. It returns false if no handler is being unwound.
func (t *traffic) unwound() bool {
	if t.calls.crashing == trace.Test {
		return false
	}
	t.rec.cur, t.calls.crashing = t.calls.crashing, trace.Test
	return true
}

// unwind continues the unwinding of a process that is being ended, or of a
// handler that crashes. It panics if the caller is a deferred function of that
// process or handler. If the handler has recovered the panic of its crash, the
// run fails.
func (t *traffic) unwind() {
	t.calls.unwind()
	if t.calls.crashing == trace.Test || !t.calls.running || !t.calls.mine() {
		return
	}
	if isUnwinding() {
		panic(crashThrown{})
	}
	t.todo.afterStep &^= workCrash
	t.mustBeUnwound()
}

// mustBeUnwound fails the run if a crashing handler has recovered the panic
// that should unwind it.
func (t *traffic) mustBeUnwound() {
	if t.unwound() {
		t.misuseAt(t.calls.left, fmt.Sprintf("%s has recovered the panic of its MayCrash: "+
			"code that recovers panics must panic again with values that it does not know", t.rec.nameOf(t.rec.cur)))
	}
}

// isUnwinding reports whether a panic or runtime.Goexit is running deferred
// functions on the calling goroutine.
func isUnwinding() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			return false
		}
		for frames := runtime.CallersFrames(pcs[:n]); ; {
			frame, more := frames.Next()
			if frame.Function == "runtime.gopanic" || frame.Function == "runtime.Goexit" {
				return true
			}
			if !more {
				break
			}
		}
	}
}
