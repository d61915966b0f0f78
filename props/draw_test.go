package props_test

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	exprand "golang.org/x/exp/rand"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

type point struct {
	X, Y int
	Name string
}

type tree struct{ Left, Right *tree }

func (t *tree) String() string {
	if t == nil {
		return "."
	}
	return "(" + t.Left.String() + t.Right.String() + ")"
}

func trees() *rapid.Generator[*tree] {
	return rapid.OneOf(rapid.Just[*tree](nil), rapid.Custom(func(rt *rapid.T) *tree {
		sub := rapid.Deferred(trees)
		return &tree{sub.Draw(rt, "left"), sub.Draw(rt, "right")}
	}))
}

// everything is a property that draws from each kind of generator, and passes.
func everything(t *props.T) {
	props.Draw(t, rapid.Int(), "int")
	props.Draw(t, rapid.IntRange(-5, 5), "range")
	props.Draw(t, rapid.Uint8(), "byte")
	props.Draw(t, rapid.Float64(), "float")
	props.Draw(t, rapid.Bool(), "bool")
	props.Draw(t, rapid.String(), "string")
	props.Draw(t, rapid.StringMatching(`[a-c]{2,4}x?`), "matching")
	props.Draw(t, rapid.SliceOfN(rapid.Int32(), 0, 40), "slice")
	props.Draw(t, rapid.SliceOfDistinct(rapid.IntRange(0, 99), rapid.ID[int]), "distinct")
	props.Draw(t, rapid.MapOf(rapid.StringN(1, 3, -1), rapid.Bool()), "map")
	props.Draw(t, rapid.Permutation([]int{1, 2, 3, 4, 5}), "permutation")
	props.Draw(t, rapid.SampledFrom([]string{"a", "b", "c"}), "sampled")
	props.Draw(t, rapid.Just(7), "just")
	props.Draw(t, rapid.OneOf(rapid.Just(1), rapid.IntRange(10, 20)), "oneof")
	props.Draw(t, rapid.Int().Filter(func(n int) bool { return n%2 == 0 }), "filtered")
	props.Draw(t, rapid.Map(rapid.Byte(), func(b byte) string { return fmt.Sprint(b) }), "mapped")
	props.Draw(t, rapid.Ptr(rapid.Int(), true), "pointer")
	props.Draw(t, rapid.Make[point](), "made")
	props.Draw(t, trees(), "tree")
	props.Draw(t, rapid.SliceOfN(rapid.Uint64(), 5000, 5000), "long")
	props.Draw(t, rapid.Custom(func(rt *rapid.T) (list []int) {
		rt.Repeat(map[string]func(*rapid.T){
			"push": func(rt *rapid.T) { list = append(list, rapid.IntRange(0, 9).Draw(rt, "n")) },
			"pop": func(rt *rapid.T) {
				if len(list) == 0 {
					rt.Skip("empty")
				}
				list = list[:len(list)-1]
			},
		})
		return list
	}), "repeated")
	props.Sample(t, gen.Int(), "gopter int")
	props.Sample(t, gen.SliceOf(gen.AlphaString()), "gopter slice")
	props.Sample(t, gen.IntRange(0, 100).SuchThat(func(n int) bool { return n > 60 }), "gopter filtered")
	props.OneOf(t, "one", "x", "y", "z")
	props.Source(t, "source")
	say(t, nothing)
}

// values runs a property and returns the drawn values as text.
func values(t *testing.T, r *props.Runner, plan props.Plan) (list []string, inputs []choice.Input) {
	t.Helper()
	res := r.Run(plan)
	if res.Failure != nil || res.Skipped || res.Stray != "" {
		t.Fatalf("%v, skipped %v, rejected %q, stray %q", res.Failure, res.Skipped, res.Rejected, res.Stray)
	}
	for i, v := range res.Values {
		text := fmt.Sprintf("%v", v)
		if p, ok := v.(*int); ok && p != nil {
			text = fmt.Sprintf("*%d", *p)
		}
		list = append(list, res.Inputs[i].Label+" "+text)
	}
	return list, choice.CloneInputs(res.Inputs)
}

