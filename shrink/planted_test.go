package shrink_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// A race is a subject without draws. Its deliveries are numbered from 1, and come in this order
// unless a constraint makes one wait. A run ends when it fails.
type race struct {
	deliveries int
	fails      func(taken []uint64) bool
	finds      []choice.Constraint // the result of a search of 200 runs; nil if such a search finds nothing
}

func (y *race) Run(c shrink.Case) shrink.Outcome {
	out := shrink.Outcome{Case: c.Clone()}
	for len(out.Taken) < y.deliveries && out.Signature == "" {
		out.Taken = append(out.Taken, next(y.deliveries, out.Taken, c.Schedule.Before))
		if y.fails(out.Taken) {
			out.Signature = "fails"
		}
	}
	out.Steps = len(out.Taken)
	return out
}

// next returns the first delivery that does not wait, or the first delivery if all wait.
func next(deliveries int, taken []uint64, before []choice.Constraint) (next uint64) {
	gone, waits := make([]bool, deliveries+1), make([]bool, deliveries+1)
	for _, id := range taken {
		gone[id] = true
	}
	for _, b := range before {
		waits[b.Second] = waits[b.Second] || !gone[b.First]
	}
	for id := uint64(deliveries); id > 0; id-- {
		if !gone[id] && (!waits[id] || next == 0 || waits[next]) {
			next = id
		}
	}
	return next
}

func (y *race) Search(_ context.Context, _ []choice.Input, _ string, _ *shrink.Outcome, runs int, _ func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	if y.finds == nil || runs < 200 {
		return nil, 1, false
	}
	return []shrink.Outcome{y.Run(under(y.finds...))}, 1, true
}

func (y *race) Afresh(context.Context, int, string, int, func(shrink.Outcome)) ([]shrink.Outcome, int) {
	return nil, 0
}

func (y *race) Parts(shrink.Case) []shrink.Part { return nil }

// under returns a case with some constraints.
func under(list ...choice.Constraint) (c shrink.Case) {
	c.Schedule.Before = list
	return c
}

// A choosy race asks three questions. It fails if the third answer is not zero. It also fails if
// the first answer is not zero and the second delivery comes first.
type choosy struct{ race }

func (y *choosy) Run(c shrink.Case) shrink.Outcome {
	out := y.race.Run(c)
	given := make([]choice.Choice, 3)
	for i := range given {
		given[i] = choice.Choice{Kind: choice.Drop, N: 2}
		if i < len(c.Schedule.Choices) {
			given[i].Value = c.Schedule.Choices[i].Value
		}
	}
	out.Case.Schedule.Choices = given
	if given[2].Value > 0 || given[0].Value > 0 && out.Taken[0] == 2 {
		out.Signature = "fails"
	}
	return out
}

// A shelf is a board on which one pair of lists fails only under a constraint. A search of 100
// runs finds the constraint. The first element of the first list is the run's number of messages
// from outside.
type shelf struct {
	board
	rare string
}

func (y *shelf) Run(c shrink.Case) shrink.Outcome {
	out := y.board.Run(c)
	if a, _ := read(0, out.Case.Inputs[0].Words); len(a) > 0 {
		out.External = int(a[0])
	}
	if out.Drawn == y.rare && len(c.Schedule.Before) == 0 {
		out.Signature = ""
	}
	return out
}

func (y *shelf) Search(_ context.Context, inputs []choice.Input, _ string, _ *shrink.Outcome, runs int, _ func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	c := under(choice.Constraint{First: 1, Second: 2})
	c.Inputs = inputs
	if out := y.Run(c); runs >= 100 && out.Drawn == y.rare {
		return []shrink.Outcome{out}, 1, false
	}
	return nil, 1, false
}

// A started is a subject with the failing case at which shrinking starts.
type started struct {
	subject shrink.Subject
	found   shrink.Case
}

// startedToy returns the toy with the given name.
func startedToy(name string) started {
	i := slices.IndexFunc(toys, func(c toyOf) bool { return c.name == name })
	return started{newToy(toys[i].fails), toyCase([]uint64{40, 1, 99, 3, 7, 2, 64, 7}, 16, 3, 5, 9)}
}

// startedBoard returns a board with its failing case.
func startedBoard(found string, steps func(a, b []uint64) int) started {
	y, out := boardOf(found, steps)
	return started{y, out.Case}
}

// only returns a function for a board that fails only with the lists in the map. The map has the
// number of steps for each failing pair of lists.
func only(steps map[string]int) func(a, b []uint64) int {
	return func(a, b []uint64) int { return steps[fmt.Sprint(a, " ", b)] }
}

// lateOnes returns a race that fails as soon as the last delivery comes before the first one. The
// failure needs no other delivery.
func lateOnes() started {
	return started{&race{deliveries: 61, fails: func(taken []uint64) bool {
		return slices.Contains(taken, 61) && !slices.Contains(taken, 1)
	}}, under(choice.Constraint{First: 61, Second: 1})}
}

