package pulse

// Virtual time moves only when nothing is deliverable, or when the strategy
// lets it pass early. It then moves to the next time at which something is
// due, and all that is due at that time becomes deliverable: the message of a
// timer waits in its actor's mailbox like any other, and may come late.

// A Timer can be stopped. The zero Timer is one that has fired.
type Timer struct {
	sys    *System
	run    int32
	send   int32
	number int32
}

// Stop keeps the timer from firing and reports whether it came in time. A
// message that has become due already is not taken back.
func (t Timer) Stop() bool {
	s := t.sys
	if s == nil || t.run != s.run || !s.mayCall("Timer.Stop") {
		return false
	}
	return s.stopTimer(t.number, t.send)
}
