package finding

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// These tests prove the size of the least failing runs without any code of the shrinker. They run all inputs up to a
// size in all orders. An input is written as the numbers from which rapid's generators make it. For runs with the
// fewest steps, they also try all sets of fewer constraints.

// A drawn has, for each possible value of one draw, the numbers from which rapid generates that value.
type drawn [][]uint64

// mostBits makes rapid's integers use their full range.
var mostBits = uint64((1 - math.Pow(8.0/9, 20)) * (1 << 53))

// number returns the numbers from which rapid generates the integer v above the least one.
func number(v int) []uint64 { return []uint64{0, mostBits, uint64(v)} }

// numbered returns the values of an integer from 0 to n-1.
func numbered(n int) (d drawn) {
	for v := range n {
		d = append(d, number(v))
	}
	return d
}

// signed returns the values of an integer from -n to n.
func signed(n int) (d drawn) {
	for v := range n + 1 {
		d = append(d, number(v))
	}
	for v := range n {
		d = append(d, []uint64{math.MaxUint64, mostBits, uint64(v)})
	}
	return d
}

// listsOf returns all lists of the given elements whose length is between least and most.
func listsOf(elements drawn, least, most int) (d drawn) {
	now := drawn{{}}
	for n := range most + 1 {
		if n >= least {
			for _, list := range now {
				d = append(d, append(slices.Clip(list), 0))
			}
		}
		var longer drawn
		for _, list := range now {
			if n == most {
				return d
			}
			for _, e := range elements {
				longer = append(longer, slices.Concat(list, []uint64{math.MaxUint64}, e))
			}
		}
		now = longer
	}
	return d
}

var bools = drawn{{0}, {1}}

// A leastOfAll describes the least failing runs of a subject.
type leastOfAll struct {
	name  string
	draws []drawn // the values of each draw that are tried
	// size is the number of messages from outside, of steps and of constraints.
	size [3]int
	// all describes the tried inputs; "" if they are all inputs of the subject.
	all string
}

// inputs returns the number of inputs that are tried.
func (l *leastOfAll) inputs() int {
	n := 1
	for _, d := range l.draws {
		n *= len(d)
	}
	return n
}

// proven has the subjects whose inputs can all be run in all orders.
var proven = sync.OnceValue(func() []leastOfAll {
	return []leastOfAll{
		{"writer", []drawn{numbered(4)}, [3]int{1, 5, 1}, ""},
		{"writer-error", []drawn{numbered(4)}, [3]int{2, 7, 2}, ""},
		{"gatling", []drawn{numbered(3), numbered(3)}, [3]int{2, 4, 1}, ""},
		{"gatling-records", []drawn{numbered(3), numbered(3)}, [3]int{1, 5, 1}, ""},
		{"barber", []drawn{numbered(5), numbered(3)}, [3]int{2, 13, 2}, ""},
		{"messenger", []drawn{listsOf(listsOf(numbered(2), 0, 1), 2, 2)}, [3]int{0, 23, 0}, "two clients that write once at most"},
		{"pingreg", []drawn{numbered(3), numbered(3)}, [3]int{0, 8, 1}, ""},
		{"attach", []drawn{numbered(3), numbered(6)}, [3]int{0, 8, 1}, ""},
		{"bank", []drawn{listsOf(signed(200), 1, 2)}, [3]int{2, 3, 1}, "one or two requests"},
		{"threadring", []drawn{numbered(4), numbered(12)}, [3]int{1, 4, 1}, ""},
		{"server", []drawn{numbered(4)}, [3]int{0, 7, 1}, ""},
		{"guard", []drawn{numbered(10), listsOf(numbered(10), 1, 2)}, [3]int{0, 3, 0}, "one or two clients"},
		{"2pc-early", []drawn{listsOf(bools, 2, 3)}, [3]int{1, 12, 1}, "two or three participants"},
		{"2pc-stuck", []drawn{listsOf(bools, 2, 3)}, [3]int{1, 8, 2}, "two or three participants"},
		{"chain-repair", []drawn{numbered(3), numbered(2), numbered(3), numbered(2)}, [3]int{3, 14, 1}, ""},
		{"snapshot-late", []drawn{numbered(1), numbered(3)}, [3]int{3, 14, 2}, "two followers"},
		{"cache", []drawn{numbered(200), numbered(200)}, [3]int{0, 8, 1}, ""},
		{"closing", []drawn{numbered(50), numbered(50), numbered(50)}, [3]int{2, 3, 1}, ""},
	}
})

