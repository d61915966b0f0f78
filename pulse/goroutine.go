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

// longestSpan is less than what lies between the step and a call when the
// stack has grown, and so moved, in between.
const longestSpan = 4096

// sameGoroutine says whether the caller, whose stack is at sp, is on the
// goroutine that runs the step, and learns from the answer.
func (s *System) sameGoroutine(sp uintptr) bool {
	if s.g != goroutine() {
		return false
	}
	s.span = 0 // should the stack have moved, what is below top is another's
	if s.top > sp && s.top-sp <= longestSpan {
		s.span = s.top - sp
	}
	return true
}
