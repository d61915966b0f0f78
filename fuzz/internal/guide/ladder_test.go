package guide

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse/trace"
)

// see shows a run to a ladder. The ladder stores the run as a number.
func see(l *Ladder[int], t *trace.Trace, number int, signs ...Sign) bool {
	return l.See(t, signs, Climb[int]{}, func() int { return number })
}

// chosen counts how often a ladder chooses each run in 1,000 climbs.
func chosen(l *Ladder[int]) map[int]int {
	counts := map[int]int{}
	for seed := range uint64(1000) {
		if c := l.Next(seed); !c.IsZero() {
			counts[*c.With]++
		}
	}
	return counts
}

// A ladder makes no climb if it is empty, or if all runs have its signs.
func TestLadderOfNothing(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 3, 0)
	for n := range 20 {
		if c := l.Next(uint64(n)); !c.IsZero() || c.With != nil || len(c.Order.Steps) > 0 {
			t.Errorf("after %d runs: %v", n, c)
		}
		see(l, tr, n, Sign{Name: 1, Value: 1}, Sign{Name: 2, IsHeight: true, Height: 1})
	}
}

// A ladder keeps runs with a new value or a new maximum. Of the runs with the
// same value, it keeps the one that reached the value after the fewest steps.
func TestWhatIsNewToALadder(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 3, 0)
	height := func(h float64) Sign { return Sign{Name: 2, IsHeight: true, Height: h} }
	for i, c := range []struct {
		sign Sign
		want bool
	}{
		{Sign{Name: 1, Value: 1, Steps: 3}, true},
		{Sign{Name: 1, Value: 1, Steps: 3}, false},
		{Sign{Name: 1, Value: 1, Steps: 2}, false},
		{Sign{Name: 1, Value: 2, Steps: 3}, true},
		{Sign{Name: 3, Value: 1, Steps: 3}, true},
		{height(-5), true},
		{height(-5), false},
		{height(-7), false},
		{height(1), true},
		{height(0), false},
	} {
		if got := see(l, tr, i, c.sign); got != c.want {
			t.Errorf("%d, %v: new is %v, want %v", i, c.sign, got, c.want)
		}
	}
	var text string
	for _, r := range l.names {
		for _, at := range r.list {
			text += fmt.Sprint(r.name, ":", at.run.with, " ")
		}
	}
	if want := "1:2 1:3 3:4 2:8 2:9 2:5 2:7 "; text != want {
		t.Errorf("it keeps %s, want %s", text, want)
	}
}

// The names of hints share the climbs equally, however many values each has. Within a name,
// rare values and great heights get most climbs. Values that most runs have get none.
func TestRareSignsAreChosen(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 3, 0)
	for n := range 100 {
		see(l, tr, 0, Sign{Name: 1, Value: 1})
		if n%20 == 0 {
			see(l, tr, 1, Sign{Name: 1, Value: 2})
		}
	}
	see(l, tr, 2, Sign{Name: 1, Value: 3})
	for n := range 5 {
		see(l, tr, 3+n, Sign{Name: 2, IsHeight: true, Height: float64(n)})
	}
	got := chosen(l)
	if got[0] != 0 || got[2] < 10*got[1]/3 || got[7] < 300 || got[7] < got[6] || got[6] < got[5] {
		t.Errorf("chosen: %v", got)
	}
	if n := got[1] + got[2]; n < 450 || n > 550 {
		t.Errorf("one of two names is chosen %d times of 1,000", n)
	}
}

// A run from which climbs show nothing new is chosen
// less often, until one of them shows something new.
func TestLadderGivesWay(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 3, 0)
	for n := range 8 {
		see(l, tr, n/4, Sign{Name: 1, Value: uint64(n / 4)})
	}
	var c Climb[int]
	for seed := uint64(0); c.IsZero() || *c.With != 0; seed++ {
		c = l.Next(seed)
	}
	c.from.tries = 1000
	in := 0
	for seed := range uint64(100) {
		if c := l.Next(seed); *c.With == 0 {
			in++
		}
	}
	if in > 15 {
		t.Errorf("it is chosen in vain, and yet %d times of 100", in)
	}
	if l.See(tr, []Sign{{Name: 1, Value: 7}}, c, func() int { return 7 }); c.from.tries != 0 {
		t.Errorf("something new came of a run, and it has %d tries in vain", c.from.tries)
	}
}

// A climb repeats a run up to the step where its sign was reached. After this
// step it must reverse receives, or continue in the order of another run.
func TestClimbsBeginAsTheRun(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 4, 3)
	see(l, tr, 0)
	see(l, tr, 1, Sign{Name: 1, Value: 1, Steps: 5})
	var ids []uint64
	for _, s := range tr.Steps {
		ids = append(ids, s.ID)
	}
	exact, all := 0, map[int]bool{}
	for seed := range uint64(1000) {
		c := l.Next(seed)
		all[c.Steps] = true
		if c.Steps > 5 {
			continue
		}
		if want := ids[:c.Steps]; !slices.Equal(c.Order.Steps, want) {
			t.Fatalf("%v, want %v", c.Order.Steps, want)
		}
		if c.Steps == 5 {
			exact++
		}
	}
	if exact < 500 || len(all) != 7 || !all[len(ids)] {
		t.Errorf("%d exact of 1,000; lengths %v", exact, all)
	}
	if got := l.names[0].list[0].run.cross(3, climb(tr, 0)); !slices.Equal(got, ids) {
		t.Errorf("crossed with itself: %v, want %v", got, ids)
	}
}

// A ladder keeps a limited number of runs, and reports names with too many values.
func TestLadderIsBounded(t *testing.T) {
	l := &Ladder[int]{}
	tr := crowd(t, 3, 0)
	for name := range uint64(2 * mostNames) {
		for v := range uint64(2 * mostRungs) {
			see(l, tr, 0, Sign{Name: name, Value: v}, Sign{Name: name + 1000, IsHeight: true, Height: float64(v)})
		}
	}
	runs := 0
	for _, r := range l.names {
		runs += len(r.list)
	}
	names, more := l.Full()
	if len(l.names) != mostNames || runs > mostInAll+mostNames*mostHeights || !more || !slices.Contains(names, 0) {
		t.Errorf("%d names, %d runs, full: %v, more: %v", len(l.names), runs, names, more)
	}
	if c := climb(crowd(t, mostClimbed, 0), 0); len(c.ids) != mostClimbed {
		t.Errorf("%d steps are kept, want %d", len(c.ids), mostClimbed)
	}
	see(l, &trace.Trace{}, 0, Sign{Name: 0, Value: 1, Steps: -1}) // a run without a step
	for seed := range uint64(1000) {
		l.Next(seed)
	}
}

func TestLadderRepeatsItself(t *testing.T) {
	moves := func() (list []string) {
		l := &Ladder[int]{}
		for n := range 50 {
			see(l, crowd(t, 3+n%2, uint64(n)), n, Sign{Name: uint64(n % 3), Value: uint64(n % 7), Steps: n % 5}, Sign{Name: 9, IsHeight: true, Height: float64(n % 11)})
			if c := l.Next(uint64(n)); !c.IsZero() {
				list = append(list, fmt.Sprint(*c.With, *c.Other, c.Steps, c.Order))
			}
		}
		return list
	}
	if a, b := moves(), moves(); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%v\n%v", a, b)
	}
}
