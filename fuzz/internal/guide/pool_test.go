package guide

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// crowd returns the trace of a run in which n clients each send one letter to one actor. All
// clients' steps come before the first letter. With seed 0 the letters arrive in plain order.
func crowd(t *testing.T, n int, seed uint64) *trace.Trace {
	o := pulse.Options{Record: true, Strategy: strategy.Random(), Seed: seed}
	if seed == 0 {
		o.Strategy = nil
	}
	sys := pulse.New(o)
	t.Cleanup(sys.Close)
	trial.Crowd(sys, n, func(string) {})
	sys.Run()
	return sys.Trace()
}

// letters returns the letters that the actor hall receives in an order.
func letters(t *trace.Trace, ids []uint64) string {
	var list []string
	for _, id := range ids {
		for _, s := range t.Steps {
			if s.ID == id && t.Name(s.Actor) == "hall" {
				list = append(list, t.Sends[s.Send].Body.(string))
			}
		}
	}
	return strings.Join(list, " ")
}

// TestRealize checks the orders made from abstract schedules.
func TestRealize(t *testing.T) {
	tr := crowd(t, 4, 0)
	b := NewBase(tr)
	at := map[string]int32{}
	for i, s := range tr.Steps {
		if tr.Name(s.Actor) == "hall" {
			at[tr.Sends[s.Send].Body.(string)] = int32(i)
		}
	}
	for _, c := range []struct{ demands, want string }{
		{"", ""},
		{"a b", "a b"}, // the order of the base meets this demand
		{"b a", "b a"},
		{"d a", "d a"},
		{"a d", "a d"},
		{"c b", "a c b"},
		{"!b c", "a c b"},
		{"!a c", ""}, // the order of the base meets this demand
		{"!b a", ""}, // the order of the base meets this demand
		{"b a, d c", "b a d c"},
		{"a c, c d", "a c d"},
		{"b a, a d", "b a d"},
		{"a c, !c b", "a b c"},
		{"b a, a b", "a b"}, // if constraints contradict each other, the last one counts
	} {
		var demands []follow
		for text := range strings.SplitSeq(c.demands, ", ") {
			text, not := strings.CutPrefix(text, "!")
			if first, second, ok := strings.Cut(text, " "); ok {
				demands = append(demands, follow{at[first], at[second], not})
			}
		}
		if got := letters(tr, b.identities(b.realize(demands))); got != c.want {
			t.Errorf("%s: %s, want %s", c.demands, got, c.want)
		}
	}
}

// TestPoolRepeatsItself: equal seeds give equal moves.
func TestPoolRepeatsItself(t *testing.T) {
	moves := func() (list []string) {
		p := &Pool{}
		for seed := range uint64(20) {
			tr := crowd(t, 4, seed)
			if p.See(tr) || seed%3 == 0 {
				p.Keep(tr, Move{})
			}
			m := p.Next(seed)
			if seed%4 == 0 {
				p.Failed(m)
			}
			list = append(list, fmt.Sprint(m.From.Index, m.Goal, m.Steps))
		}
		return list
	}
	if a, b := moves(), moves(); !slices.Equal(a, b) {
		t.Errorf("%v\n%v", a, b)
	}
}

// The pool prefers runs of rare shapes. It never chooses a
// shape that was seen more than twice as often as the average.
func TestRareShapesAreChosen(t *testing.T) {
	p := &Pool{}
	for n, times := range map[int]int{2: 40, 3: 10, 4: 2, 5: 1} {
		for range times {
			p.See(crowd(t, n, 0))
		}
	}
	for n := 2; n <= 5; n++ {
		p.Keep(crowd(t, n, 0), Move{})
	}
	var chosen [4]int
	for seed := range uint64(1000) {
		d := dice(seed)
		chosen[p.choose(&d).Index]++
	}
	if chosen[0] != 0 || !slices.IsSorted(chosen[:]) || chosen[1] == 0 || chosen[3] < 500 {
		t.Errorf("chosen %v times", chosen)
	}
}

