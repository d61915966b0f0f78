package choice

import "slices"

// A Schedule describes the order of steps, or a part of it. As in Record.Deliveries, a step
// is named by the identity of the step in which a message is received. An identity that
// does not occur in a run has no effect. The seed decides the rest.
type Schedule struct {
	// Seed determines all priorities that are not in Priorities, together with the identities,
	// and all choices that are not in Choices. With seed zero, all messages have priority
	// Plain, so the oldest comes first, and all choices are zero.
	Seed uint64
	// Priorities are the priorities of single messages. If a message occurs several times, the
	// last priority counts.
	Priorities []Priority
	// Before lists orders that must hold regardless of priorities.
	Before []Constraint
	// Choices are choices as in Record. Each choice that a run asks for is the next one of its
	// kind in the list. A value that is too large is replaced by the largest possible value.
	Choices []Choice
}

// A Priority gives priority P to the message received in step ID. Among the deliverable
// messages, the one with the highest priority comes first. Among equals, the oldest does.
type Priority struct {
	ID uint64
	P  uint64
}

// Plain is the priority of messages without a priority from Priorities or a seed. Messages
// with a higher priority come before them, and messages with a lower priority after them.
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
