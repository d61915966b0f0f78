package pulse

import "unsafe"

// here returns an address on the stack of the calling goroutine. A handler's
// calls lie a little below the step that runs it; a span below the step that
// has once been seen to be of the right goroutine belongs to its stack, so an
// address in it need not be looked into again. That is what keeps the check
// of who calls from costing more than the call.
func here() uintptr {
	var local byte
	return uintptr(unsafe.Pointer(&local))
}

// sameGoroutine says whether the caller, whose stack is at sp, is on the
// goroutine that runs the step, and learns from the answer.
func (s *System) sameGoroutine(sp uintptr) bool {
	if s.g != goroutine() {
		return false
	}
	if s.top > sp {
		s.span = s.top - sp
	}
	return true
}
