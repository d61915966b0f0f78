package shrink

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/schedule"
)

// A Case is all that decides a run: its draws, and in which order its steps come. The
// schedule has no priorities and no seed, so that it is plain order but for its
// constraints, and all answers that it does not hold are zero.
type Case struct {
	Inputs   []choice.Input
	Schedule schedule.Schedule
}

// Clone returns a copy that shares nothing with c.
func (c *Case) Clone() Case {
	return Case{choice.CloneInputs(c.Inputs), *c.Schedule.Clone()}
}

// An Outcome is what came of running a case.
type Outcome struct {
	// Case makes the same run again. It has for each draw the numbers that were read,
	// no more and no fewer, and for each question that was asked its answer.
	Case Case
	// Signature tells the failure from others; "" when the run did not fail.
	Signature string
	// External is how many messages came from outside, Steps how many steps the run had.
	External, Steps int
	// Drawn tells programs apart: runs whose draws have the same values have the same.
	// It may be empty; then the numbers of the draws stand in for it.
	Drawn string
	// Void reports that the draws make no program, in whatever order.
	Void bool
	// Taken has the identities of the deliveries, one after the other.
	Taken []uint64
}

// program returns what tells the run's program from others.
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
// and 0 if neither: see the package's page. It is an order of all outcomes.
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
