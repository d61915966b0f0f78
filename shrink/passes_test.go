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

// These tests run one pass alone, so that no other pass can compensate for it.

// boardOf returns the run of a board with the two lists in a text.
func boardOf(text string, steps func(a, b []uint64) int) (*board, shrink.Outcome) {
	y := &board{steps}
	var c shrink.Case
	for _, list := range strings.Split(text, "] [") {
		var numbers []uint64
		for _, v := range strings.Fields(strings.Trim(list, "[]")) {
			numbers = append(numbers, uint64(v[0]-'0'))
		}
		c.Inputs = append(c.Inputs, written(numbers))
	}
	return y, y.Run(c)
}

// lists returns the two lists of the run of a board.
func lists(out *shrink.Outcome) string {
	a, _ := read(0, out.Case.Inputs[0].Words)
	b, _ := read(1, out.Case.Inputs[1].Words)
	return fmt.Sprint(a, " ", b)
}

// The pass elements, given the first list, can remove several neighboring elements of it together. It never changes the
// second list.
func TestElements(t *testing.T) {
	has := func(numbers ...uint64) func(a, b []uint64) int {
		return func(a, b []uint64) int {
			for _, v := range numbers {
				if !slices.Contains(a, v) {
					return 0
				}
			}
			return 1 + len(a) + len(b)
		}
	}
	for _, c := range []struct {
		found string
		needs []uint64
		want  string
		runs  int
	}{
		{"[9 8 6 5] [7 7]", []uint64{9, 5}, "[9 5] [7 7]", 11},
		{"[1 2 3 4 5 6 7 8] [7]", nil, "[] [7]", 7},
		{"[1 2 3 4 5 6 7 8] [7]", []uint64{6}, "[6] [7]", 13},
		{"[1 2 3] [7]", []uint64{1, 2, 3}, "[1 2 3] [7]", 11},
	} {
		y, found := boardOf(c.found, has(c.needs...))
		res := shrink.Elements(y, found)
		if got := lists(&res.Best); got != c.want || res.Runs != c.runs {
			t.Errorf("%s becomes %s in %d runs, want %s in %d", c.found, got, res.Runs, c.want, c.runs)
		}
	}
}

// The pass rearranged makes one change at a time, of each kind.
func TestRearranged(t *testing.T) {
	for _, c := range []struct{ name, found, want string }{
		{"moved", "[9 8] [7]", "[9] [8 7]"},
		{"moved to the end", "[9 8] [7]", "[8] [7 9]"},
		{"moved within a list", "[9 8 6] [7]", "[6 9 8] [7]"},
		{"swapped", "[9] [7]", "[7] [9]"},
		{"copied", "[9] [7]", "[9] [9]"},
	} {
		y, found := boardOf(c.found, func(a, b []uint64) int {
			switch fmt.Sprint(a, " ", b) {
			case c.found:
				return 9
			case c.want:
				return 4
			}
			return 0
		})
		if res := shrink.Rearranged(y, found); lists(&res.Best) != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.name, c.found, lists(&res.Best), c.want)
		}
	}
}

// The pass united replaces two elements by one element: their sum, or their sum plus 1. It never adds a zero to another
// element.
func TestUnited(t *testing.T) {
	for _, c := range []struct{ name, found, smaller, want string }{
		{"in one list", "[7 2] [1]", "[9] [1]", "[9] [1]"},
		{"into the first", "[2 7 5] [1]", "[9 5] [1]", "[9 5] [1]"},
		{"into another list", "[4] [3]", "[] [7]", "[] [7]"},
		{"one more", "[4 4] [1]", "[9] [1]", "[9] [1]"},
		{"two more", "[4 3] [1]", "[9] [1]", "[4 3] [1]"},
		{"one left out alone", "[4 4] [1]", "[4] [1]", "[4 4] [1]"},
		{"zero", "[4 0] [0]", "[4] [0]", "[4 0] [0]"},
	} {
		y, found := boardOf(c.found, func(a, b []uint64) int {
			switch fmt.Sprint(a, " ", b) {
			case c.found:
				return 9
			case c.smaller:
				return 4
			}
			return 0
		})
		if res := shrink.United(y, found); lists(&res.Best) != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.name, c.found, lists(&res.Best), c.want)
		}
	}
}

// A line is a subject of five deliveries. They come in the order of their numbers, except
// for deliveries that wait. It fails in one order, or if the answer to one question is not
// zero.
type line struct {
	fails  string
	answer int // counted from 1; 0 for no question
}