// known has the other subjects: the least failing run known so far, and why a proof is too slow.
var known = []struct {
	name string
	size [3]int
	why  string
}{
	{"procreg", [3]int{0, 17, 1}, "too many inputs"},
	{"procreg-forgets", [3]int{0, 14, 0}, "too many inputs"},
	{"raft-dupvote", [3]int{2, 14, 1}, "too many orders"},
	{"paxos-quorum", [3]int{2, 10, 4}, "too many orders"},
	{"raft-votecount", [3]int{3, 20, 3}, "too many orders"},
	{"raft-votedfor", [3]int{2, 18, 2}, "too many orders"},
	{"paxos-commit", [3]int{2, 24, 3}, "too many orders"},
}

// leastKnown returns the least size of a subject's failing runs, and how it is known.
func leastKnown(name string) (size, by string) {
	text := func(n [3]int) string { return fmt.Sprintf("%d, %d, %d", n[0], n[1], n[2]) }
	for _, l := range proven() {
		if l.name == name {
			return text(l.size), strings.TrimSuffix("proven: "+l.all, ": ")
		}
	}
	for _, l := range known {
		if l.name == name {
			return text(l.size), "best known: " + l.why
		}
	}
	return "", ""
}

// TestLeast proves the least size of failing runs. It runs all inputs in all orders, up
// to the least number of steps. Then it tries all sets of fewer constraints. The
// shrinker must reach the least size, with the shortest draws among the runs of that
// size.
func TestLeast(t *testing.T) {
	trial.Long(t)
	for _, l := range proven() {
		inputs := l.inputs()
		if (inputs > 1000 || slices.Contains([]string{"barber", "chain-repair", "snapshot-late", "2pc-early", "messenger"}, l.name)) && !nightly() { // each of these subjects takes up to a few seconds
			continue
		}
		x := newAllInputs(&l)
		for _, wrong := range x.refute(&l) {
			t.Errorf("%s", wrong)
		}
		x.holds(t, &l)
		x.runner.Close()
		t.Logf("%s: %v is the least of %d inputs in %d runs; %d inputs come to it", l.name, l.size, inputs, x.runs, len(x.least))
	}
}