// manyConstraints returns a race that fails in only one order, which needs 2 of 25 constraints. It
// has too many deliveries for the passes that try other constraints.
func manyConstraints() started {
	list := []choice.Constraint{{First: 5, Second: 4}, {First: 4, Second: 3}}
	for id := uint64(10); id < 33; id++ {
		list = append(list, choice.Constraint{First: id, Second: id + 20})
	}
	return started{&race{deliveries: 61, fails: func(taken []uint64) bool {
		return len(taken) == 61 && slices.Equal(taken[2:5], []uint64{5, 4, 3}) && slices.IsSorted(taken[5:])
	}}, under(list...)}
}

// oneForTwo returns a race that fails under two constraints. It also fails under a third constraint
// alone. It has too many deliveries for the passes that try all other constraints.
func oneForTwo() started {
	return started{&race{deliveries: 61, fails: func(taken []uint64) bool {
		at := func(id uint64) int { return slices.Index(taken, id) }
		return len(taken) == 61 && (at(5) < at(4) && at(4) < at(3) || at(31) < at(1))
	}}, under(choice.Constraint{First: 5, Second: 4}, choice.Constraint{First: 4, Second: 3})}
}

// powerOfTwo returns a toy that fails if the list has a power of two that is at least 32. It passes if
// that number is one smaller.
func powerOfTwo() started {
	p := startedToy("one number")
	p.subject = newToy(func(words, _ []uint64, _ []uint32) bool {
		return slices.ContainsFunc(words, func(w uint64) bool { return w >= 32 && w&(w-1) == 0 })
	})
	return p
}

// steeper returns a slope that has fewer steps if one element is removed. It then fails only under a
// constraint. The runs that a search finds have more steps until their other constraints are removed.
func steeper() started {
	p := startedBoard("[9 8] [7]", only(map[string]int{"[9 8] [7]": 9, "[9] [7]": 4}))
	return started{&slope{board: *p.subject.(*board), unneeded: 5, rare: "[9] [7]"}, p.found}
}

// far returns a slope that fails with two pairs of lists. No single change leads from the pair of the given case to the
// other pair. At first, a run with the other pair is larger.
func far() started {
	p := startedBoard("[9] [7]", only(map[string]int{"[9] [7]": 7, "[1 2 3] [5]": 10, "[2 3] [5]": 8, "[1 2] [5]": 8, "[2] [5]": 3}))
	other := shrink.Case{Inputs: []choice.Input{written([]uint64{1, 2, 3}), written([]uint64{5})}}
	return started{&slope{board: *p.subject.(*board), others: []shrink.Case{other}}, p.found}
}

// twoOrders returns a race that fails in two orders of its first deliveries. The given case has the
// first of these orders.
func twoOrders(deliveries int, first, second []uint64, found ...choice.Constraint) started {
	return started{&race{deliveries: deliveries, fails: func(taken []uint64) bool {
		return slices.Equal(taken, first) || slices.Equal(taken, second)
	}}, under(found...)}
}

// anotherOrder returns a race that fails in two orders. It fails in fewer steps in the order that
// the given case does not have. That order needs more constraints, and only a search finds it.
func anotherOrder() started {
	p := twoOrders(5, []uint64{2, 1, 4, 3}, []uint64{5, 4}, choice.Constraint{First: 2, Second: 1}, choice.Constraint{First: 4, Second: 3})
	y := p.subject.(*race)
	y.finds = []choice.Constraint{{First: 5, Second: 4}, {First: 4, Second: 1}, {First: 4, Second: 2}, {First: 4, Second: 3}}
	return p
}

// anotherQuestion returns a race that fails without constraints if the nonzero answer is given to
// a different question than in the given case.
func anotherQuestion() started {
	y := &choosy{race{deliveries: 5, fails: func([]uint64) bool { return false }}}
	c := under(choice.Constraint{First: 2, Second: 1})
	c.Schedule.Choices = []choice.Choice{{Kind: choice.Drop, N: 2, Value: 1}}
	return started{y, c}
}

// certainSum returns a board that fails if the numbers of the first list have a certain sum.
func certainSum() started {
	return startedBoard("[4 3 2] [5]", func(a, b []uint64) int {
		sum := uint64(0)
		for _, v := range a {
			sum += v
		}
		if sum != 9 {
			return 0
		}
		return 1 + len(a) + len(b)
	})
}

// oneLength returns a board that fails if both lists have equal length and end with 9.
func oneLength() started {
	return startedBoard("[4 9] [5 9]", func(a, b []uint64) int {
		n := len(a)
		if n == 0 || n != len(b) || a[n-1] != 9 || b[n-1] != 9 {
			return 0
		}
		return 1 + n
	})
}

