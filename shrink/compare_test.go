package shrink_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// outcome draws an outcome from few different numbers, so that many outcomes agree in part.
func outcome(d *rand.Rand) shrink.Outcome {
	out := shrink.Outcome{External: d.IntN(2), Preemptions: d.IntN(2), Steps: d.IntN(2)}
	out.Case.Schedule.Before = make([]choice.Constraint, d.IntN(2))
	for range d.IntN(3) {
		in := choice.Input{Label: "x"}
		for range d.IntN(3) {
			in.Words = append(in.Words, d.Uint64N(2))
		}
		out.Case.Inputs = append(out.Case.Inputs, in)
	}
	for range d.IntN(3) {
		out.Case.Schedule.Choices = append(out.Case.Schedule.Choices, choice.Choice{N: 3, Value: d.Uint32N(3)})
	}
	return out
}

func TestCompareIsAnOrder(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		a, b, c := outcome(d), outcome(d), outcome(d)
		if a.Compare(&a) != 0 || a.Compare(&b) != -b.Compare(&a) {
			t.Fatalf("%+v and %+v: %d and %d", a, b, a.Compare(&b), b.Compare(&a))
		}
		list := []shrink.Outcome{a, b, c}
		slices.SortFunc(list, func(x, y shrink.Outcome) int { return x.Compare(&y) })
		if list[0].Compare(&list[2]) > 0 || list[0].Compare(&list[1]) > 0 || list[1].Compare(&list[2]) > 0 {
			t.Fatalf("it is no order on %+v", list)
		}
		if a.Compare(&b) == 0 && a.Compare(&c) != b.Compare(&c) {
			t.Fatalf("%+v and %+v are alike, and not beside %+v", a, b, c)
		}
	}
}

// Compare is decided by the first of its criteria in which two outcomes differ.
func TestCompareByImportance(t *testing.T) {
	words := func(w ...uint64) []choice.Input { return []choice.Input{{Label: "x", Words: w}} }
	answers := func(v ...uint32) (list []choice.Choice) {
		for _, x := range v {
			list = append(list, choice.Choice{Kind: choice.Drop, N: 9, Value: x})
		}
		return list
	}
	of := func(external, steps, constraints int, in []choice.Input, given []choice.Choice) shrink.Outcome {
		return shrink.Outcome{External: external, Steps: steps, Case: shrink.Case{Inputs: in,
			Schedule: choice.Schedule{Before: make([]choice.Constraint, constraints), Choices: given}}}
	}
	list := []shrink.Outcome{
		of(1, 9, 9, words(9, 9), answers(1, 1)),
		of(2, 7, 9, words(9, 9), answers(1, 1)),
		of(2, 8, 9, words(9, 9), answers(1, 1)),
		of(2, 9, 8, words(9, 9), answers(1, 1)),
		of(2, 9, 9, words(9), answers(1, 1)),
		of(2, 9, 9, words(8, 9), answers(1, 1)),
		of(2, 9, 9, words(9, 8), answers(1, 1)),
		of(2, 9, 9, words(9, 9), answers(0, 2)),
		of(2, 9, 9, words(9, 9), answers(1, 1)),
	}
	list[0].Preemptions = 3
	list[1].Preemptions, list[1].Steps = 1, 9
	for i := range list[2:] {
		list[i+2].Preemptions = 2
	}
	for i := range list {
		for j := range list {
			if got := list[i].Compare(&list[j]); got != cmp.Compare(i, j) {
				t.Errorf("%d beside %d: %d", i, j, got)
			}
		}
	}
}
