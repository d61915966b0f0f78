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

// An actor crashes within a step in two parts. Its code is left where it stands:
// that of a process waits there and is ended by the crash like any that waits,
// that of a handler is unwound by a panic. Then the step is over, and the crash
// follows it as a step of its own, as one that comes between steps would.

// MayCrash is a place at which the actor may crash: what was sent before it is
// sent, what was written is written, and of what comes after it only deferred
// functions run, each until it calls the system. Write it between two things
// that are not done at once, such as a write to the disk and the answer that
// promises it.
//
// Whether the actor crashes is a decision of the strategy while Faults.Crash is
// not used up. A handler is left by a panic, so code that recovers panics must
// let pass on what is not its own.
func (c *Ctx) MayCrash() {
	if !c.ok("MayCrash") {
		return
	}
	s := c.sys
	if !s.rec.inStep() {
		s.misuse("MayCrash in code that is no actor's: an actor crashes in its own step only")
	}
	if a := s.actors[c.actor]; s.faults.left.Crash > 0 && !s.settling && a.life == alive && s.mayStrike(a) {
		s.mayCrash(a)
	}
}

// crashThrown is what a handler is unwound with that crashes.
type crashThrown struct{}

// Error says what the panic is, to code that recovers it and panics with a text
// of its own: that lets it pass.
func (crashThrown) Error() string { return crashText }

const crashText = "jostle crashes this actor, as Faults.Crash allows at MayCrash"

// ofCrash reports whether a panic is that of a crash, or was made of it.
func ofCrash(v any) bool {
	if c, ok := v.(*carried); ok {
		v = c.value
	}
	if err, ok := v.(error); ok && errors.As(err, &crashThrown{}) {
		return true
	}
	return strings.Contains(trace.Thrown(v), crashText)
}

// mayCrash asks whether the running actor crashes here, and leaves its code if so.
func (c *cast) mayCrash(a *actor) {
	p := a.process
	if p != nil && !p.co.mine() {
		c.misuse("MayCrash of a process outside of its code")
	}
	c.rec.nextPoint()
	v := c.choose(choice.Crash, 2)
	c.learned(uint64(v))
	if v == 0 {
		return
	}
	c.todo.afterStep |= workCrash
	c.rec.look(trace.Test, trace.AllSteps) // a crash has to do with all steps
	if c.rec.on {
		c.rec.note("crashes" + userPlace())
	}
	if p != nil {
		a.accept, a.waits = acceptNothing, wait{verb: "MayCrash", on: none}
		p.co.Park() // the crash ends it there
	}
	var pcs [32]uintptr
	c.calls.left = append(c.calls.left[:0], pcs[:runtime.Callers(2, pcs[:])]...)
	c.calls.crashing, c.rec.cur = a.actor, trace.Test
	panic(crashThrown{})
}

// userPlace returns where the user's code is that has called, in words that
// follow others.
func userPlace() string {
	var pcs [32]uintptr
	calls, _ := trimmer.Inner(pcs[:runtime.Callers(2, pcs[:])])
	if len(calls) == 0 {
		return ""
	}
	at := stack.FrameOf(calls[0])
	return " at " + at.Place() + " (" + at.Func + ")"
}

// crashes reports whether a panic is that of a handler that crashes. The step
// is still to be finished then. If another panic has taken its place there is
// no crash.
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

// unwound makes the actor the running one again whose handler was being unwound,
// and reports whether there was one.
func (t *traffic) unwound() bool {
	if t.calls.crashing == trace.Test {
		return false
	}
	t.rec.cur, t.calls.crashing = t.calls.crashing, trace.Test
	return true
}

// unwind goes on with ending a process, or a handler that crashes, when the call
// comes from one of its deferred functions.
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

// mustBeUnwound fails the run if the code of a handler that crashes has
// recovered the panic that was to unwind it.
func (t *traffic) mustBeUnwound() {
	if t.unwound() {
		t.misuseAt(t.calls.left, fmt.Sprintf("%s has recovered the panic by which its MayCrash ends it: "+
			"code that recovers panics must panic again with those that are not its own", t.rec.nameOf(t.rec.cur)))
	}
}

// isUnwinding reports whether the caller is called by a deferred function that
// runs because of a panic or of runtime.Goexit.
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
