package pulse

import (
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// calls decides which goroutine may call a system: while a step runs, only the
// one that runs it; otherwise any.
//
// Invariant: while running, g is the goroutine that runs the step, and
// addresses from top-span to top are on its stack.
type calls struct {
	g       uintptr    // the goroutine that runs the step
	top     uintptr    // an address on g's stack, above the addresses of the step's calls
	span    uintptr    // how far below top addresses are known to be on g's stack
	dying   *Coroutine // being killed; nil if none
	running bool       // the system takes steps
	owner   uintptr    // the only goroutine that may call between steps; 0 means any
	// crashing is the actor whose handler is being unwound by its crash, or
	// trace.Test. No actor's step counts as running during that. left is the
	// stack at which the handler crashed.
	crashing int32
	left     []uintptr
}

// A Caller says from where a call to a system comes.
type Caller uint8

const (
	// CallerOutside: the call does not come from a step. Between steps every
	// call is from outside.
	CallerOutside Caller = iota
	// CallerInside: the call comes from the running step.
	CallerInside
	// CallerDying: the call comes from a deferred function of a process that is
	// being ended.
	CallerDying
)

// caller returns from where the current call comes.
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

// strange reports whether the calling goroutine may not use the system: another
// one takes steps, or owns the system between steps.
func (c *calls) strange() bool {
	if c.running {
		return !c.mine()
	}
	return c.owner != 0 && c.owner != self.Goroutine()
}

// unwind continues the kill of a coroutine if the call comes from one of its
// deferred functions.
func (c *calls) unwind() {
	if d := c.dying; d != nil && d.mine() {
		d.die()
	}
}

// here returns an address on the stack of the calling goroutine.
//
// A handler's calls lie a little below the step that runs it. Once an address
// there has been confirmed to be on the right goroutine, the span up to it
// needs no further check. Without this the check of the caller would cost more
// than the call.
func here() uintptr {
	var local byte
	return uintptr(unsafe.Pointer(&local))
}

// longestSpan is smaller than the distance between the step and a call after
// the stack has grown, and so moved, in between.
const longestSpan = 4096

// same reports whether the caller, whose stack is at sp, is on the goroutine
// that runs the step. If so, it extends the known span.
func (c *calls) same(sp uintptr) bool {
	if c.g != self.Goroutine() {
		return false
	}
	c.span = 0 // if the stack has moved, the memory below top may belong to another goroutine
	if c.top > sp && c.top-sp <= longestSpan {
		c.span = c.top - sp
	}
	return true
}
