package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A say is a function by which a property reports its progress as a hint.
type say func(t *props.T, progress int)

func nothing(*props.T, int)        {}
func feature(t *props.T, n int)    { t.Feature("progress", n) }
func maximize(t *props.T, n int)   { t.Maximize("progress", float64(n)) }
func situations(t *props.T, n int) { t.Sometimes(fmt.Sprintf("stage %d", n), true) }

// lock opens if the numbers of nine senders come in one of 362,880 orders. A number that comes too early jams the
// lock.
func lock(say say) func(*props.T) {
	return func(t *props.T) {
		const stages = 9
		sys := t.System()
		opened, jammed := 0, false
		ref := sys.Spawn("lock", pulse.Func(func(_ *pulse.Ctx, msg any) {
			if jammed = jammed || msg != opened*4%stages; !jammed {
				opened++
				say(t, opened)
			}
		}))
		for i := range stages {
			sys.Go("sender", func(p *pulse.Process) { p.Send(ref, i) })
		}
		sys.Run()
		if opened == stages {
			t.Error("open")
		}
	}
}

// maze has four processes whose moves lead through a maze. # is a wall, and a process that walks into a wall stays
// there.
const maze = `
##########
#S.#.....#
##.#.###.#
##...#.#.#
######.#.#
#E.......#
##########`

func walk(say func(t *props.T, x, y int)) func(*props.T) {
	rows := strings.Split(maze, "\n")[1:]
	return func(t *props.T) {
		sys := t.System()
		x, y := 1, 1
		ref := sys.Spawn("walker", pulse.Func(func(_ *pulse.Ctx, msg any) {
			if rows[y][x] == '#' {
				return
			}
			d := msg.([2]int)
			x, y = x+d[0], y+d[1]
			say(t, x, y)
			if rows[y][x] == 'E' {
				t.Error("out of the maze")
			}
		}))
		for _, move := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			sys.Go("legs", func(p *pulse.Process) {
				for range 8 {
					p.Send(ref, move)
				}
			})
		}
		sys.Run()
	}
}

// hill fails for one of 262,144 inputs.
func hill(say say) func(*props.T) {
	return func(t *props.T) {
		const digits = 9
		right := 0
		for i := range digits {
			if props.Draw(t, rapid.Uint8(), fmt.Sprint("digit ", i))%4 == uint8(i*3+1)%4 {
				right++
			}
		}
		t.System().Run() // nothing is sent
		say(t, right)
		if right == digits {
			t.Error("on top")
		}
	}
}

// chosen is like lock, but the program itself chooses the numbers.
func chosen(say say) func(*props.T) {
	return func(t *props.T) {
		const stages = 10
		sys := t.System()
		opened := 0
		ref := sys.Spawn("lock", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if n := msg.(int); ctx.Choose(4) == n%4 && opened == n {
				opened++
				say(t, opened)
			}
		}))
		for i := range stages {
			sys.Send(ref, i)
		}
		sys.Run()
		if opened == stages {
			t.Error("open")
		}
	}
}

// TestHintsLead: a search guided by hints finds a bug in a few thousand runs, with each of four seeds. Without
// hints, neither random nor guided runs find the bug in 10,000. With JOSTLE_NIGHTLY=1 there are 50 seeds and 100,000
// runs.
//
// Skips: with -short, because the test is long and uses only one goroutine.
func TestHintsLead(t *testing.T) {
	trial.Long(t)
	if testing.Short() {
		t.Skip("it runs on one goroutine, and for long")
	}
	seeds, many := uint64(4), 10_000
	if nightly() {
		seeds, many = 50, 100_000
	}
	at := func(t *props.T, x, y int) { t.Feature("at", [2]int{x, y}) }
	for _, c := range []struct {
		name     string
		property func(*props.T)
		most     int
	}{
		{"lock by Feature", lock(feature), 4096},
		{"lock by Sometimes", lock(situations), 4096},
		{"lock by Maximize", lock(maximize), 4096},
		{"chosen by Feature", chosen(feature), 4096},
		{"maze by Feature", walk(at), 8192},
		{"hill by Maximize", hill(maximize), 4096},
		{"hill by Feature", hill(feature), 16_384},
	} {
		var runs []int
		for seed := range seeds {
			res := searchBy(t, c.property, Options{Seed: seed + 1, Runs: c.most}, "guided")
			if runs = append(runs, res.Runs); res.Finding == nil {
				t.Errorf("%s, seed %d: nothing found in %d runs", c.name, seed+1, res.Runs)
			}
		}
		slices.Sort(runs)
		t.Logf("%s: median %d, most %d runs", c.name, runs[len(runs)/2], runs[len(runs)-1])
	}
	for name, property := range map[string]func(*props.T){
		"lock": lock(nothing), "chosen": chosen(nothing), "hill": hill(nothing), "maze": walk(func(*props.T, int, int) {}),
	} {
		for _, arm := range []string{"random", "guided"} {
			if res := searchBy(t, property, Options{Seed: 1, Runs: many}, arm); res.Finding != nil {
				t.Errorf("%s by %s: found in %d runs", name, arm, res.Runs)
			}
		}
	}
}

// planned returns all runs that the arm guided makes of a property.
func planned(t *testing.T, property func(*props.T)) (list []string) {
	portfolio, _ := Strategies("guided")
	Sample(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: property}, Options{Seed: 1, Runs: 3000, Portfolio: portfolio,
		Passed: func(_ string, res *props.Result) {
			list = append(list, fmt.Sprint(res.System.Trace().Hash, res.Inputs))
		}})
	return list
}