// twoMoves returns a board whose run becomes smaller only after two moves of elements. The first move
// makes no difference. The lists are so long that random changes seldom make both moves.
func twoMoves() started {
	return startedBoard("[8 7 6 5 4 3 2 9 8 7 6 5 8 7 6 5 8 7 6 5] [1 2 1 2 1 2 1 2 1 2 1 2]", only(map[string]int{
		"[8 7 6 5 4 3 2 9 8 7 6 5 8 7 6 5 8 7 6 5] [1 2 1 2 1 2 1 2 1 2 1 2]": 9,
		"[9 8 7 6 5 4 3 2 8 7 6 5 8 7 6 5 8 7 6 5] [1 2 1 2 1 2 1 2 1 2 1 2]": 9,
		"[9 8 7 6 5 3 2 8 7 6 5 8 7 6 5 8 7 6 5] [1 2 1 2 1 2 4 1 2 1 2 1 2]": 4,
	}))
}

// rareOrder returns a shelf that has fewer messages from outside if two elements are swapped. With the
// swapped elements it fails in few orders.
func rareOrder() started {
	p := startedBoard("[9] [7]", only(map[string]int{"[9] [7]": 9, "[7] [9]": 9}))
	return started{&shelf{*p.subject.(*board), "[7] [9]"}, p.found}
}

// plantedFaults has a program for each pass. Without the pass, the program is shrunk
// less.
var plantedFaults = []struct {
	pass, name string
	program    started
}{
	{"later", "a delivery that needs no others", lateOnes()},
	{"order", "constraints of a long run", manyConstraints()},
	{"draws", "a power of two", powerOfTwo()},
	{"answers", "an answer", startedToy("an answer")},
	{"nearest", "another question has the answer", anotherQuestion()},
	{"elsewhere", "another order is shorter", anotherOrder()},
	{"fewer", "two constraints in place of three", twoOrders(30, []uint64{4, 5, 1, 6, 2, 7, 3}, []uint64{3, 4, 5, 1, 2, 6, 7},
		choice.Constraint{First: 5, Second: 1}, choice.Constraint{First: 6, Second: 2}, choice.Constraint{First: 7, Second: 3})},
	{"rearranged", "two moves", twoMoves()},
	{"wander", "two lists of one length", oneLength()},
	{"simpler", "one element less, with a constraint", steeper()},
	{"afresh", "other lists", far()},
	{"perturb", "one constraint in place of two", oneForTwo()},
	{"rearrangedBases", "two moves", twoMoves()},
	{"inserted", "one element more", oneMore()},
	{"exchanges", "two numbers that differ", startedToy("two numbers that differ")},
	{"doubted", "a rare order of other draws", rareOrder()},
	{"united", "a certain sum", certainSum()},
}

// TestPlantedFaults removes one pass of the shrinker at a time from all levels. It checks that
// some program is then shrunk less, and by how much.
func TestPlantedFaults(t *testing.T) {
	shrunk := func(p *started) shrink.Outcome {
		found := p.subject.Run(p.found)
		if found.Signature != "fails" {
			t.Fatalf("%v does not fail", p.found)
		}
		return shrink.Shrink(context.Background(), p.subject, found, shrink.Options{}).Best
	}
	var table strings.Builder
	table.WriteString("Messages, steps, constraints and answers that are left without a pass, and with all passes:\n")
	passes := shrink.Passes()
	for _, f := range plantedFaults {
		all := shrunk(&f.program)
		restore := shrink.Without(f.pass)
		without := shrunk(&f.program)
		restore()
		if without.Compare(&all) <= 0 {
			t.Errorf("without %s %q is shrunk as much: find a program that needs it, or delete it", f.pass, f.name)
		}
		passes = slices.DeleteFunc(passes, func(pass string) bool { return pass == f.pass })
		fmt.Fprintf(&table, "without %s: %s: %s; with all %s\n", f.pass, f.name, sizeOf(&without), sizeOf(&all))
	}
	if len(passes) > 0 {
		t.Errorf("no program is known to need %v: find some, or delete them", passes)
	}
	golden.File(t, "testdata/planted.golden", table.String())
}

// sizeOf describes the size of an outcome.
func sizeOf(out *shrink.Outcome) string {
	answers := 0
	for _, a := range out.Case.Schedule.Choices {
		answers += min(int(a.Value), 1)
	}
	return fmt.Sprintf("%d, %d, %d, %d", out.External, out.Steps, len(out.Case.Schedule.Before), answers)
}

// oneMore returns a board that takes fewer steps with one more element. The value of that element must be one more than
// the values in the given case.
func oneMore() started {
	return startedBoard("[3 3] [7]", only(map[string]int{"[3 3] [7]": 9, "[3 2 3] [7]": 4}))
}
