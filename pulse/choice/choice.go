// Package choice holds the decisions of one run: everything that a strategy answered when
// the system asked. A replay with the same decisions is the same run.
//
// A Record has two lists. Deliveries has the identity of each step in which a message was
// received, in order, and a Hold for each time a timer fired early instead. An identity
// remains valid when the order at other actors changes; an index into the waiting
// messages would not. Choices has every other answer: those to the program's own
// Ctx.Choose, and those about the clock and about faults.
//
// A Reader reads a record in a replay. It returns an error when the run asks a question
// that the record does not answer. An Input is one draw of a property; draws are the
// decisions made before the run.
//
// A Schedule says how to decide in runs that may differ from a recorded one. It may be
// partial: it demands that one step comes before another, gives priorities to single
// messages, and leaves the rest to a seed:
//
//	s := &choice.Schedule{Before: []choice.Constraint{{First: flush, Second: write}}}
//
// strategy.Ordered runs a system by a Schedule.
package choice

import "fmt"

// A Kind is the subject of a choice. Its number is part of the stored form of a record:
// new kinds are added at the end.
type Kind uint8

const (
	// Program is the Ctx.Choose of the program under test.
	Program Kind = iota
	// Clock asks whether time passes while messages wait: 0 no, 1 yes.
	Clock
	// Drop asks whether the message just sent is lost: 0 no, 1 yes.
	Drop
	// Duplicate asks whether the message just sent arrives twice: 0 no, 1 yes.
	Duplicate
	// Delay asks how long the message just sent is held back: 0 for not at all.
	Delay
	// Fault asks which fault strikes an actor before the next step: 0 for none.
	Fault
	// Swarm asks which kinds of fault this run may use, as a bit mask.
	Swarm
	// Crash asks whether the actor crashes at a Ctx.MayCrash: 0 no, 1 yes.
	Crash
	// Loss asks which unsynced writes to a disk a crash destroys: how many of the last,
	// or whether this one; 0 for none.
	Loss

	kinds
)

var kindNames = [kinds]string{"choose", "clock", "drop", "duplicate", "delay", "fault", "swarm", "crash", "loss"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("choice.Kind(%d)", uint8(k))
}

// KindOf returns the kind with a name; ok is false if there is none.
func KindOf(name string) (k Kind, ok bool) {
	for k := range kinds {
		if kindNames[k] == name {
			return k, true
		}
	}
	return 0, false
}

// MarshalText returns the name of a kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets k to the kind with a name.
func (k *Kind) UnmarshalText(text []byte) error {
	kind, ok := KindOf(string(text))
	if !ok {
		return fmt.Errorf("%q is not a kind of choice", text)
	}
	*k = kind
	return nil
}

// IsFault reports whether a nonzero answer is a fault. Strategies mostly answer such
// questions with zero. A Loss is not one: it is part of a crash that has happened, and
// its answers are equally likely.
func (k Kind) IsFault() bool { return k >= Drop && k <= Fault || k == Crash }

// IsRare reports whether questions of this kind are frequent and mostly answered with
// zero: faults and early timers.
func (k Kind) IsRare() bool { return k.IsFault() || k == Clock }

// A Choice is one answer. Invariant: Value < N, and Kind is one of the constants.
type Choice struct {
	Kind  Kind
	N     uint32 // the number of possible answers
	Value uint32
}

// Hold is in Deliveries where a timer fired early although messages could be delivered.
// No step has this identity.
const Hold uint64 = 0

// Early returns how many timers fired early: the Holds, and the nonzero answers to Clock.
func (r *Record) Early() (n int) {
	for _, c := range r.Choices {
		if c.Kind == Clock {
			n += int(c.Value)
		}
	}
	return n + len(r.Deliveries) - r.Received()
}

// A Record holds the decisions of one run, in the order in which they were made.
type Record struct {
	Deliveries []uint64
	Choices    []Choice
	// Plain means that the run continues in plain order, oldest message first, after the
	// last of Deliveries. Otherwise the run is then over or at rest.
	Plain bool
}

// Reset empties r and keeps its memory.
func (r *Record) Reset() {
	r.Deliveries = r.Deliveries[:0]
	r.Choices = r.Choices[:0]
	r.Plain = false
}

// Received returns how many messages were received: Deliveries without the Holds.
func (r *Record) Received() (n int) {
	for _, id := range r.Deliveries {
		if id != Hold {
			n++
		}
	}
	return n
}

// Clone returns a copy that shares nothing with r.
func (r *Record) Clone() *Record {
	return &Record{
		Deliveries: append([]uint64(nil), r.Deliveries...),
		Choices:    append([]Choice(nil), r.Choices...),
		Plain:      r.Plain,
	}
}