// Hints that are the same in every run do not change the search. Hints that differ between runs
// do.
func TestHintsThatSayNothing(t *testing.T) {
	want := planned(t, lock(nothing))
	for name, c := range map[string]struct {
		say  say
		same bool
	}{
		"the same value":     {func(t *props.T, _ int) { t.Feature("f", 1) }, true},
		"the same height":    {func(t *props.T, _ int) { t.Maximize("m", 1) }, true},
		"the same situation": {func(t *props.T, _ int) { t.Sometimes("s", true) }, true},
		"progress":           {feature, false},
	} {
		got := planned(t, func(t *props.T) {
			c.say(t, 0)
			lock(c.say)(t)
		})
		if slices.Equal(got, want) != c.same {
			t.Errorf("%s: the same runs: %v, want %v", name, !c.same, c.same)
		}
	}
}

// The result of a search with hints depends only on its seed, not on the number of workers.
func TestClimbsRepeatThemselves(t *testing.T) {
	for name, property := range map[string]func(*props.T){"lock": lock(feature), "hill": hill(maximize), "chosen": chosen(situations)} {
		var first string
		for _, workers := range []int{1, 1, 2, 3} {
			res := searchBy(t, property, Options{Seed: 3, Runs: enoughRuns, Workers: workers}, "guided")
			if res.Finding == nil {
				t.Fatalf("%s: nothing found", name)
			}
			got := fmt.Sprint(res.Index, res.Finding.Case.Signature, res.Finding.Case.Inputs)
			if first == "" {
				first = got
			}
			if got != first || res.Finding.Differs != "" {
				t.Errorf("%s with %d workers: %s, want %s; %s", name, workers, got, first, res.Finding.Differs)
			}
		}
	}
}

// TestCrowds uses properties with too many different hints. The search continues, and reports that there are too many.
func TestCrowds(t *testing.T) {
	trial.Long(t)
	n := 0 // a real property must not have such state; this one gives a new value each time
	for _, c := range []struct {
		name string
		say  say
		want []string
	}{
		{"a counter", func(t *props.T, _ int) { n++; t.Feature("time", n) }, []string{`Feature "time" has too many values`}},
		{"names", func(t *props.T, _ int) { n++; t.Feature(fmt.Sprint(n), 1) }, []string{"Feature, Sometimes and Maximize are given too many names"}},
		{"situations", func(t *props.T, _ int) { n++; t.Sometimes(fmt.Sprint(n%100), true) }, []string{"Feature, Sometimes and Maximize are given too many names"}},
		{"situations that are new in each run", func(t *props.T, _ int) {
			for range 8 {
				n++
				t.Sometimes(fmt.Sprint(n), true)
			}
		},
			[]string{"Feature, Sometimes and Maximize are given too many names", "Sometimes is given more than 1,000 names"}},
		{"a run", func(t *props.T, _ int) {
			for i := range 5000 {
				t.Feature("i", i)
			}
		}, []string{`Feature "i" has too many values`, "Feature, Sometimes and Maximize give too many hints in one run"}},
		{"heights", func(t *props.T, _ int) { n++; t.Maximize("m", float64(n)) }, nil},
	} {
		res := searchBy(t, lock(c.say), Options{Seed: 1, Runs: 1500}, "guided")
		var got []string
		for _, text := range res.Crowds() {
			what, _, _ := strings.Cut(text, ": ")
			got = append(got, what)
		}
		if res.Finding != nil || res.Runs != 1500 || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d runs, %v, %q, want %q", c.name, res.Runs, res.Finding, got, c.want)
		}
	}
}

// TestAskedIn checks in which steps choices were asked for.
func TestAskedIn(t *testing.T) {
	f := foothold{source: source{answers: []choice.Choice{
		{Kind: choice.Program, N: 2}, {Kind: choice.Clock, N: 3, Value: 2}, {Kind: choice.Program, N: 2, Value: 1}, {Kind: choice.Crash, N: 2}, {Kind: choice.Crash, N: 2, Value: 1},
	}}}
	f.steps = askedIn(f.answers, []trace.Answer{{Step: 0}, {Step: 4}, {Step: 7}})
	if want := []int{0, 0, 4, 4, 7}; !slices.Equal(f.steps, want) {
		t.Errorf("%v, want %v", f.steps, want)
	}
	for steps, want := range []int{0, 2, 2, 2, 2, 4, 4, 4, 5, 5} {
		if got := len(f.answersTo(steps)); got != want {
			t.Errorf("in %d steps %d choices, want %d", steps, got, want)
		}
	}
}

// TestChangesOfInputs makes each kind of change to inputs, at each position.
func TestChangesOfInputs(t *testing.T) {
	f := foothold{source: source{inputs: []choice.Input{{Label: "a", Seed: 1}, {Label: "b", Seed: 2, Words: []uint64{7, 8}}}}, reads: []int{0, 4}}
	o := foothold{source: source{inputs: []choice.Input{{Label: "a", Seed: 3}}}, reads: []int{1}}
	before := fmt.Sprint(f.inputs, o.inputs)
	for how := range changes {
		seen := map[int]bool{}
		for seed := range uint64(100) {
			list := f.change(&o, how, seed)
			differ := 0
			for i := range list {
				if fmt.Sprint(list[i]) != fmt.Sprint(f.inputs[i]) {
					differ++
				}
			}
			seen[len(list)] = true
			if how == same && differ > 0 || how != same && differ != 1 {
				t.Errorf("change %d makes %v", how, list)
			}
		}
		if want := how == tail || how == others; seen[1] != want || len(seen) > 2 {
			t.Errorf("change %d: lengths %v", how, seen)
		}
	}
	if after := fmt.Sprint(f.inputs, o.inputs); after != before {
		t.Errorf("the run itself was changed: %s, it was %s", after, before)
	}
}
