package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

var elapsed = regexp.MustCompile(`shrunk (from [^,]* )?in [0-9.]+(µs|ms|s)`)

// TestTextsOfSubjects checks the printed text of the shrunk failure of each subject. An explanation has at
// most three lines. These lines and the chart have at most 100 columns. The slowest subjects run only at
// night.
//
// Skips: with -short, because the test is long and uses only one goroutine.
func TestTextsOfSubjects(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one goroutine, and for long")
	}
	var b strings.Builder
	for _, s := range shortSubjects() {
		out := shrunkSubject(t, s.Name)
		text := elapsed.ReplaceAllString(out.Finding.Text("found"), "shrunk ${1}in TIME")
		fmt.Fprintf(&b, "--- %s\n%s\n", s.Name, text)
		_, above, _ := strings.Cut(text, "        found; ")
		above, chart, _ := strings.Cut(above, "\n\n")
		above, _, _ = strings.Cut(above, "\n        drew ")
		lines := strings.Split(above, "\n")[1:]
		for _, line := range append(strings.Split(chart, "\n"), lines...) {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s: %d columns: %s", s.Name, utf8.RuneCountInString(line), line)
			}
		}
		if len(lines) == 0 || len(lines) > 3 {
			t.Errorf("%s: explained in %d lines:\n%s", s.Name, len(lines), above)
		}
	}
	golden.Part(t, "testdata/told.golden", b.String())
}

// drawing returns a property that draws one value and fails for some values.
func drawing[V any](gen *rapid.Generator[V], fails func(V) bool) func(*props.T) {
	return func(t *props.T) {
		v := props.Draw(t, gen, "v")
		if oneMessage(t); fails(v) {
			t.Error("fails")
		}
	}
}

// oneMessage runs a program in which nothing depends on the order.
func oneMessage(t *props.T) {
	sys := t.System()
	sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1)
	sys.Run()
}

// TestWhichDrawsMatter: a remark about a draw agrees with the runs in which the draw has other values. A draw decides
// only if one of them passes.
func TestWhichDrawsMatter(t *testing.T) {
	trial.Long(t)
	ints, all := rapid.IntRange(0, 50), func(int) bool { return true }
	for _, c := range []struct {
		name     string
		property func(*props.T)
		want     string
		decides  bool // set if another value passes
	}{
		{"all fail", drawing(ints, all), "v = 0 (any)", false},
		{"all fail of a large range", drawing(rapid.Int(), all), "v = 0 (any)", false},
		{"from 7 on", drawing(ints, func(n int) bool { return n >= 7 }), "v = 7 (≥ 7)", true},
		{"from -7 down", drawing(rapid.IntRange(-50, 50), func(n int) bool { return n <= -7 }), "v = -7 (≤ -7)", true},
		{"up to 7", drawing(ints, func(n int) bool { return n <= 7 }), "v = 0 (≤ 7)", true},
		{"only 7", drawing(ints, func(n int) bool { return n == 7 }), "v = 7", true},
		{"all but 7", drawing(ints, func(n int) bool { return n != 7 }), "v = 0", true},
		{"between", drawing(ints, func(n int) bool { return n > 5 && n < 30 }), "v = 6", true},
		{"even ones", drawing(ints, func(n int) bool { return n%2 == 0 }), "v = 0", true},
		{"unsigned", drawing(rapid.Uint8Range(0, 50), func(n uint8) bool { return n >= 3 }), "v = 3 (≥ 3)", true},
		{"too few to be any", drawing(rapid.IntRange(1, 19), all), "v = 1", false},
		{"both bools", drawing(rapid.Bool(), func(bool) bool { return true }), "v = false (any)", false},
		{"one bool", drawing(rapid.Bool(), func(b bool) bool { return b }), "v = true", true},
		{"floats", drawing(rapid.Float64(), func(float64) bool { return true }), "v = 1 (any)", false},
		{"some floats", drawing(rapid.Float64Range(0, 9), func(f float64) bool { return f >= 1 }), "v = 1", true},
		{"two or more", drawing(rapid.SliceOfN(ints, 0, 9), func(l []int) bool { return len(l) >= 2 }), "v = [0 0] (length ≥ 2)", true},
		{"lists by what is in them", drawing(rapid.SliceOfN(ints, 1, 9), func(l []int) bool { return l[0] >= 2 }), "v = [2]", true},
		{"other failures", drawing(ints, func(n int) bool { return n < 5 || n > 9 && panics() }), "v = 10 (≥ 10)", true},
		{"one of three", func(t *props.T) {
			props.OneOf(t, "v", 4, 5, 6)
			oneMessage(t)
			t.Error("fails")
		}, "v = 4 (any)", false},
		{"one of three only", func(t *props.T) {
			n := props.OneOf(t, "v", 4, 5, 6)
			if oneMessage(t); n >= 5 {
				t.Error("fails")
			}
		}, "v = 5", true},
		{"skipped values do not count", func(t *props.T) {
			if props.Draw(t, ints, "v") > 10 {
				t.Skip()
			}
			oneMessage(t)
			t.Error("fails")
		}, "v = 0", false},
		{"another draw that follows from it", func(t *props.T) {
			n := props.Draw(t, rapid.IntRange(1, 50), "n")
			props.Draw(t, rapid.Just(n), "v")
			oneMessage(t)
			t.Error("fails")
		}, "n = 1, v = 1", false},
		{"another draw that is made or not", func(t *props.T) {
			if props.Draw(t, ints, "v") > 30 {
				props.Draw(t, ints, "more")
			}
			oneMessage(t)
			t.Error("fails")
		}, "v = 0 (any)", false},
		{"messages by other names", crossed, "clients = 2 (≥ 2)", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := shrunkBy(t, c.property, 1, 5000)
			text := out.Finding.Text("found")
			if !strings.Contains(text, "        drew "+c.want+"\n") || strings.Contains(text, "the draws decide") != c.decides {
				t.Errorf("want %s, decides: %v, in\n%s", c.want, c.decides, text)
			}
		})
	}
}

