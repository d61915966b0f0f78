// Package schedule describes in which order steps come, by identities that are
// the same in every run.
//
// A Schedule need not say everything. It gives single messages priorities,
// demands that one step comes before another, and leaves the rest to a seed:
//
//	s := &schedule.Schedule{Before: []schedule.Constraint{{First: flush, Second: write}}}
//
// strategy.Ordered runs a system by a schedule. A search that changes the order
// of a run edits its schedule; identities of other runs do no harm.
package schedule

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Schedule describes the order of steps, or a part of it, by the identities of
// the steps in which messages are received, as in choice.Record.Deliveries. What
// it leaves open follows from its seed. An identity that does not occur in a run
// has no effect.
type Schedule struct {
	// Seed determines the priority of each message, together with its identity,
	// and all answers that are not in Choices. With seed zero all messages have
	// priority Plain, so that they come in plain order, and all answers are zero.
	Seed uint64
	// Priorities are the priorities of single messages, in place of those from
	// the seed. If a message has several, the last counts.
	Priorities []Priority
	// Before are orders that must hold, whatever the priorities.
	Before []Constraint
	// Choices are answers, as in choice.Record. Each question is answered by the
	// next choice of its kind. A value that is too large for the question is
	// replaced by the largest possible one.
	Choices []choice.Choice
}

// A Priority is the priority P of the message that is received in step ID. Of the
// messages that can be delivered the one with the highest priority comes first;
// of several with the same priority, the oldest.
type Priority struct {
	ID uint64
	P  uint64
}

// Plain is the priority of messages that neither Priorities nor a seed gives one.
// Messages with a higher priority come before these, with a lower after them.
const Plain = 1 << 63

// A Constraint demands that step First comes before step Second. First may be a
// fault; Second is a delivery, which waits for First.
type Constraint struct{ First, Second uint64 }

// Turned returns the opposite constraint.
func (c Constraint) Turned() Constraint { return Constraint{c.Second, c.First} }

// Clone returns a copy that shares nothing with s.
func (s *Schedule) Clone() *Schedule {
	return &Schedule{s.Seed, slices.Clone(s.Priorities), slices.Clone(s.Before), slices.Clone(s.Choices)}
}
