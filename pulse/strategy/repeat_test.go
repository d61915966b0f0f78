package strategy_test

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

const whereToLook = "    a step must follow from its message and its actor's state alone; look there for\n" +
	"    the order of a map, the clock (time.Now), math/rand, other goroutines, and for\n" +
	"    variables that outlive a run"

// TestRepeatIsSilent checks for each strategy that a program which is
// deterministic passes, whether it ends well, panics, gets stuck or does not end.
func TestRepeatIsSilent(t *testing.T) {
	programs := map[string]func(*pulse.System){
		"rich": trial.Rich,
		"panics": func(sys *pulse.System) {
			n := 0
			a := sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {
				if n++; n == 3 {
					panic("three")
				}
			}))
			for range 5 {
				sys.Send(a, kick{})
			}
			sys.Run()
		},
		"stuck": func(sys *pulse.System) {
			idle := sys.Spawn("idle", pulse.Func(func(*pulse.Ctx, any) {}))
			for range 3 {
				sys.Go("asker", func(p *pulse.Process) { p.Ask(idle, kick{}) })
			}
			sys.Run()
		},
		"endless": func(sys *pulse.System) {
			for range 3 {
				a := sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ctx.Self(), msg) }))
				sys.Send(a, kick{})
			}
			sys.Run()
		},
	}
	ends := map[pulse.Kind]int{}
	for _, s := range all() {
		for name, program := range programs {
			for setting, o := range trial.Settings() {
				o.Steps = 200
				for seed := range uint64(runs(5)) {
					o.Strategy = s.make()
					f := strategy.Repeat(o, seed, func(sys *pulse.System) {
						program(sys)
						if f := sys.Failure(); f != nil {
							ends[f.Kind]++
						}
					})
					if f != nil {
						t.Errorf("%s, %s, %s, seed %d: %v", name, s.name, setting, seed, f)
					}
				}
			}
		}
	}
	for _, kind := range []pulse.Kind{pulse.KindPanic, pulse.KindStuck, pulse.KindBudget} {
		if ends[kind] == 0 {
			t.Errorf("no run failed with %v: the test shows less than it says", kind)
		}
	}
}

// picky is a program whose actor decides by itself what to send to the writer.
func picky(decide func(ctx *pulse.Ctx, writer pulse.Ref)) func(*pulse.System) {
	return func(sys *pulse.System) {
		writer := sys.Spawn("writer", pulse.Func(func(*pulse.Ctx, any) {}))
		picker := sys.Spawn("picker", pulse.Func(func(ctx *pulse.Ctx, _ any) { decide(ctx, writer) }))
		sys.Send(writer, flush{})
		sys.Send(picker, kick{})
		sys.Run()
	}
}

// blankNumbers leaves out numbers of four digits and more.
func blankNumbers(s string) string {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(word) >= 4 {
			s = strings.Replace(s, word, "#", 1)
		}
	}
	return s
}

