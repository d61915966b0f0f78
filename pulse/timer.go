package pulse

// Virtual time passes only when no message is deliverable, or when the
// strategy fires a timer early. The clock then jumps to the next time at which
// something is due, and everything due at that time becomes deliverable. The
// message of a timer then waits like any other message and may be received
// late.

// A Timer is a timer that was set by After, Every or SendAfter. The zero Timer
// counts as fired.
type Timer struct {
	sys    *System
	run    int32
	send   int32
	number int32
}

// Stop stops the timer. It returns false if the timer has already fired or was
// stopped. A message that is already due is not withdrawn.
func (t Timer) Stop() bool {
	s := t.sys
	if s == nil || t.run != s.run || !s.mayCall("Timer.Stop") {
		return false
	}
	return s.stopTimer(t.number, t.send)
}
