package shrink_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// A toy is a subject without actors. Its draws are lists of numbers. Each number is a
// message from outside, and the sum is the number of steps. A function decides whether it
// fails.
type toy struct {
	fails func(inputs []choice.Input, before []choice.Constraint, answers []choice.Choice) string
	runs  int
}

func (y *toy) Run(c shrink.Case) shrink.Outcome {
	y.runs++
	out := shrink.Outcome{Case: c.Clone(), Signature: y.fails(c.Inputs, c.Schedule.Before, c.Schedule.Choices)}
	for _, in := range c.Inputs {
		out.External += len(in.Words)
		for _, w := range in.Words {
			out.Steps += int(min(w, 1<<20))
		}
	}
	return out
}

// Afresh finds no other failing run.
func (y *toy) Afresh(context.Context, int, string, int, func(shrink.Outcome)) ([]shrink.Outcome, int) {
	return nil, 0
}

// Parts returns no parts: a toy does not know the parts of its lists.
func (y *toy) Parts(shrink.Case) []shrink.Part {
	y.runs++
	return nil
}

// Search tries the order of the near run and plain order.
func (y *toy) Search(_ context.Context, inputs []choice.Input, signature string, near *shrink.Outcome, runs int, other func(shrink.Outcome)) (found []shrink.Outcome, made int, all bool) {
	for _, before := range [][]choice.Constraint{near.Case.Schedule.Before, nil} {
		c := shrink.Case{Inputs: inputs, Schedule: choice.Schedule{Before: before, Choices: near.Case.Schedule.Choices}}
		if out := y.Run(c); out.Signature == signature {
			found = append(found, out)
		} else {
			other(out)
		}
	}
	return found, 2, false
}

// toyCase is a case with numbers, a number of constraints, and answers.
func toyCase(numbers []uint64, constraints int, answers ...uint32) shrink.Case {
	c := shrink.Case{Inputs: []choice.Input{{Label: "list", Words: numbers}}}
	for i := range constraints {
		c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: uint64(i), Second: uint64(i + 100)})
	}
	for _, v := range answers {
		c.Schedule.Choices = append(c.Schedule.Choices, choice.Choice{Kind: choice.Drop, N: 10, Value: v})
	}
	return c
}

func firsts(list []choice.Constraint) (out []uint64) {
	for _, c := range list {
		out = append(out, c.First)
	}
	return out
}

// A toyOf describes a toy and its smallest failing case.
type toyOf struct {
	name  string
	fails func(words []uint64, before []uint64, answers []uint32) bool
	want  string // the words, constraints and answers of the smallest failing case
}

// toys are subjects whose smallest failing case is known.
var toys = []toyOf{
	{"always", func([]uint64, []uint64, []uint32) bool { return true }, "[] [] [0 0 0]"},
	{"one number", func(words, _ []uint64, _ []uint32) bool {
		return slices.ContainsFunc(words, func(w uint64) bool { return w >= 37 })
	}, "[37] [] [0 0 0]"},
	{"two numbers apart", func(words, _ []uint64, _ []uint32) bool {
		i := slices.Index(words, 40)
		return i >= 0 && slices.Contains(words[i:], 7)
	}, "[40 7] [] [0 0 0]"},
	{"two numbers that differ", func(words, _ []uint64, _ []uint32) bool {
		for i, w := range words {
			if slices.Contains(words[i:], w+59) {
				return true
			}
		}
		return false
	}, "[0 59] [] [0 0 0]"},
	{"as many as", func(words, _ []uint64, _ []uint32) bool { return len(words) >= 3 }, "[0 0 0] [] [0 0 0]"},
	{"three constraints", func(_, before []uint64, _ []uint32) bool {
		return slices.Contains(before, 2) && slices.Contains(before, 9) && slices.Contains(before, 13)
	}, "[] [2 9 13] [0 0 0]"},
	{"a pair of them", func(_, before []uint64, _ []uint32) bool {
		return slices.Contains(before, 3) == slices.Contains(before, 11) && (len(before) == 0 || slices.Contains(before, 3))
	}, "[] [] [0 0 0]"},
	{"an answer", func(_, _ []uint64, answers []uint32) bool { return len(answers) > 1 && answers[1] >= 2 }, "[] [] [0 2 0]"},
	{"all at once", func(words, before []uint64, answers []uint32) bool {
		return len(words) > 0 && words[0] >= 5 && slices.Contains(before, 1) && len(answers) > 2 && answers[2] > 0
	}, "[5] [1] [0 0 1]"},
}