// TestWrongLeastIsSeen: refute rejects a least size that is too small or too large in any number. It also rejects one
// for which too few inputs were tried.
func TestWrongLeastIsSeen(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*leastOfAll)
		want  string // how the first refutation begins; "" if there is none
	}{
		{"right", func(*leastOfAll) {}, ""},
		{"a message more", func(l *leastOfAll) { l.size[0]++ }, "writer-error: 2 messages and 7 steps are the least"},
		{"a message less", func(l *leastOfAll) { l.size[0]-- }, "writer-error: 2 messages and 7 steps are the least"},
		{"a step more", func(l *leastOfAll) { l.size[1]++ }, "writer-error: 2 messages and 7 steps are the least"},
		{"a step less", func(l *leastOfAll) { l.size[1]-- }, "writer-error: nothing fails"},
		{"a constraint more", func(l *leastOfAll) { l.size[2]++ }, "writer-error: 2 constraints are enough: true"},
		{"a constraint less", func(l *leastOfAll) { l.size[2]-- }, "writer-error: 1 constraints are enough: false"},
		{"without the least input", func(l *leastOfAll) { l.draws[0] = l.draws[0][1:] }, "writer-error: nothing fails in 7 steps"},
		{"an input twice in place of another", func(l *leastOfAll) { l.draws[0][2] = l.draws[0][1] }, "writer-error: 3 inputs have 2 values"},
		{"without any input", func(l *leastOfAll) { l.draws[0] = nil }, "writer-error: nothing fails"},
	} {
		l := leastOfAll{"writer-error", []drawn{numbered(3)}, [3]int{2, 7, 2}, ""}
		c.spoil(&l)
		x := newAllInputs(&l)
		wrong := x.refute(&l)
		x.runner.Close()
		if got := strings.Join(wrong, "\n"); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLeastRunsAllOrders: the enumeration behind TestLeast runs exactly all
// orders.
func TestLeastRunsAllOrders(t *testing.T) {
	for n, want := range map[int]int{1: 1, 3: 6, 5: 120} {
		seen := map[string]bool{}
		x := &allInputs{size: [2]int{math.MaxInt}, steps: 2 * n, met: map[string]bool{}, runner: props.NewRunner(t.Name(), func(t *props.T) {
			said := ""
			sys := t.System()
			trial.Crowd(sys, n, func(word string) { said += word })
			sys.Run()
			seen[said] = true
		})}
		if wrong := x.each(nil, nil); wrong != nil || len(seen) != want {
			t.Errorf("%d clients: %d orders, want %d; %v", n, len(seen), want, wrong)
		}
		x.runner.Close()
	}
}

// newAllInputs returns an enumeration of the inputs of l's subject.
func newAllInputs(l *leastOfAll) *allInputs {
	s, _ := subjects.ByName(l.name)
	return newAllInputsOf(l, s.Property(false))
}

// newAllInputsOf returns an enumeration of all inputs of a property, within the limits
// of l.
func newAllInputsOf(l *leastOfAll, property func(*props.T)) *allInputs {
	x := &allInputs{size: [2]int{math.MaxInt}, steps: l.size[1], runner: props.NewRunner(l.name, property), met: map[string]bool{}}
	for _, in := range x.runner.Run(props.Plan{}).Inputs {
		x.labels = append(x.labels, in.Label)
	}
	return x
}

// refute returns the reasons why l is not the least size, none if it is.
func (x *allInputs) refute(l *leastOfAll) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, l.name+": "+fmt.Sprintf(format, args...)) }
	if err := x.each(l.draws, nil); err != nil {
		say("%v", err)
		return wrong
	}
	if inputs := l.inputs(); len(x.met) != inputs {
		say("%d inputs have %d values", inputs, len(x.met))
	}
	if x.size[0] == math.MaxInt {
		say("nothing fails in %d steps, in %d runs", x.steps, x.runs)
		return wrong
	}
	if x.size != [2]int(l.size[:2]) {
		say("%d messages and %d steps are the least in %d runs, want %v", x.size[0], x.size[1], x.runs, l.size)
	}
	for n := range l.size[2] + 1 {
		if at := slices.IndexFunc(x.least, func(in leastInput) bool { return x.constrained(&in, n) }); (at >= 0) != (n == l.size[2]) {
			say("%d constraints are enough: %v", n, at >= 0)
		}
	}
	return wrong
}

// An allInputs enumerates the inputs of a subject.
type allInputs struct {
	runner *props.Runner
	labels []string
	steps  int    // the largest number of steps of a failing run to look for
	size   [2]int // messages from outside and steps of the smallest failing run so far
	least  []leastInput
	runs   int
	now    leastInput
	last   props.Result
	met    map[string]bool // values of inputs
}

// A leastInput is an input that has a run of the least size.
type leastInput struct {
	inputs []choice.Input
	values string
	ids    map[uint64]bool // the identities of all steps, in some order of the input
	size   [2]int
}

