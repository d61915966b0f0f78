// Package schedule says which step comes before which, by identities that hold
// in every run. An engine that edits orders edits schedules.
package schedule

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Schedule says in which order steps come, or some of that order, by
// identities: those of the steps in which messages are received, as in
// choice.Record.Deliveries. An identity that no run has does no harm. What the
// schedule leaves open follows from its seed.
type Schedule struct {
	// Seed gives each message a priority by its identity, and answers what
	// Choices does not. With zero all messages have priority Plain, so that
	// they come in plain order, and questions are answered by zero.
	Seed uint64
	// Priorities are those of single messages, in place of what follows from
	// the seed. Of several for one message the last counts.
	Priorities []Priority
	// Before are orders that must hold, whatever the priorities.
	Before []Constraint
	// Choices are answers, as in choice.Record: each question is answered by the
	// next of its kind. One that is too large becomes the largest that is not.
	Choices []choice.Choice
}

// A Priority is that of one message. The highest of those that can be
// delivered comes first, the oldest of those with the same priority.
type Priority struct {
	ID uint64
	P  uint64
}

// Plain is the priority of a message that has none of its own and no seed
// gives one: higher comes before all such messages, lower after them.
const Plain = 1 << 63

// A Constraint says that one step comes before another: Second waits for
// First. First may be a fault, Second is a delivery.
type Constraint struct{ First, Second uint64 }

// Turned returns the constraint with its steps exchanged.
func (c Constraint) Turned() Constraint { return Constraint{c.Second, c.First} }

// Clone returns a copy that shares nothing with s.
func (s *Schedule) Clone() *Schedule {
	return &Schedule{s.Seed, slices.Clone(s.Priorities), slices.Clone(s.Before), slices.Clone(s.Choices)}
}
