package choice

import "slices"

// A Schedule describes the order of steps, or a part of it. It uses the identities of the
// steps in which messages are received, as in Record.Deliveries. Its seed decides
// the rest. An identity that does not occur in a run has no effect.
type Schedule struct {
	// Seed determines, together with the identity of a message, its priority, and all
	// answers that are not in Choices. With seed zero all messages have priority Plain,
	// which is plain order, and all answers are zero.
	Seed uint64
	// Priorities are the priorities of single messages, in place of those from the seed.
	// If a message has several, the last counts.
	Priorities []Priority
	// Before are orders that must hold, whatever the priorities.
	Before []Constraint
	// Choices are answers, as in Record. Each question is answered by the next
	// choice of its kind. A value that is too large is replaced by the largest possible
	// one.
	Choices []Choice
}

// A Priority is the priority P of the message received in step ID. The deliverable
// message with the highest priority comes first; among equals the oldest.
type Priority struct {
	ID uint64
	P  uint64
}

// Plain is the priority of messages that get none from Priorities or a seed. Messages
// with a higher priority come before these, with a lower one after them.
const Plain = 1 << 63

// A Constraint demands that step First comes before step Second. First may be a fault.
// Second is a delivery, which waits for First.
type Constraint struct{ First, Second uint64 }

// Turned returns the opposite constraint.
func (c Constraint) Turned() Constraint { return Constraint{c.Second, c.First} }

// Clone returns a copy that shares nothing with s.
func (s *Schedule) Clone() *Schedule {
	return &Schedule{s.Seed, slices.Clone(s.Priorities), slices.Clone(s.Before), slices.Clone(s.Choices)}
}