// TestDrawsRepeat makes draws of all kinds. The same plan gives the same values, and so
// does a plan with the inputs of a result, also in another runner and after other runs.
func TestDrawsRepeat(t *testing.T) {
	a, b := props.NewRunner("a", everything), props.NewRunner("b", everything)
	defer a.Close()
	defer b.Close()
	differ := map[string]map[string]bool{}
	for seed := range uint64(40) {
		plan := props.Plan{Seed: seed, Words: []uint64{seed, 3, 1 << 60}[:seed%4]}
		first, inputs := values(t, a, plan)
		again, _ := values(t, b, plan)
		stored, _ := values(t, a, props.Plan{Seed: 12345, Inputs: inputs})
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("the same plan drew otherwise:\n%s", diff)
		}
		if diff := cmp.Diff(first, stored); diff != "" {
			t.Fatalf("stored inputs drew otherwise:\n%s", diff)
		}
		for i, in := range inputs {
			if differ[in.Label] == nil {
				differ[in.Label] = map[string]bool{}
			}
			differ[in.Label][first[i]] = true
		}
	}
	for label, seen := range differ {
		if len(seen) < 2 && label != "just" && label != "source" {
			t.Errorf("40 seeds gave %s the same value", label)
		}
	}
}

// TestDrawsOfALikeSizeAreMadeOnce: in the first run, a draw that needs many numbers is
// repeated with more numbers. Later runs give the draw enough numbers at once. They give
// it few numbers again after many runs in which it needed few.
func TestDrawsOfALikeSizeAreMadeOnce(t *testing.T) {
	calls, many := 0, true
	long := rapid.Custom(func(rt *rapid.T) []int {
		calls++
		if !many {
			return []int{rapid.Int().Draw(rt, "one")}
		}
		return rapid.SliceOfN(rapid.Int(), 200, 210).Draw(rt, "list")
	})
	r := props.NewRunner("", func(t *props.T) {
		props.Draw(t, long, "long")
		say(t, nothing)
	})
	defer r.Close()
	for i, c := range []struct {
		many        bool
		runs, calls int
	}{
		{true, 1, 11}, // rapid makes five attempts, each with 16 numbers and again with 128
		{true, 3, 3},
		{false, 5, 5},
		{true, 1, 1},
		{false, 50, 50},
		{true, 1, 11},
	} {
		calls, many = 0, c.many
		for n := range c.runs {
			r.Run(props.Plan{Seed: uint64(100*i + n)})
		}
		if calls != c.calls {
			t.Errorf("part %d called the generator %d times in %d runs, want %d", i, calls, c.runs, c.calls)
		}
	}
}

// TestDrawsAllocateNothing: a draw that the previous run also made allocates only what its generator
// does. A draw allocates more if the draw at its position had another type in the previous run.
func TestDrawsAllocateNothing(t *testing.T) {
	small, short := rapid.IntRange(0, 99), rapid.Byte()
	for _, c := range []struct {
		name  string
		draw  func(t *props.T, run, i int)
		extra float64 // for ten draws
	}{
		{"none", func(*props.T, int, int) {}, 0},
		{"ints", func(t *props.T, _, _ int) { props.Draw(t, small, "n") }, 0},
		{"ints and bytes", func(t *props.T, _, i int) {
			if i%2 == 0 {
				props.Draw(t, small, "n")
			} else {
				props.Draw(t, short, "n")
			}
		}, 0},
		{"ints in one run and bytes in the next", func(t *props.T, run, _ int) {
			if run%2 == 0 {
				props.Draw(t, small, "n")
			} else {
				props.Draw(t, short, "n")
			}
		}, 30},
	} {
		run := 0
		r := props.NewRunner("", func(t *props.T) {
			run++
			for i := range 10 {
				c.draw(t, run, i)
			}
			t.System().Run()
		})
		runs := func() {
			if res := r.Run(props.Plan{Seed: uint64(run)}); res.Failure != nil {
				t.Fatal(res.Failure)
			}
		}
		for range 10 {
			runs()
		}
		if got := testing.AllocsPerRun(50, runs) - 1; got != c.extra { // the T takes one allocation
			t.Errorf("%s: %v allocations in a run, want %v", c.name, got, c.extra)
		}
		r.Close()
	}
}