// each explores every combination of the draws' values.
func (x *allInputs) each(draws []drawn, inputs []choice.Input) error {
	if len(draws) > 0 {
		for _, w := range draws[0] {
			if err := x.each(draws[1:], append(slices.Clip(inputs), choice.Input{Label: x.labels[len(inputs)], Words: w})); err != nil {
				return err
			}
		}
		return nil
	}
	x.now = leastInput{inputs: inputs, ids: map[uint64]bool{}, size: [2]int{math.MaxInt}}
	res, err := explore.Explore(explore.Options{KeepOn: true, Method: explore.Method{Reduction: explore.Everything, Sleep: true, DepthFirst: true, Depth: x.steps}}, x)
	if err != nil || res.Nondeterminism != "" || !res.Complete && res.Bound != "depth" {
		return fmt.Errorf("%v: %v, %w", inputs, res, err)
	}
	x.met[fmt.Sprint(x.last.Values)] = true
	switch c := slices.Compare(x.now.size[:], x.size[:]); {
	case x.now.size[0] == math.MaxInt:
	case c < 0:
		x.size, x.least = x.now.size, []leastInput{x.now}
	case c == 0:
		x.least = append(x.least, x.now)
	}
	return nil
}

// Run runs an input once.
func (x *allInputs) Run(s pulse.Strategy) explore.Run {
	x.runs++
	x.last = x.runner.Run(props.Plan{Inputs: x.now.inputs, Strategy: s})
	return explore.Run{System: x.last.System, Failure: x.last.Failure, Watched: true}
}

// Done records the result of a run.
func (x *allInputs) Done(run explore.Run) {
	tr := run.System.Trace()
	for i := range tr.Sends {
		x.now.ids[run.System.Host().StepID(&tr.Sends[i])] = true
	}
	if run.Failure == nil {
		return
	}
	size := [2]int{0, len(tr.Steps)}
	for i := range tr.Sends {
		if d := &tr.Sends[i]; d.From == trace.Test && d.Step == trace.None && d.Kind == trace.Message {
			size[0]++
		}
	}
	if slices.Compare(size[:], x.now.size[:]) < 0 {
		x.now.size, x.now.values = size, fmt.Sprint(x.last.Values)
	}
}

// Again does nothing when the exploration restarts, because failures that were found remain failures.
func (x *allInputs) Again() {}

// constraintsOn returns all possible constraints between two of the given steps.
func constraintsOn(ids map[uint64]bool) (all []choice.Constraint) {
	for _, first := range slices.Sorted(maps.Keys(ids)) {
		for _, second := range slices.Sorted(maps.Keys(ids)) {
			if first != second {
				all = append(all, choice.Constraint{First: first, Second: second})
			}
		}
	}
	return all
}

// constrained reports whether some failing run of the least size follows from an input and at most n
// constraints.
func (x *allInputs) constrained(in *leastInput, n int) bool {
	s := &choice.Schedule{}
	return eachChoice(constraintsOn(in.ids), n, nil, func(list []choice.Constraint) bool {
		s.Before = list
		res := x.runner.Run(props.Plan{Inputs: in.inputs, Strategy: strategy.Ordered(s)})
		return res.Failure != nil && res.System.Steps() == x.size[1]
	})
}

// holds checks that the shrunk failure of a subject has the least size.
func (x *allInputs) holds(t *testing.T, l *leastOfAll) {
	out := shrunkSubject(t, l.name)
	if b := &out.Best; [3]int{b.External, b.Steps, len(b.Case.Schedule.Before)} != l.size {
		t.Errorf("%s is shrunk to %s, want %v", l.name, size(&out), l.size)
	}
	words := func(list []choice.Input) (n int) {
		for _, in := range list {
			n += len(in.Words)
		}
		return n
	}
	values, mine := fmt.Sprint(x.runner.Run(props.Plan{Inputs: out.Best.Case.Inputs}).Values), words(out.Best.Case.Inputs)
	if !slices.ContainsFunc(x.least, func(in leastInput) bool { return in.values == values }) {
		t.Errorf("%s is shrunk to %s, which no least run has", l.name, values)
	}
	for _, in := range x.least {
		if words(in.inputs) < mine {
			t.Errorf("%s: %s has fewer numbers than %s", l.name, in.values, values)
		}
	}
}
