// Package choice contains the decisions of one run: every choice that the system or the
// program left to the strategy. A replay with the same decisions is the same run.
//
// A Record has two lists. Deliveries has the identity of each step in which a message was
// received, in order, and a Hold for each time that no message was received so that a timer
// fired early. An identity stays the same when the order at other actors changes, unlike an
// index into the waiting messages. Choices has all other decisions: the results of
// Ctx.Choose in the program, early timers and faults.
//
// A Reader reads a record in a replay. It returns an error if the run asks for a choice
// that the record does not contain. An Input is one draw of a property. Draws are decisions made
// before the run.
//
// A Schedule describes decisions for runs that may differ from a recorded run. It may be
// partial. It requires some steps to come before others, gives priorities to some messages,
// and leaves the rest to a seed:
//
//	s := &choice.Schedule{Before: []choice.Constraint{{First: flush, Second: write}}}
//
// strategy.Ordered returns a strategy that follows a Schedule.
package choice

import "fmt"

// A Kind is the kind of a choice, which says what the strategy decides. The number of a
// kind is part of the stored form of a record, so new kinds are added at the end.
type Kind uint8

const (
	// Program asks for the result of Ctx.Choose of the program under test.
	Program Kind = iota
	// Clock asks whether a timer fires early, while messages wait: 0 no, 1 yes.
	Clock
	// Drop asks whether the message just sent is lost: 0 no, 1 yes.
	Drop
	// Duplicate asks whether the message just sent arrives twice: 0 no, 1 yes.
	Duplicate
	// Delay asks for how long the message just sent is delayed: 0 for not at all.
	Delay
	// Fault asks which fault occurs before the next step: 0 for none.
	Fault
	// Swarm asks which kinds of fault this run may use, as a bit mask.
	Swarm
	// Crash asks whether the actor crashes at Ctx.MayCrash: 0 no, 1 yes.
	Crash
	// Loss asks which unsynced disk writes a crash destroys. The answer is the number of last
	// writes to lose. With Faults.UnorderedWrites it is 1 to lose a single write, else 0.
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

// KindOf returns the kind with the given name. ok is false if there is none.
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

// UnmarshalText sets k to the kind with the given name.
func (k *Kind) UnmarshalText(text []byte) error {
	kind, ok := KindOf(string(text))
	if !ok {
		return fmt.Errorf("%q is not a kind of choice", text)
	}
	*k = kind
	return nil
}

// IsFault reports whether a nonzero value is a fault. Strategies mostly choose zero for
// such kinds. IsFault is false for Loss, which is part of a crash that has already
// happened and whose values are equally likely.
func (k Kind) IsFault() bool { return k >= Drop && k <= Fault || k == Crash }

// IsRare reports whether choices of this kind are frequent but mostly zero. The rare kinds
// are the kinds of faults and Clock.
func (k Kind) IsRare() bool { return k.IsFault() || k == Clock }

// A Choice is one decision. Invariant: Value < N, and Kind is one of the constants.
type Choice struct {
	Kind  Kind
	N     uint32 // the number of alternatives
	Value uint32
}

// Hold is an element of Record.Deliveries that is not the identity of a step. It means that
// the strategy picked none of the deliverable messages, so that a timer fired early.
const Hold uint64 = 0

// Early returns the number of timers that fired early: all Holds and all nonzero choices of
// kind Clock.
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
	// Plain says how the run continued after the last element of Deliveries. If it is true, the
	// run always delivered the oldest message first. If it is false, the run was over, or no
	// message was deliverable.
	Plain bool
}

// Reset empties r and keeps its memory.
func (r *Record) Reset() {
	r.Deliveries = r.Deliveries[:0]
	r.Choices = r.Choices[:0]
	r.Plain = false
}

// Received returns the number of messages received, which is the number of Deliveries other
// than Hold.
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

// Check returns an error if c violates the invariant of Choice.
func (c Choice) Check() error {
	switch {
	case c.Kind >= kinds:
		return fmt.Errorf("kind %d, expected less than %d", c.Kind, kinds)
	case c.N == 0:
		return fmt.Errorf("0 answers, expected at least 1")
	case c.Value >= c.N:
		return fmt.Errorf("value %d of %d answers, expected less than %d", c.Value, c.N, c.N)
	}
	return nil
}
