package pulse

import (
	"runtime"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// calls decides which goroutine may call a system. While the system takes
// steps, only the goroutine that runs the step may call it. Between steps any
// goroutine may call the system, unless Host.Own has made one goroutine the
// owner.
//
// Invariant: while running is set, g is the goroutine that runs the step, and
// the addresses from top-span to top are on that goroutine's stack.
type calls struct {
	g       uintptr    // the goroutine that runs the step
	top     uintptr    // an address on g's stack, above the addresses of the step's calls
	span    uintptr    // addresses from top-span to top are known to be on g's stack
	dying   *Coroutine // the coroutine that is being killed, or nil
	running bool       // set while the system takes steps
	owner   uintptr    // the only goroutine that may call the system between steps; 0 means any goroutine
	// crashing is the actor whose handler is being unwound because it crashed,
	// or trace.Test if there is none. While a handler is unwound, no actor's
	// step counts as running.
	crashing int32
	left     []uintptr // the stack at which the handler crashed
}

// A Caller says which code has called the system: code outside of a step, the
// code of the running step, or a process that is being ended.
type Caller uint8

const (
	// CallerOutside: the call does not come from a step. Every call between
	// two steps is a CallerOutside.
	CallerOutside Caller = iota
	// CallerInside: the call comes from the running step.
	CallerInside
	// CallerDying: the call comes from a deferred function of a process that is
	// being ended.
	CallerDying
)

// caller classifies the caller of the current call.
func (c *calls) caller() Caller {
	switch {
	case c.dying != nil && c.dying.mine():
		return CallerDying
	case c.running && c.mine():
		return CallerInside
	}
	return CallerOutside
}

// enter marks the system as running, with steps on the calling goroutine.
func (c *calls) enter() {
	c.running = true
	c.g, c.span = self.Goroutine(), 0
}

func (c *calls) mine() bool { return c.g == self.Goroutine() }

// strange reports whether the calling goroutine must not use the system,
// because another goroutine takes steps or owns the system between steps.
func (c *calls) strange() bool {
	if c.running {
		return !c.mine()
	}
	return c.owner != 0 && c.owner != self.Goroutine()
}

// unwind ends the caller if the caller is a deferred function of a coroutine
// that is being killed. In that case unwind does not return.
func (c *calls) unwind() {
	if d := c.dying; d != nil && d.mine() {
		d.die()
	}
}

// here returns an address on the stack of the calling goroutine.
//
// The address serves to check the caller of a method cheaply. The stack frame
// of a handler's call lies slightly below the stack frame of the step. Once
// one address has been confirmed to be on the step's goroutine, all addresses
// between that address and calls.top need no further check.
func here() uintptr {
	var local byte
	return uintptr(unsafe.Pointer(&local))
}

// longestSpan is the maximum of calls.span. A stack that grows within a step
// moves. The old and the new addresses are then further apart than
// longestSpan.
const longestSpan = 4096

// same reports whether the caller runs on the goroutine that runs the step. In
// that case it sets c.span so that the span reaches from c.top down to sp, an
// address on the caller's stack.
func (c *calls) same(sp uintptr) bool {
	if c.g != self.Goroutine() {
		return false
	}
	c.span = 0 // the stack may have moved, and then the memory below top may belong to another goroutine
	if c.top > sp && c.top-sp <= longestSpan {
		c.span = c.top - sp
	}
	return true
}

// intrusion returns the failure for a call from a goroutine that may not use
// the system. The stack of the failure starts at the caller of intrusion's
// caller. The text ends with the advice now if the system is running, and with
// the advice late if not.
func intrusion(what string, running bool, now, late string) *Failure {
	f := &Failure{Kind: KindMisuse, Text: what + " from another goroutine: only the goroutine that runs a system, and its handlers, may use it; " + now}
	if !running {
		f.Step = -1
		f.Text = what + " from another goroutine when no step was running: does a handler leave a goroutine behind? " + late
	}
	var pcs [32]uintptr
	f.setFrames(pcs[:runtime.Callers(3, pcs[:])])
	return f
}

// mayCall reports whether the current goroutine may call a method of the system
// now. It panics if the system is closed.
func (s *System) mayCall(what string) bool {
	s.unwind()
	if s.calls.strange() {
		s.intrude(what, "system")
		return false
	}
	if s.closed {
		s.misuse("%s on a system that is closed: the property that made it has returned", what)
	}
	return true
}

// mayLook is mayCall for methods that change nothing. Any goroutine may call
// such a method while the system takes no steps.
func (s *System) mayLook(what string) bool {
	if s.calls.running || s.closed {
		return s.mayCall(what)
	}
	return true
}

// mustBeIdle is mayCall for methods that must not be called while the system
// takes steps.
func (s *System) mustBeIdle(what string) bool {
	if !s.mayCall(what) {
		return false
	}
	if s.calls.running {
		s.misuse("%s of a system while it runs: call it between runs", what)
	}
	return true
}
