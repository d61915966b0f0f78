package shrink

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Case is all that decides a run: its draws and the order of its steps. The
// schedule has no priorities and no seed, so it is plain order except for its
// constraints. Answers that it does not hold are zero.
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
	// Case replays the run. It has exactly the numbers that each draw read, and an
	// answer for each question that was asked.
	Case Case
	// Signature identifies the failure; "" when the run did not fail.
	Signature string
	// External is how many messages came from outside, Steps how many steps the run had.
	External, Steps int
	// Drawn identifies the program: it is the same for runs whose draws have the
	// same values. If it is empty, the numbers of the draws stand in for it.
	Drawn string
	// Void reports that the draws make no program, in any order.
	Void bool
	// Taken has the identities of the deliveries, in order.
	Taken []uint64
}

// program returns what identifies the run's program.
func (o *Outcome) program() string {
	if o.Drawn != "" {
		return o.Drawn
	}
	return inputKey(o.Case.Inputs)
}

// Clone returns a copy that shares nothing with o.
func (o *Outcome) Clone() Outcome {
	c := *o
	c.Case, c.Taken = o.Case.Clone(), slices.Clone(o.Taken)
	return c
}

// size returns how large the run is without its draws and answers.
func (o *Outcome) size() [3]int {
	return [3]int{o.External, o.Steps, len(o.Case.Schedule.Before)}
}

// Compare returns a negative number if o is smaller than p, a positive one if p is,
// and 0 if neither. The package documentation says what is smaller. Compare orders
// all outcomes.
func (o *Outcome) Compare(p *Outcome) int {
	a, b, size, other := &o.Case, &p.Case, o.size(), p.size()
	return cmp.Or(
		slices.Compare(size[:], other[:]),
		compareInputs(a.Inputs, b.Inputs),
		cmp.Compare(given(a.Schedule.Choices), given(b.Schedule.Choices)),
		slices.CompareFunc(a.Schedule.Choices, b.Schedule.Choices, compareChoices),
	)
}

// compareInputs compares draws by how many numbers they have read in all, and then
// by the numbers.
func compareInputs(a, b []choice.Input) int {
	return cmp.Or(
		cmp.Compare(numbers(a), numbers(b)),
		slices.CompareFunc(a, b, func(x, y choice.Input) int {
			return cmp.Or(cmp.Compare(len(x.Words), len(y.Words)), slices.Compare(x.Words, y.Words))
		}),
	)
}

// numbers returns how many numbers draws have read.
func numbers(list []choice.Input) (n int) {
	for i := range list {
		n += len(list[i].Words)
	}
	return n
}

// given returns how many answers are not zero.
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