func (y *line) Run(c shrink.Case) shrink.Outcome {
	out := shrink.Outcome{Case: c.Clone(), Steps: 5}
	for len(out.Taken) < 5 {
		var first uint64 // the first waiting delivery, in case all wait
		for id := uint64(1); id <= 5; id++ {
			if slices.Contains(out.Taken, id) {
				continue
			}
			if first == 0 {
				first = id
			}
			if !slices.ContainsFunc(c.Schedule.Before, func(b choice.Constraint) bool {
				return b.Second == id && !slices.Contains(out.Taken, b.First)
			}) {
				first = id
				break
			}
		}
		out.Taken = append(out.Taken, first)
	}
	out.Case.Schedule.Choices = nil
	for i := range 3 {
		a := choice.Choice{Kind: choice.Drop, N: 2}
		if i < len(c.Schedule.Choices) {
			a.Value = c.Schedule.Choices[i].Value
		}
		out.Case.Schedule.Choices = append(out.Case.Schedule.Choices, a)
	}
	answered := y.answer > 0 && out.Case.Schedule.Choices[y.answer-1].Value > 0
	if order := fmt.Sprint(out.Taken); order == y.fails || answered {
		out.Signature = "fails"
	}
	return out
}

func (y *line) Search(context.Context, []choice.Input, string, *shrink.Outcome, int, func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	return nil, 0, false
}

func (y *line) Afresh(context.Context, int, string, int, func(shrink.Outcome)) ([]shrink.Outcome, int) {
	return nil, 0
}

func (y *line) Parts(shrink.Case) []shrink.Part { return nil }

// The pass nearest finds the fewest constraints, whatever the given constraints are. It moves an answer to another
// question.
func TestNearest(t *testing.T) {
	before := func(list ...uint64) (c shrink.Case) {
		for i := 0; i < len(list); i += 2 {
			c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: list[i], Second: list[i+1]})
		}
		return c
	}
	for _, c := range []struct {
		line
		found   shrink.Case
		want    string
		answers int // the number of answers that are not zero
	}{
		{line{fails: "[2 3 1 4 5]"}, before(2, 1, 3, 1, 1, 4), "[{3 1}]", 0},
		{line{fails: "[2 1 3 5 4]"}, before(2, 1, 1, 3, 3, 4, 5, 4), "[{2 1} {5 4}]", 0},
		{line{fails: "[1 2 3 4 5]"}, before(1, 2, 2, 3), "[]", 0},
		{line{fails: "[2 3 4 5 1]"}, before(3, 1, 5, 1), "[{5 1}]", 0},
		{line{fails: "[2 1 3 4 5]", answer: 3}, func() shrink.Case {
			c := before(2, 1)
			c.Schedule.Choices = []choice.Choice{{Kind: choice.Drop, N: 2, Value: 1}}
			return c
		}(), "[]", 1},
	} {
		found := c.line.Run(c.found)
		if found.Signature == "" {
			t.Fatalf("%v does not fail: %v", c.found, found.Taken)
		}
		res := shrink.Nearest(&c.line, found)
		given := 0
		for _, a := range res.Best.Case.Schedule.Choices {
			given += int(a.Value)
		}
		if got := fmt.Sprint(res.Best.Case.Schedule.Before); got != c.want || given != c.answers {
			t.Errorf("%v becomes %s with %d answers, want %s with %d", c.found.Schedule.Before, got, given, c.want, c.answers)
		}
	}
}

// The pass perturb finds one constraint that replaces two
// others.
func TestPerturb(t *testing.T) {
	y := &line{fails: "[2 3 4 5 1]"}
	found := y.Run(shrink.Case{Schedule: choice.Schedule{Before: []choice.Constraint{{First: 3, Second: 1}, {First: 5, Second: 1}}}})
	if found.Signature == "" {
		t.Fatalf("%v does not fail", found.Taken)
	}
	found.Case.Schedule.Before = []choice.Constraint{{First: 4, Second: 1}, {First: 5, Second: 1}, {First: 2, Second: 1}}
	if res := shrink.Perturb(y, found); fmt.Sprint(res.Best.Case.Schedule.Before) != "[{5 1}]" {
		t.Errorf("becomes %v, want one constraint", res.Best.Case.Schedule.Before)
	}
}

// A slope is a board on which a search finds runs with one additional step for each needless constraint. It also has
// other failing runs.
type slope struct {
	board
	unneeded int    // the number of constraints of the runs that Search returns
	rare     string // the lists that fail only under a constraint
	others   []shrink.Case
}

func (y *slope) Run(c shrink.Case) shrink.Outcome {
	out := y.board.Run(c)
	out.Steps += 3 * len(c.Schedule.Before)
	if out.Drawn == y.rare && len(c.Schedule.Before) == 0 {
		out.Signature = ""
	}
	return out
}

