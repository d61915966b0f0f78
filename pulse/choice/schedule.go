package choice

import "slices"

// A Schedule describes the order of all or some steps. As in Record.Deliveries, a step is
// named by the identity of the step in which a message is received. An identity that does
// not occur in a run has no effect. Seed decides everything that the other fields leave
// open.
type Schedule struct {
	// Seed determines all choices that are not in Choices. Together with the identity of a
	// message, it determines each priority that is not in Priorities. With seed zero, all such
	// messages have priority Plain, so the oldest message comes first, and all such choices are
	// zero.
	Seed uint64
	// Priorities are the priorities of single messages. If Priorities contains a message
	// several times, the last priority counts.
	Priorities []Priority
	// Before lists pairs of steps. The order of each pair must hold regardless of priorities.
	Before []Constraint
	// Choices are choices as in Record. When a run asks for a choice, it gets the next element
	// of the same kind. A value that is too large is replaced by the largest possible value.
	Choices []Choice
}

// A Priority gives priority P to the message received in step ID. Among the deliverable
// messages, the one with the highest priority comes first. Among equals, the oldest does.
type Priority struct {
	ID uint64
	P  uint64
}

// Plain is the priority of a message that is not in Priorities if Seed is zero. Messages
// with a higher priority come before messages with priority Plain.
const Plain = 1 << 63

// A Constraint requires that step First comes before step Second. First may be a fault.
// Second is a delivery, which waits for First.
type Constraint struct{ First, Second uint64 }

// Turned returns the opposite constraint.
func (c Constraint) Turned() Constraint { return Constraint{c.Second, c.First} }

// Clone returns a copy that shares nothing with s.
func (s *Schedule) Clone() *Schedule {
	return &Schedule{s.Seed, slices.Clone(s.Priorities), slices.Clone(s.Before), slices.Clone(s.Choices)}
}