func newToy(fails func(words, before []uint64, answers []uint32) bool) *toy {
	return &toy{fails: func(inputs []choice.Input, before []choice.Constraint, answers []choice.Choice) string {
		var values []uint32
		for _, a := range answers {
			values = append(values, a.Value)
		}
		switch words := inputs[0].Words; {
		case fails(words, firsts(before), values):
			return "fails"
		case len(words) == 2:
			return "fails otherwise"
		}
		return ""
	}}
}

func TestShrinkToTheSmallest(t *testing.T) {
	for _, c := range toys {
		y := newToy(c.fails)
		found := y.Run(toyCase([]uint64{40, 1, 99, 3, 7, 2, 64, 7}, 16, 3, 5, 9))
		if found.Signature != "fails" {
			t.Fatalf("%s does not fail", c.name)
		}
		res := shrink.Shrink(context.Background(), y, found, shrink.Options{})
		var values []uint32
		for _, a := range res.Best.Case.Schedule.Choices {
			values = append(values, a.Value)
		}
		if got := fmt.Sprint(res.Best.Case.Inputs[0].Words, firsts(res.Best.Case.Schedule.Before), values); got != c.want || !res.Done {
			t.Errorf("%s: shrunk to %s, want %s", c.name, got, c.want)
		}
		if again := y.Run(res.Best.Case); again.Signature != "fails" || again.Compare(&res.Best) != 0 {
			t.Errorf("%s: the smallest case comes to %+v, want %+v", c.name, again, res.Best)
		}
		if res.Runs != y.runs-2 {
			t.Errorf("%s: says %d runs, and made %d", c.name, res.Runs, y.runs-2)
		}
	}
}

// The same case and limit give the same result. A limit is exceeded by at most one search, and the result
// fails.
func TestShrinkWithinABound(t *testing.T) {
	for _, c := range toys {
		for runs := 1; runs < 300; runs += 7 {
			y := newToy(c.fails)
			found := y.Run(toyCase([]uint64{40, 1, 99, 3, 7, 2, 64, 7}, 16, 3, 5, 9))
			first := shrink.Shrink(context.Background(), y, found, shrink.Options{Runs: runs})
			second := shrink.Shrink(context.Background(), y, found, shrink.Options{Runs: runs})
			switch {
			case first.Best.Compare(&second.Best) != 0 || first.Runs != second.Runs:
				t.Fatalf("%s, %d runs: %+v and %+v", c.name, runs, first, second)
			case first.Runs > runs+1:
				t.Fatalf("%s: made %d runs of %d", c.name, first.Runs, runs)
			case y.Run(first.Best.Case).Signature != "fails":
				t.Fatalf("%s, %d runs: the result does not fail", c.name, runs)
			}
		}
	}
}

// A run with another failure is not shrunk further, but reported.
func TestOtherFailures(t *testing.T) {
	y := newToy(func(words, _ []uint64, _ []uint32) bool { return len(words) >= 3 })
	res := shrink.Shrink(context.Background(), y, y.Run(toyCase([]uint64{1, 2, 3, 4}, 1)), shrink.Options{})
	if res.Best.Signature != "fails" || len(res.Others) != 1 || res.Others[0].Signature != "fails otherwise" {
		t.Errorf("%+v", res)
	}
	if out := y.Run(res.Others[0].Case); out.Signature != "fails otherwise" {
		t.Errorf("the other failure comes to %+v", out)
	}
}

// A search whose time is over before it begins returns the found case.
func TestNoTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	y := newToy(toys[0].fails)
	found := y.Run(toyCase([]uint64{1, 2}, 3))
	if res := shrink.Shrink(ctx, y, found, shrink.Options{}); res.Done || res.Runs != 0 || res.Best.Compare(&found) != 0 {
		t.Errorf("%+v", res)
	}
}