// A goal whose orders cannot be followed is tried less often.
func TestFailedGoalsAreWorthLess(t *testing.T) {
	count := func(fails bool) (n int) {
		p := &Pool{}
		tr := crowd(t, 3, 0)
		p.See(tr)
		k := p.Keep(tr, Move{})
		var shunned Goal
		for seed := range uint64(300) {
			d := dice(seed)
			m := p.turn(k, &d)
			if seed == 0 {
				shunned = m.Goal
				if fails {
					p.Failed(m)
				}
			} else if m.Goal == shunned {
				n++
			}
		}
		return n
	}
	if with, without := count(true), count(false); 4*with > without || without < 50 {
		t.Errorf("a goal that failed was gone for %d times, and %d if it did not", with, without)
	}
}

// A pool keeps a limited number of runs.
func TestPoolIsBounded(t *testing.T) {
	p := &Pool{}
	if m := p.Next(1); m.From != nil || len(m.Steps) > 0 {
		t.Errorf("a move of nothing: %v", m)
	}
	tr := crowd(t, 3, 0)
	for range 2 * mostKept {
		p.Keep(tr, Move{})
	}
	if p.Len() != mostKept || p.Keep(&trace.Trace{}, Move{}) != nil {
		t.Errorf("it keeps %d runs, want %d", p.Len(), mostKept)
	}
}

// A run counts as new until the pool keeps a run with the same steps.
func TestSee(t *testing.T) {
	p := &Pool{}
	tr := crowd(t, 4, 0)
	for i, keeps := range []bool{false, true, false, false} {
		if got := p.See(tr); got != (i < 2) {
			t.Errorf("run %d is new: %t", i, got)
		}
		if keeps {
			p.Keep(tr, Move{})
		}
	}
	if p.See(crowd(t, 3, 1)) || !p.See(crowd(t, 5, 0)) {
		t.Error("a run with fewer steps is new, or one with more is not")
	}
	other := *tr
	other.Steps = slices.Clone(tr.Steps)
	if other.Steps[0].ID++; !p.See(&other) {
		t.Error("a run of which the first step alone is new is not")
	}
}

// The new part of a run begins with its first step that no kept run has.
func TestFresh(t *testing.T) {
	p, tr := &Pool{}, crowd(t, 4, 0)
	all := len(tr.Steps)
	for i, c := range []struct {
		news []int
		want int
	}{{nil, 0}, {nil, all}, {[]int{1, all - 1}, 1}, {[]int{all - 1}, all - 1}, {nil, all}} {
		run := *tr
		run.Steps = slices.Clone(tr.Steps)
		for _, n := range c.news {
			run.Steps[n].ID += uint64(i)
		}
		p.See(&run)
		if k := p.Keep(&run, Move{}); k.fresh != c.want {
			t.Errorf("run %d, with other steps %v: new from %d on, want %d of %d", i, c.news, k.fresh, c.want, all)
		}
	}
}

// TestReader checks that a reused closure gives the same base as NewBase. It also checks that
// turnable yields all pairs of receives that can be reversed.
func TestReader(t *testing.T) {
	var c closure
	for _, n := range []int{3, 40, 2, 300, 1, 7} {
		tr := crowd(t, n, uint64(n))
		b := c.base(tr)
		if !reflect.DeepEqual(b, NewBase(tr)) {
			t.Errorf("crowd of %d: another base", n)
		}
		for y := range int32(b.Len()) {
			var want []int32
			for x := y - 1; x >= 0; x-- {
				if b.related(PR, x, y) && !b.MustPrecede(int(x), int(y)) {
					want = append(want, x)
				}
			}
			if got := slices.Collect(b.turnable(y)); !slices.Equal(got, want) {
				t.Fatalf("crowd of %d, step %d: %v can be turned round, want %v", n, y, got, want)
			}
		}
	}
}

