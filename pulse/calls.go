package pulse

import (
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// calls knows who may call a system now: the goroutine that runs the step, or
// while none runs anyone.
//
// Invariant: while running, g is the goroutine that runs the step, and an
// address from top-span to top is on its stack.
type calls struct {
	g       uintptr    // the goroutine that runs the step
	top     uintptr    // where the running step is on its stack; 0 on a coroutine's
	span    uintptr    // how far below top calls are known to be of g
	dying   *Coroutine // is being killed; nil when none is
	running bool       // the system takes steps
	owner   uintptr    // who alone may call between steps; 0 means anyone
	// crashing is the actor whose handler is being unwound because it crashes;
	// trace.Test when none is. No actor's step counts as running then. It left
	// its code where left says.
	crashing int32
	left     []uintptr
}

// A Caller is where a call stands to a system.
type Caller uint8

const (
	// CallerOutside: the call comes from no step of the system. While none
	// runs, every call does.
	CallerOutside Caller = iota
	// CallerInside: the call comes from the step that is running.
	CallerInside
	// CallerDying: the call comes from a process that is being ended, out of
	// one of its deferred functions.
	CallerDying
)

// caller returns where the calling code stands to the system.
func (c *calls) caller() Caller {
	switch {
	case c.dying != nil && c.dying.mine():
		return CallerDying
	case c.running && c.mine():
		return CallerInside
	}
	return CallerOutside
}

// enter makes the calling goroutine the one that takes steps.
func (c *calls) enter() {
	c.running = true
	c.g, c.span = self.Goroutine(), 0
}

// mine reports whether the calling goroutine runs the step.
func (c *calls) mine() bool { return c.g == self.Goroutine() }

// strange reports whether the calling goroutine is another than the one that
// takes steps, or than the one that the system belongs to between steps.
func (c *calls) strange() bool {
	if c.running {
		return !c.mine()
	}
	return c.owner != 0 && c.owner != self.Goroutine()
}

// unwind goes on with ending a killed coroutine when the call comes from one
// of its deferred functions.
func (c *calls) unwind() {
	if d := c.dying; d != nil && d.mine() {
		d.die()
	}
}

// here returns an address on the stack of the calling goroutine. A handler's
// calls lie a little below the step that runs it; a span below the step that
// has once been seen to be of the right goroutine belongs to its stack, so an
// address in it need not be looked into again. That is what keeps the check
// of who calls from costing more than the call.
func here() uintptr {
	var local byte
	return uintptr(unsafe.Pointer(&local))
}

// longestSpan is less than what lies between the step and a call when the
// stack has grown, and so moved, in between.
const longestSpan = 4096

// same reports whether the caller, whose stack is at sp, is on the goroutine
// that runs the step, and learns from the answer.
func (c *calls) same(sp uintptr) bool {
	if c.g != self.Goroutine() {
		return false
	}
	c.span = 0 // should the stack have moved, what is below top is another's
	if c.top > sp && c.top-sp <= longestSpan {
		c.span = c.top - sp
	}
	return true
}