func TestRepeatCatches(t *testing.T) {
	large := map[int]bool{}
	for i := range 1000 {
		large[1000+i] = true
	}
	odd := false
	tests := []struct {
		name string
		body func(*pulse.System)
		step int
		site string
		want string
	}{
		{"math/rand", picky(func(ctx *pulse.Ctx, writer pulse.Ref) { ctx.Send(writer, rand.Uint64()) }), 1,
			"pulse.Func ← kick",
			"step 1, contents only: picker#1 ← kick sends # to writer in the first run, picker#1 ← kick sends # to writer in the second"},
		{"the order of a map", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			for n := range maps.Keys(large) {
				ctx.Send(writer, write{n})
			}
		}), 1, "pulse.Func ← kick",
			"step 1, contents only: picker#1 ← kick sends write(#) to writer in the first run, picker#1 ← kick sends write(#) to writer in the second"},
		{"the clock", picky(func(ctx *pulse.Ctx, writer pulse.Ref) { ctx.Send(writer, time.Now().UnixNano()) }), 1,
			"pulse.Func ← kick",
			"step 1, contents only: picker#1 ← kick sends # to writer in the first run, picker#1 ← kick sends # to writer in the second"},
		{"the clock in a note", picky(func(ctx *pulse.Ctx, _ pulse.Ref) { ctx.Log("%d", time.Now().UnixNano()) }), 1,
			"pulse.Func ← kick",
			`step 1: picker#1 ← kick notes "#" in the first run, picker#1 ← kick notes "#" in the second`},
		{"a variable that outlives", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			if odd = !odd; !odd {
				ctx.Send(writer, get{1})
			}
		}), 1, "pulse.Func ← kick",
			"step 1: picker#1 ← kick sends no more in the first run, picker#1 ← kick sends get(1) to writer in the second"},
		{"another choice", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			if odd = !odd; odd {
				ctx.Choose(3)
			} else {
				ctx.Choose(2)
			}
			ctx.Send(writer, get{1})
		}), 1, "pulse.Func ← kick",
			"in step 1, choice 0: the record has choose of 3, the run asks choose of 2"},
		{"a choice more", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			if odd = !odd; !odd {
				ctx.Choose(2)
			}
		}), 1, "pulse.Func ← kick",
			"in step 1, choice 0: the record has ended, the run asks choose of 2"},
		{"a choice less", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			if odd = !odd; odd {
				ctx.Choose(2)
			}
		}), -1, "the end",
			"the run ended without asking for 1 choice of the record: next is choose of 2"},
		{"another actor", picky(func(ctx *pulse.Ctx, writer pulse.Ref) {
			if odd = !odd; odd {
				ctx.Send(writer, get{1})
			} else {
				ctx.Send(ctx.Self(), get{1})
				ctx.Stop()
			}
		}), 1, "pulse.Func ← kick",
			"step 1: picker#1 ← kick sends get(1) to writer in the first run, picker#1 ← kick sends get(1) to picker in the second"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f *pulse.Failure
			for try := 0; f == nil && try < 20; try++ {
				f = strategy.Repeat(pulse.Options{}, uint64(try), test.body)
			}
			want := "the same case ran differently: " + test.want
			if f == nil || f.Kind != pulse.KindNondeterminism || blankNumbers(f.Text) != want || f.Step != test.step ||
				f.Site != test.site || f.Detail != whereToLook {
				t.Errorf("got %v\n%+v, expected\n%s", f, f, want)
			}
		})
	}
}

// TestRepeatComparesEnds checks that two runs with the same steps which fail
// differently, or not both, are different.
func TestRepeatComparesEnds(t *testing.T) {
	tests := []struct {
		panics [2]string
		same   bool
	}{
		{[2]string{"A", ""}, false}, {[2]string{"", "B"}, false}, {[2]string{"A", "B"}, false},
		{[2]string{"", ""}, true}, {[2]string{"A", "A"}, true},
	}
	for _, test := range tests {
		var ends []string
		program := picky(func(*pulse.Ctx, pulse.Ref) {
			if p := test.panics[len(ends)]; p != "" {
				panic(p)
			}
		})
		f := strategy.Repeat(pulse.Options{}, 1, func(sys *pulse.System) {
			program(sys)
			end := "no failure"
			if f := sys.Failure(); f != nil {
				end = "failed: " + f.Signature()
			}
			ends = append(ends, end)
		})
		got, want := "", ""
		if f != nil {
			got = f.Error()
		}
		if !test.same {
			want = "the same case ran differently: " + ends[0] + " in the first run, " + ends[1] + " in the second\n" + whereToLook
		}
		if got != want {
			t.Errorf("%q: got\n%s\nexpected\n%s", test.panics, got, want)
		}
	}
}

// TestRepeatAndWrongStrategies checks that a fault of the strategy is not reported
// as one of the program.
func TestRepeatAndWrongStrategies(t *testing.T) {
	f := strategy.Repeat(pulse.Options{Strategy: &wrong{pick: 7}}, 1, trial.Rich)
	if f == nil || f.Kind != pulse.KindStrategy {
		t.Errorf("got %v", f)
	}
}
