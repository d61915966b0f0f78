// Package choice keeps the decisions of one run: what a strategy answered
// each time that the system asked it something.
//
// There are two streams. Deliveries holds the identity of every step, in the
// order in which the steps were taken; an identity survives a change of the
// order at other actors, an index into what happened to be pending does not.
// Choices holds every other answer: the program's own Choose, the clock and
// the faults.
package choice

import "fmt"

// A Kind says what a choice was about. Its number is part of the stored form
// of a record: add new kinds at the end.
type Kind uint8

const (
	// Program is a Choose of the program under test.
	Program Kind = iota
	// Clock asks whether time passes although messages wait: 0 no, 1 yes.
	Clock
	// Drop asks whether the message just sent is lost: 0 no, 1 yes.
	Drop
	// Duplicate asks whether the message just sent arrives twice: 0 no, 1 yes.
	Duplicate
	// Delay asks how long the message just sent is held back: 0 not at all.
	Delay
	// Fault asks which fault strikes an actor before the next step: 0 none.
	Fault
	// Swarm asks which kinds of fault this run may use, as a bit mask.
	Swarm

	kinds
)

var kindNames = [kinds]string{"choose", "clock", "drop", "duplicate", "delay", "fault", "swarm"}

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

// IsFault says whether a nonzero answer makes something go wrong that the
// program did not ask for. Strategies answer such questions with zero mostly.
func (k Kind) IsFault() bool { return k >= Drop && k <= Fault }

// IsRare reports whether a question is asked often and seldom answered by
// anything but zero.
func (k Kind) IsRare() bool { return k.IsFault() || k == Clock }

// A Choice is one answer. Invariant: Value < N, Kind is one of the above.
type Choice struct {
	Kind  Kind
	N     uint32 // how many answers there were
	Value uint32
}

// A Record is the decisions of one run, in the order in which they were made.
type Record struct {
	Deliveries []uint64
	Choices    []Choice
}

// Reset empties r and keeps its memory.
func (r *Record) Reset() {
	r.Deliveries = r.Deliveries[:0]
	r.Choices = r.Choices[:0]
}

// Clone returns a copy that shares nothing with r.
func (r *Record) Clone() *Record {
	return &Record{
		Deliveries: append([]uint64(nil), r.Deliveries...),
		Choices:    append([]Choice(nil), r.Choices...),
	}
}
