package props_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// text returns hints as text, with a number for each different value of a feature.
func text(hints []props.Hint) (list []string) {
	var values []uint64
	for _, h := range hints {
		s := fmt.Sprintf("%s@%d", h.Name, h.Steps)
		switch h.Kind {
		case props.HintFeature:
			if !slices.Contains(values, h.Value) {
				values = append(values, h.Value)
			}
			s += fmt.Sprintf(" value %d", slices.Index(values, h.Value))
		case props.HintMaximize:
			s += fmt.Sprint(" height ", h.Height)
		}
		list = append(list, s)
	}
	return list
}

// TestHints checks the hints of a run that gives hints in each place where it may.
func TestHints(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(*props.T)
		want     []string
	}{
		{"nothing", func(t *props.T) { say(t, nothing) }, nil},
		{"not reached", func(t *props.T) { say(t, nothing); t.Sometimes("s", false) }, nil},
		{"before, in and after steps", func(t *props.T) {
			t.Feature("before", 1)
			sys := t.System()
			ref := sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { t.Feature("in", msg); t.Maximize("in", float64(msg.(int))) }))
			for _, n := range []int{3, 5, 3, 5, 4} {
				sys.Send(ref, n)
			}
			sys.Run()
			t.Sometimes("after", true)
			t.Cleanup(func() { t.Feature("cleanup", 7) })
		}, []string{"before@0 value 0", "in@1 value 1", "in@2 height 5", "in@2 value 2", "in@5 value 3", "after@5", "cleanup@5 value 4"}},
		{"in a process", func(t *props.T) { live(t, func(*pulse.Process) { t.Feature("p", 1) }) }, []string{"p@1 value 0"}},
		{"in Always", func(t *props.T) {
			sys := t.System()
			n := 0
			t.Always("a", func() error { n++; t.Feature("n", n); return nil })
			ref := sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {}))
			sys.Send(ref, 1)
			sys.Send(ref, 2)
			sys.Run()
		}, []string{"n@1 value 0", "n@2 value 1"}},
		{"the same name for all", func(t *props.T) {
			t.Feature("x", 1)
			t.Sometimes("x", true)
			t.Maximize("x", 1)
			t.Feature("x", 1)
			t.Sometimes("x", true)
			t.Maximize("x", 0)
			say(t, nothing)
		}, []string{"x@0 value 0", "x@0", "x@0 height 1"}},
		{"values are what they hold, and of a type", func(t *props.T) {
			one, other := 1, 1
			for _, v := range []any{1, 1, uint8(1), "1", &one, &other, []int{1}, []int{1}, math.NaN(), math.NaN(), nil, grumpy{}} {
				t.Feature("x", v)
			}
			say(t, nothing)
		}, []string{"x@0 value 0", "x@0 value 1", "x@0 value 2", "x@0 value 3", "x@0 value 4", "x@0 value 5", "x@0 value 6", "x@0 value 7"}},
	} {
		r := props.NewRunner(c.name, c.property)
		for range 2 {
			res := r.Run(props.Plan{})
			if got := text(res.Hints); res.Failure != nil || !slices.Equal(got, c.want) || res.HintsLost {
				t.Errorf("%s: %q, want %q; %v", c.name, got, c.want, res.Failure)
			}
		}
		r.Close()
	}
}

// A run gives a bounded number of hints, and the next one starts without any.
func TestHintsAreBounded(t *testing.T) {
	many := true
	r := props.NewRunner("", func(t *props.T) {
		for i := 0; many && i < 10_000; i++ {
			t.Feature("i", i)
			t.Maximize("i", float64(i))
		}
		say(t, nothing)
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	if len(res.Hints) != 4096 || !res.HintsLost || res.Hints[1].Height != 9999 {
		t.Errorf("%d hints, lost %v, the second is %v", len(res.Hints), res.HintsLost, res.Hints[1])
	}
	many = false
	if res := r.Run(props.Plan{}); len(res.Hints) > 0 || res.HintsLost {
		t.Errorf("%d hints of the run before, lost %v", len(res.Hints), res.HintsLost)
	}
}

// A value has the same hash in every run and process, because the search compares hashes across them.
func TestHintValuesAreStable(t *testing.T) {
	res := once(t, func(t *props.T) {
		t.Feature("x", 1)
		t.Feature("x", struct{ A, B any }{"a", []byte{1}})
		say(t, nothing)
	})
	again := once(t, func(t *props.T) {
		t.Feature("x", 1)
		t.Feature("x", struct{ A, B any }{"a", []byte{1}})
		say(t, nothing)
	})
	if !slices.Equal(res.Hints, again.Hints) {
		t.Errorf("%v, then %v", res.Hints, again.Hints)
	}
}
