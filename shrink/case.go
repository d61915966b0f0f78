package shrink

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Case determines a run by the draws of the property and the order of the steps. The Schedule has
// no seed and no priorities, so the oldest message comes first unless a constraint of the Schedule
// forbids it. Answers that are not in the Schedule are zero.
type Case struct {
	Inputs   []choice.Input
	Schedule choice.Schedule
}

// Clone returns a copy that shares nothing with c.
func (c *Case) Clone() Case {
	return Case{choice.CloneInputs(c.Inputs), *c.Schedule.Clone()}
}

// An Outcome is the result of running a case.
type Outcome struct {
	// Case replays the run. For each draw it has exactly the numbers that were read. It has all
	// choices of the run.
	Case Case
	// Signature identifies the failure; "" if the run did not fail.
	Signature string
	// External is the number of messages from outside, which no actor sent.
	External int
	// Preemptions is the number of steps that preempted an actor, such as a goroutine, which in
	// plain order would have continued.
	Preemptions int
	// Steps is the number of steps of the run.
	Steps int
	// Drawn identifies the drawn values. Runs with equal Drawn run the same program, with possibly
	// different orders. If Drawn is "", the numbers of the draws identify the program.
	Drawn string
	// Void is set if the property rejects the draws in every order of messages.
	Void bool
	// Taken has the identities of the deliveries, in order.
	Taken []uint64
	// Receivers has for each delivery of Taken the index of the actor that received it. It may be
	// nil if that is unknown.
	Receivers []int32
}

// program returns a key for the program of the run. A program is the actor system that the property
// builds from certain draws. It can be run in many orders.
func (o *Outcome) program() string {
	if o.Drawn != "" {
		return o.Drawn
	}
	return inputKey(o.Case.Inputs)
}

// deliveries returns a key for the draws and the deliveries of the run.
func (o *Outcome) deliveries() string {
	key := []byte(inputKey(o.Case.Inputs))
	for _, id := range o.Taken {
		key = binary.LittleEndian.AppendUint64(key, id)
	}
	return string(key)
}

// Clone returns a copy that shares no memory with o.
func (o *Outcome) Clone() Outcome {
	c := *o
	c.Case, c.Taken, c.Receivers = o.Case.Clone(), slices.Clone(o.Taken), slices.Clone(o.Receivers)
	return c
}

// size returns the numbers that Compare compares first, before draws and answers.
func (o *Outcome) size() [4]int {
	return [4]int{o.External, o.Preemptions, o.Steps, len(o.Case.Schedule.Before)}
}

// Compare returns a negative number if o is smaller than p, a positive number if o is larger, and 0
// if they are equal. The package documentation defines the size of an outcome. Compare is a total
// order.
func (o *Outcome) Compare(p *Outcome) int {
	a, b, size, other := &o.Case, &p.Case, o.size(), p.size()
	return cmp.Or(
		slices.Compare(size[:], other[:]),
		compareInputs(a.Inputs, b.Inputs),
		cmp.Compare(given(a.Schedule.Choices), given(b.Schedule.Choices)),
		slices.CompareFunc(a.Schedule.Choices, b.Schedule.Choices, compareChoices),
	)
}

// compareInputs compares two lists of draws by the total count of the numbers that the draws have
// read, and then by the numbers themselves.
func compareInputs(a, b []choice.Input) int {
	return cmp.Or(
		cmp.Compare(numbers(a), numbers(b)),
		slices.CompareFunc(a, b, func(x, y choice.Input) int {
			return cmp.Or(cmp.Compare(len(x.Words), len(y.Words)), slices.Compare(x.Words, y.Words))
		}),
	)
}

// numbers returns the total count of the numbers that draws have read.
func numbers(list []choice.Input) (n int) {
	for i := range list {
		n += len(list[i].Words)
	}
	return n
}

// given returns the number of nonzero choices in list.
func given(list []choice.Choice) (n int) {
	for _, c := range list {
		if c.Value != 0 {
			n++
		}
	}
	return n
}

func compareChoices(x, y choice.Choice) int {
	return cmp.Or(cmp.Compare(x.Value, y.Value), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.N, y.N))
}

// inputKey returns a map key for draws, from their labels and numbers.
func inputKey(list []choice.Input) string {
	var b []byte
	for i := range list {
		b = binary.AppendUvarint(b, uint64(len(list[i].Label)))
		b = append(b, list[i].Label...)
		b = binary.AppendUvarint(b, uint64(len(list[i].Words)))
		for _, w := range list[i].Words {
			b = binary.AppendUvarint(b, w)
		}
	}
	return string(b)
}