func (y *slope) Search(_ context.Context, inputs []choice.Input, _ string, near *shrink.Outcome, _ int, _ func(shrink.Outcome)) (found []shrink.Outcome, made int, all bool) {
	c := shrink.Case{Inputs: inputs}
	for i := range y.unneeded {
		c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: uint64(i) + 1, Second: uint64(i) + 2})
	}
	if out := y.Run(c); out.Signature != "" && out.Steps <= near.Steps {
		found = append(found, out)
	}
	return found, 1, false
}

func (y *slope) Afresh(_ context.Context, call int, _ string, _ int, _ func(shrink.Outcome)) (found []shrink.Outcome, made int) {
	if call < len(y.others) {
		found, made = []shrink.Outcome{y.Run(y.others[call])}, 1
	}
	return found, made
}

// Descents begin at runs that are larger than the best run, and may lead to a smaller run. Such a run has simpler draws
// than the best run, or is a different failing run.
func TestDescents(t *testing.T) {
	steps := func(a, b []uint64) int {
		switch fmt.Sprint(a, b) {
		case "[9 8] [7]":
			return 9
		case "[9] [7]":
			return 7
		case "[1 2 3] [5]":
			return 10
		case "[2] [5]":
			return 3
		case "[2 3] [5]", "[1 2] [5]":
			return 8
		}
		return 0
	}
	far := shrink.Case{Inputs: []choice.Input{written([]uint64{1, 2, 3}), written([]uint64{5})}}
	for _, c := range []struct {
		name  string
		pass  func(shrink.Subject, shrink.Outcome) shrink.Result
		found string
		want  string
	}{
		{"simpler draws", shrink.Simpler, "[9 8] [7]", "[9] [7]"},
		{"another failing run", shrink.Afresh, "[9] [7]", "[2] [5]"},
	} {
		first, _ := boardOf(c.found, steps)
		y := &slope{board: *first, unneeded: 5, others: []shrink.Case{far}}
		_, found := boardOf(c.found, steps)
		if res := c.pass(y, found); lists(&res.Best) != c.want || len(res.Best.Case.Schedule.Before) != 0 {
			t.Errorf("%s: %s becomes %s with %d constraints, want %s with none", c.name, c.found, lists(&res.Best), len(res.Best.Case.Schedule.Before), c.want)
		}
	}
}

// A shy subject has one message for each number. If the numbers are [8], only a search of many runs finds a failing
// order.
type shy struct {
	toy
	runs int
}

func newShy(runs int) *shy {
	return &shy{toy{fails: func(inputs []choice.Input, before []choice.Constraint, _ []choice.Choice) string {
		if words := inputs[0].Words; slices.Equal(words, []uint64{3, 8}) || slices.Equal(words, []uint64{8}) && len(before) > 0 {
			return "fails"
		}
		return ""
	}}, runs}
}

func (y *shy) Search(_ context.Context, inputs []choice.Input, signature string, _ *shrink.Outcome, runs int, _ func(shrink.Outcome)) (found []shrink.Outcome, made int, all bool) {
	c := shrink.Case{Inputs: inputs}
	if runs >= y.runs {
		c.Schedule.Before = []choice.Constraint{{First: 1, Second: 2}}
	}
	if out := y.Run(c); out.Signature == signature {
		found = append(found, out)
	}
	return found, 1, false
}

// At the end, programs with fewer messages are searched again with more runs.
func TestDoubted(t *testing.T) {
	for runs, want := range map[int]string{25: "[8]", 300: "[8]", 301: "[3 8]"} {
		y := newShy(runs)
		res := shrink.Doubted(y, y.Run(toyCase([]uint64{3, 8}, 0)), toyCase([]uint64{8}, 0).Inputs)
		if got := fmt.Sprint(res.Best.Case.Inputs[0].Words); got != want {
			t.Errorf("shrunk to %s where it takes %d runs, want %s", got, runs, want)
		}
	}
}

// If all deliveries of a run are needed, each is moved once, although constraints are removed afterwards.
func TestNothingIsMovedTwice(t *testing.T) {
	y := &line{fails: "[2 1 3 4 5]"}
	found := y.Run(under(choice.Constraint{First: 2, Second: 1}, choice.Constraint{First: 3, Second: 4}))
	res := shrink.InOrder(y, found)
	if moves, removals := 2+4, 4; fmt.Sprint(res.Best.Case.Schedule.Before) != "[{2 1}]" || res.Runs != moves+removals {
		t.Errorf("becomes %v in %d runs, want %d moves and %d removals", res.Best.Case.Schedule.Before, res.Runs, moves, removals)
	}
}
