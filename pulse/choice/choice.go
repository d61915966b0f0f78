// Package choice holds the decisions of one run: all that a strategy answered
// when the system asked it something. A run that is given the same decisions
// again is the same run.
//
// A Record has two lists. Deliveries has the identity of each step in which a
// message was received, in order, and a Hold where none was and a timer fired early. An
// identity survives a change of the order at other actors; an index into the
// messages that happened to be waiting would not.
// Choices has every other answer: those to the program's own Ctx.Choose, and
// those about the clock and about faults.
//
// A Reader reads a record in a replay, and returns an error when the run asks
// something else than the record answers. An Input is one draw of a property,
// the decisions that are made before the run.
package choice

import "fmt"

// A Kind is what a choice is about. Its number is part of the stored form of a
// record: new kinds are added at the end.
type Kind uint8

const (
	// Program is the Ctx.Choose of the program under test.
	Program Kind = iota
	// Clock asks whether time passes although messages wait: 0 no, 1 yes.
	Clock
	// Drop asks whether the message just sent is lost: 0 no, 1 yes.
	Drop
	// Duplicate asks whether the message just sent arrives twice: 0 no, 1 yes.
	Duplicate
	// Delay asks how long the message just sent is held back: 0 is not at all.
	Delay
	// Fault asks which fault strikes an actor before the next step: 0 is none.
	Fault
	// Swarm asks which kinds of fault this run may use, as a bit mask.
	Swarm
	// Crash asks whether the actor crashes at a Ctx.MayCrash: 0 no, 1 yes.
	Crash
	// Loss asks what a crash takes of the writes to a disk that were not synced:
	// how many of the last, or whether this one; 0 is none.
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

// KindOf returns the kind with a name, if there is one.
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

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	kind, ok := KindOf(string(text))
	if !ok {
		return fmt.Errorf("%q is no kind of choice", text)
	}
	*k = kind
	return nil
}

// IsFault reports whether a nonzero answer is a fault. Strategies mostly answer
// such questions with zero. A Loss is part of a crash that has happened, and so
// is answered as often one way as another.
func (k Kind) IsFault() bool { return k >= Drop && k <= Fault || k == Crash }

// IsRare reports whether questions of this kind come often and are mostly
// answered with zero: faults and early timers.
func (k Kind) IsRare() bool { return k.IsFault() || k == Clock }

// A Choice is one answer. Invariant: Value < N, and Kind is one of the constants.
type Choice struct {
	Kind  Kind
	N     uint32 // how many answers there were
	Value uint32
}

// Hold stands among the Deliveries of a record where a strategy received none of the
// messages that could be delivered, and a timer fired early. No step has this identity.
const Hold uint64 = 0

// Early returns how often a timer fired early: the Holds, and the answers to Clock that
// say so.
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
	// Plain says that the run goes on in plain order after the last of Deliveries, the
	// oldest message first. Else it is over then, or at rest.
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