// If a step of actor 2 touches the steps of actor 1 (trace.ItsSteps), a message that actor 1 sends
// later may depend on that step.
func TestTouchedSteps(t *testing.T) {
	for _, touched := range []bool{false, true} {
		tr := &trace.Trace{Actors: make([]trace.Actor, 4), Sends: make([]trace.Send, 4), Steps: make([]trace.Step, 4)}
		for i, actor := range []int32{1, 2, 1, 3} { // the last step receives what actor 1 sends in its second step
			tr.Actors[i].Step = trace.None
			tr.Sends[i] = trace.Send{From: int32(i), To: actor, Step: trace.None}
			tr.Steps[i] = trace.Step{ID: uint64(i) + 1, Send: int32(i), Actor: actor, Prev: trace.None}
		}
		tr.Steps[2].Prev, tr.Sends[3].Step = 0, 2
		if touched {
			tr.Touches = []trace.Touch{{Step: 1, Actor: 1, What: trace.ItsSteps}}
		}
		b := NewBase(tr)
		if !b.MustPrecede(0, 3) || !b.MustPrecede(2, 3) || b.MustPrecede(1, 2) || b.MustPrecede(1, 3) != touched {
			t.Errorf("touched %t: %t %t %t %t", touched, b.MustPrecede(0, 3), b.MustPrecede(2, 3), b.MustPrecede(1, 2), b.MustPrecede(1, 3))
		}
	}
}

// Operations of two actors on one object form a goal, even if the object has the number of an
// actor. Steps of different actors without a common object form none.
func TestOperationsFormGoals(t *testing.T) {
	tr := &trace.Trace{Actors: make([]trace.Actor, 4), Sends: make([]trace.Send, 4), Steps: make([]trace.Step, 4)}
	for i := range tr.Steps {
		tr.Actors[i].Step = trace.None
		tr.Sends[i] = trace.Send{From: trace.Test, To: int32(i), Step: trace.None}
		tr.Steps[i] = trace.Step{ID: uint64(i) + 1, Send: int32(i), Actor: int32(i), Prev: trace.None}
	}
	for _, x := range [][2]int32{{0, 2}, {1, 7}, {1, 2}, {3, 7}} { // steps and objects
		tr.Touches = append(tr.Touches, trace.Touch{Step: x[0], Actor: x[1], What: trace.AnObject})
	}
	g := NewGenerator(NewBase(tr), PR, &Goals{})
	o, ok := g.Next()
	if want := (Goal{PR, 4, 2}); !ok || o.Goal != want {
		t.Errorf("%v, want the goal %v", o, want)
	}
	if o, ok = g.Next(); ok {
		t.Errorf("a second order %v", o)
	}
}

// Of a long run, a base reads only the first mostSteps steps.
func TestBaseIsBounded(t *testing.T) {
	if n := NewBase(crowd(t, mostSteps, 1)).Len(); n != mostSteps {
		t.Errorf("%d steps of %d, want %d", n, 2*mostSteps, mostSteps)
	}
	b := NewBase(&trace.Trace{})
	if o, ok := NewGenerator(b, PR, &Goals{}).Next(); ok || b.Len() != 0 {
		t.Errorf("an order of nothing: %v", o)
	}
}

func TestCriteria(t *testing.T) {
	if got := fmt.Sprint(Criteria(), Criterion(7)); got != "[PR PMR PCR] guide.Criterion(7)" {
		t.Error(got)
	}
	var s Goals
	g := Goal{PCR, 1, 2}
	s.Add(g)
	s.Add(g)
	if s.Times(g) != 2 || s.Has(g.Turned()) || s.Has(Goal{PR, 1, 2}) || s.table.Len() != 1 {
		t.Errorf("%d goals, %d times", s.table.Len(), s.Times(g))
	}
}