// TestStrayInputs replays the inputs of one property in a property with other draws.
func TestStrayInputs(t *testing.T) {
	label := "n"
	r := props.NewRunner("", func(t *props.T) {
		props.Draw(t, rapid.Int(), label)
		props.Draw(t, rapid.Int(), "m")
		say(t, nothing)
	})
	defer r.Close()
	inputs := choice.CloneInputs(r.Run(props.Plan{}).Inputs)
	label = "k"
	res := r.Run(props.Plan{Inputs: inputs})
	want := `draw 0 is "k", the case has "n": the property makes different draws than when the case was saved`
	if res.Stray != want || res.Failure != nil {
		t.Errorf("stray %q, failure %v", res.Stray, res.Failure)
	}
	if !reflect.DeepEqual(res.Inputs[1], inputs[1]) {
		t.Errorf("the second draw is %v, not the stored %v", res.Inputs[1], inputs[1])
	}
}

// TestWords checks how Plan.Words determines draws. If all are zero, each draw is
// the least of its kind. A larger first word never makes the int of a small range
// much smaller. The draws beyond the words do not depend on them.
func TestWords(t *testing.T) {
	var n, m, free int
	var s string
	r := props.NewRunner("", func(t *props.T) {
		n = props.Draw(t, rapid.IntRange(3, 1000), "n")
		m = props.OneOf(t, "m", 0, 1, 2, 3, 4, 5, 6, 7)
		s = props.Draw(t, rapid.String(), "s")
		free = props.Draw(t, rapid.Int(), "free")
		say(t, nothing)
	})
	defer r.Close()
	r.Run(props.Plan{Seed: 9, Words: make([]uint64, 12)})
	if n != 3 || m != 0 || s != "" {
		t.Errorf("words of zero draw %d, %d, %q", n, m, s)
	}
	was := free
	sums := map[int]int{} // the sum of draws, by the number of bits of the first word
	for word := range 64 {
		for more := range 200 {
			r.Run(props.Plan{Seed: 9, Words: []uint64{uint64(word) * (math.MaxUint64 / 63), uint64(more), 0, 0, uint64(word), 0, 0, 0, 0, 0, 0, 0}})
			sums[word/16] += n
			if free != was {
				t.Fatalf("a draw without words changed from %d to %d", was, free)
			}
		}
	}
	for i := 1; i < 4; i++ {
		if sums[i] < sums[i-1] {
			t.Errorf("larger words draw smaller ints: %v", sums)
		}
	}
}