// A board is a subject with two lists. An element is written as a one and its value, and a zero ends a list. A function
// returns the number of steps of a failing run, or 0 for a run that passes.
type board struct{ steps func(a, b []uint64) int }

// read returns a list and its parts.
func read(draw int, words []uint64) (list []uint64, parts []shrink.Part) {
	at := 0
	for ; at+1 < len(words) && words[at] > 0; at += 2 {
		list = append(list, words[at+1])
		parts = append(parts, shrink.Part{Draw: draw, At: at, End: at + 2, Of: "element", Element: true},
			shrink.Part{Draw: draw, At: at + 1, End: at + 2, Of: "value"})
	}
	return list, append(parts, shrink.Part{Draw: draw, At: at, End: at + 1, Of: "element", Element: true})
}

func written(list []uint64) choice.Input {
	in := choice.Input{Label: "list"}
	for _, v := range list {
		in.Words = append(in.Words, 1, v)
	}
	in.Words = append(in.Words, 0)
	return in
}

func (y *board) Run(c shrink.Case) shrink.Outcome {
	a, _ := read(0, c.Inputs[0].Words)
	b, _ := read(1, c.Inputs[1].Words)
	out := shrink.Outcome{Case: c.Clone(), Steps: y.steps(a, b), Drawn: fmt.Sprint(a, b)}
	out.Case.Inputs = []choice.Input{written(a), written(b)}
	if out.Steps > 0 {
		out.Signature = "fails"
	}
	return out
}

func (y *board) Search(_ context.Context, inputs []choice.Input, _ string, _ *shrink.Outcome, _ int, _ func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	if out := y.Run(shrink.Case{Inputs: inputs}); out.Signature != "" {
		return []shrink.Outcome{out}, 1, true
	}
	return nil, 1, true
}

func (y *board) Afresh(context.Context, int, string, int, func(shrink.Outcome)) ([]shrink.Outcome, int) {
	return nil, 0
}

func (y *board) Parts(c shrink.Case) []shrink.Part {
	_, a := read(0, c.Inputs[0].Words)
	_, b := read(1, c.Inputs[1].Words)
	return append(a, b...)
}

// Parts are moved, swapped, copied and joined. A result that needs several changes at once is found through programs of
// equal size.
func TestRearranging(t *testing.T) {
	for _, c := range []struct {
		name, found string
		steps       map[string]int // for each program that fails, its number of steps
		want        string
	}{
		{"moved", "[9 8] [7]", map[string]int{"[9 8] [7]": 9, "[9] [8 7]": 4}, "[9] [8 7]"},
		{"to the end", "[9 8] [7]", map[string]int{"[9 8] [7]": 9, "[8] [7 9]": 4}, "[8] [7 9]"},
		{"swapped", "[9] [7]", map[string]int{"[9] [7]": 9, "[7] [9]": 4}, "[7] [9]"},
		{"copied", "[9] [7]", map[string]int{"[9] [7]": 9, "[9] [9]": 4}, "[9] [9]"},
		{"left out", "[9 8 6 5] [7]", map[string]int{"[9 8 6 5] [7]": 9, "[9 5] [7]": 4}, "[9 5] [7]"},
		{"by way of others", "[7] [9 8]", map[string]int{"[7] [9 8]": 9, "[9 7] [8]": 9, "[9 8 7] []": 3}, "[9 8 7] []"},
	} {
		y := &board{func(a, b []uint64) int { return c.steps[fmt.Sprint(a, " ", b)] }}
		var a, b []uint64
		for i, list := range []*[]uint64{&a, &b} {
			for _, v := range strings.Fields(strings.Trim(strings.Split(c.found, "] [")[i], "[]")) {
				*list = append(*list, uint64(v[0]-'0'))
			}
		}
		found := y.Run(shrink.Case{Inputs: []choice.Input{written(a), written(b)}})
		res := shrink.Shrink(context.Background(), y, found, shrink.Options{})
		a, _ = read(0, res.Best.Case.Inputs[0].Words)
		b, _ = read(1, res.Best.Case.Inputs[1].Words)
		if got := fmt.Sprint(a, " ", b); got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.name, c.found, got, c.want)
		}
	}
}