// crossed fails if the second of two drawn words comes before the first. Before the words comes one message for each
// client, so other draws give the later messages other identities.
func crossed(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 30), "clients")
	var said []int
	sys := t.System()
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { said = append(said, msg.(int)) }))
	first := sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		for range n { // the number of these messages changes the identities of later ones
			ctx.Send(ctx.Self(), "again")
		}
		for i := range n {
			ctx.Send(ctx.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), i)
		}
		ctx.Become(pulse.Func(func(*pulse.Ctx, any) {}))
	}))
	sys.Send(first, "go")
	sys.Run()
	if at := slices.Index(said, 1); at >= 0 && at < slices.Index(said, 0) {
		t.Error("crossed")
	}
}

func panics() bool { panic("another failure") }

// TestRemarks: a remark gives a bound only if values on both sides of the bound were tried and all tried values agree
// with it.
func TestRemarks(t *testing.T) {
	list := func(text string) (list []tried) { // each word of text is a value; a value marked with ! fails
		for _, v := range strings.Fields(text) {
			var n int64
			value, failed := strings.CutSuffix(v, "!")
			fmt.Sscan(value, &n)
			list = append(list, tried{text: value, measure: n, failed: failed})
		}
		return list
	}
	many := strings.Repeat("1! ", 20)
	for _, c := range []struct {
		values, unit string
		of           int
		want         string
	}{
		{"3!", "", 0, ""},
		{"3!", "", 1, ""},
		{many, "", 0, ""},
		{many + "2!", "", 0, "any"},
		{many + "2", "", 0, ""},
		{many + "2!", noUnit, 0, "any"},
		{"1! 2! 3!", noUnit, 3, "any"},
		{"1! 2!", noUnit, 3, ""},
		{"3! 2 4!", "", 0, "≥ 3"},
		{"3! 2 9! 0 -5", "", 0, "≥ 3"},
		{"3! 1 4!", "", 0, ""},        // the neighbor 2 was not tried
		{"3! 2 4! 9", "", 0, ""},      // 9 passes, so ≥ 3 is wrong
		{"3! 2", "", 0, ""},           // no value above 3 was tried
		{"3! 4 2!", "", 0, "≤ 3"},     //
		{"-3! -2 -4!", "", 0, "≤ -3"}, //
		{"3! 2 4!", "length ", 0, "length ≥ 3"},
		{"3! 2 4!", noUnit, 0, ""},
		{"3! 3 2 4!", "length ", 0, ""}, // another value of the same length passes
	} {
		got := remark(list(c.values), c.of, c.unit)
		if got != c.want {
			t.Errorf("%s (%q): %q, want %q", c.values, c.unit, got, c.want)
		}
	}
}

// TestWhichFaultsMatter: the report lists the faults without which the run passes.
func TestWhichFaultsMatter(t *testing.T) {
	faulty := func(f pulse.Faults, fails func(got []int) bool) func(*props.T) {
		return func(t *props.T) {
			sys := t.SystemWith(pulse.Options{Faults: f})
			var got []int
			a := sys.Spawn("a", pulse.Func(func(_ *pulse.Ctx, msg any) { got = append(got, msg.(int)) }))
			b := sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) }))
			for i := range 3 {
				sys.Send(b, i)
			}
			if sys.Run(); fails(got) {
				t.Error("fails")
			}
		}
	}
	for _, c := range []struct {
		property func(*props.T)
		want     string
	}{
		{faulty(pulse.Faults{Drop: 2}, func(got []int) bool { return len(got) == 2 }), "needs 1 message lost"},
		{faulty(pulse.Faults{Drop: 2}, func(got []int) bool { return len(got) == 1 }), "needs 2 messages lost"},
		{faulty(pulse.Faults{Drop: 2}, func([]int) bool { return true }), ""},
		{faulty(pulse.Faults{Duplicate: 2}, func(got []int) bool { return len(got) > 3 }), "needs 1 message delivered twice"},
		{faulty(pulse.Faults{Crash: 1}, func(got []int) bool { return len(got) < 3 }), "needs 1 fault of actors"},
		{faulty(pulse.Faults{Drop: 1, Duplicate: 1}, func(got []int) bool { return len(got) == 3 && got[0] == 0 && got[2] != 2 }),
			"needs 1 message lost and 1 message delivered twice"},
	} {
		out := shrunkBy(t, c.property, 1, 5000)
		if text := out.Finding.Text(""); (c.want == "") == strings.Contains(text, "needs ") || !strings.Contains(text, c.want+"\n") {
			t.Errorf("want %q:\n%s", c.want, text)
		}
	}
}