var rejections = []outcome{
	{"filter of rapid", func(t *props.T) {
		props.Draw(t, rapid.Int().Filter(func(int) bool { return false }), "n")
	}, "rejected: n\ndraw \"n\": its generator found no value in 100 tries"},
	{"filter of rapid that passes 1 in 200", func(t *props.T) {
		props.Draw(t, rapid.IntRange(0, 1<<20).Filter(func(n int) bool { return n%50 == 0 }), "n")
		say(t, nothing)
	}, "held\nafter the run"},
	{"filter of gopter", func(t *props.T) {
		props.Sample(t, gen.Int().SuchThat(func(int) bool { return false }), "n")
	}, "rejected: n\ndraw \"n\": its generator found no value in 100 tries"},
	{"filter of gopter that passes 1 in 10", func(t *props.T) {
		props.Sample(t, gen.IntRange(0, 9).SuchThat(func(n int) bool { return n == 3 }), "n")
		say(t, nothing)
	}, "held\nafter the run"},
	{"Custom that skips", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { rt.Skip("no"); return 0 }), "n")
	}, "rejected: n\ndraw \"n\": its generator found no value in 100 tries"},
	{"Custom that skips now and then", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int {
			if n := rapid.IntRange(0, 9).Draw(rt, "n"); n != 5 {
				rt.SkipNow()
			}
			return 0
		}), "n")
		say(t, nothing)
	}, "held\nafter the run"},
	{"generator without end", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int {
			for {
				rapid.Bool().Draw(rt, "b")
			}
		}), "n")
	}, "rejected: n\ndraw \"n\" needs more than 65,536 numbers: draw something smaller, or does its generator never stop?"},
	{"recursion without end", func(t *props.T) { props.Draw(t, endless(), "n") }, "rejected: n\ndraw \"n\" needs more than 65,536 numbers: draw something smaller, or does its generator never stop?"},
	{"failure before", func(t *props.T) {
		t.Errorf("one")
		props.Draw(t, rapid.Int().Filter(func(int) bool { return false }), "n")
	}, "property: property+1: one\ndraw \"n\": its generator found no value in 100 tries"},

	{"Fatalf of rapid", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { rapid.Int().Draw(rt, "n"); rt.Fatalf("one"); return 0 }), "n")
	}, `panic: property+1: panic in the generator of draw "n": one`},
	{"Errorf of rapid", func(t *props.T) { // as under rapid.Check
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { rt.Errorf("one"); return rapid.Int().Draw(rt, "n") }), "n")
		say(t, nothing)
	}, "held\nafter the run"},
	{"panic", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { panic("one") }), "n")
	}, `panic: property+1: panic in the generator of draw "n": one`},
	{"panic in a filter", func(t *props.T) {
		props.Draw(t, rapid.Int().Filter(func(n int) bool { panic("one") }), "n")
	}, `panic: property+1: panic in the generator of draw "n": one`},
	{"panic in gopter's", func(t *props.T) {
		props.Sample(t, func(*gopter.GenParameters) *gopter.GenResult { panic("one") }, "n")
	}, `panic: property+1: panic in the generator of draw "n": one`},
	{"draws nothing", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { return 1 }), "n")
	}, `panic: property+1: panic in the generator of draw "n": group did not use any data from bitstream; ` +
		`this is likely a result of Custom generator not calling any of the built-in generators`},
	{"empty range", func(t *props.T) { props.Draw(t, rapid.IntRange(2, 1), "n") },
		`panic: property+0: panic in the property: invalid integer range [2, 1]`},
	{"fails in the generator", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { t.Fatalf("one"); return 0 }), "n")
	}, `property: property+1: one`},
	{"misuse in the generator", func(t *props.T) {
		sys := t.System()
		props.Draw(t, rapid.Custom(func(rt *rapid.T) int { sys.Send(pulse.Ref{}, 1); return 0 }), "n")
	}, `misuse: property+2: Send 1: the Ref is the zero Ref, which is nobody: it was never set`},
}

func endless() *rapid.Generator[int] {
	return rapid.Custom(func(rt *rapid.T) int {
		rapid.Bool().Draw(rt, "b")
		return 1 + rapid.Deferred(endless).Draw(rt, "n")
	})
}

func TestRejections(t *testing.T) {
	trial.Long(t)
	t.Parallel() // it mostly waits
	for _, o := range rejections {
		t.Run(o.name, func(t *testing.T) {
			if diff := cmp.Diff(o.want, told(once(t, o.property), o.property)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAfterBadDraws draws after each way in which a draw can fail. Such a draw must
// not affect later draws.
func TestAfterBadDraws(t *testing.T) {
	var o outcome
	var list []int
	r := props.NewRunner("", func(t *props.T) {
		list = props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 999), 3, 3), "list")
		o.property(t)
	})
	defer r.Close()
	o.property = func(t *props.T) { say(t, nothing) }
	r.Run(props.Plan{Seed: 5})
	want := fmt.Sprint(list)
	for _, o = range rejections {
		if strings.Contains(o.name, "without end") {
			continue // slow
		}
		r.Run(props.Plan{Seed: 5})
		if got := fmt.Sprint(list); got != want {
			t.Errorf("before %s: drew %s, not %s", o.name, got, want)
		}
	}
}

// TestSource gives a drawn source to a function that takes one.
func TestSource(t *testing.T) {
	var got []string
	r := props.NewRunner("", func(t *props.T) {
		src := props.Source(t, "source")
		before := exprand.New(src).Perm(5)
		var in []int
		say(t, func(*pulse.Ctx) { in = exprand.New(src).Perm(5) })
		src.Seed(3)
		got = append(got, fmt.Sprint(before, in, src.Uint64()))
	})
	defer r.Close()
	r.Run(props.Plan{Seed: 1})
	r.Run(props.Plan{Seed: 1})
	r.Run(props.Plan{Seed: 2})
	if got[0] != got[1] || got[0] == got[2] || !strings.HasSuffix(got[0], " "+fmt.Sprint(uint64(0x1d0b14e4db018fed))) {
		t.Errorf("%q", got)
	}
}

// TestSampleReadsNoClock draws from gopter with nothing but the plan's seed.
func TestSampleReadsNoClock(t *testing.T) {
	var rngs []*rand.Rand
	r := props.NewRunner("", func(t *props.T) {
		n := props.Sample(t, func(p *gopter.GenParameters) *gopter.GenResult {
			rngs = append(rngs, p.Rng)
			return gen.IntRange(0, p.MaxSize)(p)
		}, "n").(int)
		if n < 0 || n > 100 {
			t.Errorf("sizes up to %d", n)
		}
		say(t, nothing)
	})
	defer r.Close()
	if res := r.Run(props.Plan{}); res.Failure != nil || len(rngs) != 1 || rngs[0] == nil {
		t.Errorf("%v, %v", res.Failure, rngs)
	}
}

// TestArity checks two facts that searches over all inputs rely on: Arity is the
// number of values of a OneOf, and word i chooses value i.
func TestArity(t *testing.T) {
	var one string
	r := props.NewRunner("", func(t *props.T) {
		props.Draw(t, rapid.Int(), "n")
		one = props.OneOf(t, "one", "x", "y", "z")
		props.Source(t, "source")
		say(t, nothing)
	})
	defer r.Close()
	for i, want := range []string{"x", "y", "z"} {
		res := r.Run(props.Plan{Seed: 3, Inputs: []choice.Input{{Label: "n", Seed: 5}, {Label: "one", Words: []uint64{uint64(i)}}}})
		if one != want || !reflect.DeepEqual(res.Arity, []int{0, 3, 0}) || res.Stray != "" {
			t.Errorf("word %d chooses %q, want %q; arity %v, stray %q", i, one, want, res.Arity, res.Stray)
		}
	}
}

// TestSourcesDiffer checks that the values of two draws of a source are equal
// only if they give the same numbers.
func TestSourcesDiffer(t *testing.T) {
	r := props.NewRunner("", func(t *props.T) {
		props.Source(t, "source")
		say(t, nothing)
	})
	defer r.Close()
	value := func(seed uint64) any { return r.Run(props.Plan{Seed: seed}).Values[0] }
	if a, b, again := value(1), value(2), value(1); reflect.DeepEqual(a, b) || !reflect.DeepEqual(a, again) || fmt.Sprint(a) != "a source" {
		t.Errorf("%#v, %#v, and once more %#v", a, b, again)
	}
}

// If a gopter generator never ends, the draw is rejected, as with rapid
// generators.
func TestSampleIsBounded(t *testing.T) {
	read := 0
	r := props.NewRunner("", func(t *props.T) {
		props.Sample(t, func(p *gopter.GenParameters) *gopter.GenResult {
			for p.NextInt64() != 0 || true {
				read++
			}
			return nil
		}, "endless")
	})
	defer r.Close()
	res := r.Run(props.Plan{Seed: 1})
	if res.Rejected != "endless" || !strings.Contains(strings.Join(res.Logs, "\n"), "needs more than 65,536 numbers") {
		t.Errorf("%+v", res)
	}
	if read > 3*65536 {
		t.Errorf("%d numbers were read", read)
	}
	whole := props.NewRunner("", func(t *props.T) {
		props.Sample(t, gen.SliceOfN(30_000, gen.Int()), "long")
		say(t, nothing)
	})
	defer whole.Close()
	if res := whole.Run(props.Plan{Seed: 1}); res.Failure != nil || res.Rejected != "" {
		t.Errorf("a long value: %+v", res)
	}
}
