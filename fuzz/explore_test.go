package fuzz

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// built is a property of a subject's smallest input.
func built(s subjects.Subject, build subjects.Build) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(s.Options)
		check := build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// exploreFor explores a property without judging what comes of it.
func exploreFor(t *testing.T, e Exploration, property func(*props.T)) *exploring {
	t.Helper()
	s, err := e.settle()
	if err != nil {
		t.Fatal(err)
	}
	x := newExploring(t, e, s, property)
	t.Cleanup(x.close)
	x.explore()
	return x
}

// crowd has n clients send a word each to one actor, which hands them to seen:
// n! orders.
func crowd(sys *pulse.System, n int, seen func(word string)) {
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { seen(msg.(string)) }))
	for i := range n {
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) }))
		sys.Send(client, string(rune('a'+i)))
	}
}

// quarrel fails in two ways, each in two of the six orders.
func quarrel(t *props.T) {
	said := ""
	sys := t.System()
	crowd(sys, 3, func(word string) { said += word })
	sys.Run()
	switch said[:1] {
	case "b":
		t.Error("bad start")
	case "c":
		t.Error("clumsy start")
	}
}

// hasty has an order that lets a second message come twice in every second
// run: a variable outlives the run.
func hasty() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		runs++
		sys := t.System()
		sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
		for _, name := range []string{"left", "right"} {
			sys.Send(sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.Send(sink, "once")
				if runs%2 == 0 {
					ctx.Send(sink, "twice")
				}
			})), "go")
		}
		sys.Run()
	}
}

// endless never comes to rest.
func endless(t *props.T) {
	sys := t.SystemWith(pulse.Options{Steps: 30})
	echo := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Reply(msg) })
	a := sys.Spawn("a", echo)
	sys.Send(sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) })), "ball")
	sys.Run()
}

// apart has two actors that have nothing to do with each other, and says that
// the second is never done before the first, of which only a look at both tells.
func apart(t *props.T) {
	var done [2]bool
	sys := t.System()
	t.Always("first things first", func() error {
		if done[1] && !done[0] {
			return errors.New("the second is done before the first")
		}
		return nil
	})
	for i := range done {
		sys.Send(sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) { done[i] = true })), "go")
	}
	sys.Run()
}

// chosen has an actor for each choice of two, and one order for each input.
func chosen(t *props.T) {
	size := props.OneOf(t, "size", "small", "middle", "large")
	fast := props.OneOf(t, "fast", false, true)
	t.Logf("%s %v", size, fast)
	sys := t.System()
	sys.Send(sys.Spawn(size, pulse.Func(func(*pulse.Ctx, any) {})), fast)
	sys.Run()
}

// monitored has a monitor.
func monitored(t *props.T) {
	sys := t.System()
	t.Monitor(silent{})
	crowd(sys, 3, func(string) {})
	sys.Run()
}

type silent struct{}

func (silent) Received(props.Message) error { return nil }

// lying has a state that its Hash says nothing of.
func lying(t *props.T) {
	sys := t.System()
	l := &liar{}
	ref := sys.Spawn("liar", l)
	for i := range 3 {
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ref, msg) }))
		sys.Send(client, i)
	}
	sys.Run()
}

type liar struct{ last int }

func (l *liar) Receive(_ *pulse.Ctx, msg any) { l.last = msg.(int) }

func (l *liar) Hash() uint64 { return 1 }

var exploreSamples = map[string]func(*testing.T){
	"explore-broken":    func(t *testing.T) { Explore(t, subjectNamed("writer").Property(false)) },
	"explore-mended":    func(t *testing.T) { Explore(t, subjectNamed("writer").Property(true)) },
	"explore-keep":      func(t *testing.T) { Exploration{KeepOn: true}.Run(t, quarrel) },
	"explore-runs":      func(t *testing.T) { Exploration{Runs: 5}.Run(t, monitored) },
	"explore-must":      func(t *testing.T) { Exploration{Runs: 5, MustComplete: true}.Run(t, monitored) },
	"explore-watched":   func(t *testing.T) { Explore(t, apart) },
	"explore-inputs":    func(t *testing.T) { Explore(t, chosen) },
	"explore-hasty":     func(t *testing.T) { Explore(t, hasty()) },
	"explore-endless":   func(t *testing.T) { Explore(t, endless) },
	"explore-missed":    func(t *testing.T) { Explore(t, missesSome) },
	"explore-skipped":   func(t *testing.T) { Explore(t, skips) },
	"explore-refused":   func(t *testing.T) { Exploration{States: ByHash, Reduction: Source}.Run(t, monitored) },
	"explore-both":      func(t *testing.T) { Exploration{Delays: 1}.Run(t, quarrel) },
	"explore-wandering": func(t *testing.T) { Explore(t, wandering()) },
	"explore-empty":     func(t *testing.T) { Explore(t, func(*props.T) {}) },
	"explore-inputs-file": func(t *testing.T) {
		Exploration{File: filepath.Join(os.Getenv("JOSTLE_OUT"), "search")}.Run(t, chosen)
	},
	"explore-lost": func(t *testing.T) {
		e := Exploration{KeepOn: true, Runs: 4, File: filepath.Join(os.Getenv("JOSTLE_OUT"), "search")}
		exploreFor(t, e, quarrel) // what it finds is never shown, as when the process is killed
		e.Run(t, quarrel)
	},
}

// wandering draws something else in every second run.
func wandering() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		runs++
		props.OneOf(t, []string{"heads", "tails"}[runs%2], 1)
		sys := t.System()
		crowd(sys, 3, func(string) {})
		sys.Run()
	}
}

// A failing order is kept, runs first from then on, whether by Check or by
// Explore, and passes when the program is mended.
func TestExploredCasesRunFirst(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "explore-broken", dir)
	golden.File(t, "testdata/explored-again.golden", runSample(t, "explore-broken", dir))
	if out := runSample(t, "broken", dir); !strings.Contains(out, "(as saved)") {
		t.Errorf("Check does not replay what Explore has found:\n%s", out)
	}
	if out := runSample(t, "explore-mended", dir); !strings.Contains(out, "passes now") || !strings.Contains(out, "complete for") {
		t.Errorf("a mended program is not said to pass:\n%s", out)
	}
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	if len(cases) != 1 {
		t.Fatalf("kept %d cases, want 1: %v", len(cases), cases)
	}
	out := runSample(t, "explore-broken", dir, "JOSTLE_REPLAY="+filepath.Base(cases[0]))
	if !strings.Contains(out, "sent at") || !strings.Contains(out, "replayed 2 of 2") {
		t.Errorf("JOSTLE_REPLAY does not show the case:\n%s", out)
	}
}

// What is explored is what a verdict says.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name     string
		e        Exploration
		property func(*props.T)
		want     string
	}{
		{"all", Exploration{KeepOn: true}, quarrel, "complete: 6 distinct orders in 6 runs, 18 steps; 4 runs failed, in 2 ways"},
		{"first", Exploration{}, quarrel, "NOT complete (stopped at the first failure): 3 distinct orders in 3 runs, 11 steps; 1 run failed"},
		{"everything", Exploration{Reduction: Everything, KeepOn: true, CountDistinct: true}, quarrel,
			"complete: 6 distinct orders in 90 runs, 270 steps; 60 runs failed, in 2 ways"},
		{"uncounted", Exploration{Reduction: Everything, KeepOn: true}, quarrel, "complete: 90 runs, 270 steps; 60 runs failed, in 2 ways"},
		{"runs", Exploration{Runs: 2, Reduction: Everything}, monitored, "NOT complete (runs): "},
		{"depth", Exploration{Depth: 4}, monitored, "NOT complete (depth): "},
		{"delays", Exploration{Delays: 1, Reduction: Everything}, monitored, "NOT complete (delays): "},
		{"workers", Exploration{Workers: 2, KeepOn: true}, quarrel, "complete: 6 distinct orders in 6 runs, 18 steps; 4 runs failed, in 2 ways"},
		{"inputs", Exploration{}, chosen, "complete for all 6 inputs: 6 distinct orders in 6 runs, 6 steps"},
		{"some inputs", Exploration{Runs: 4}, chosen, "NOT complete (runs) after 4 inputs: 4 distinct orders in 4 runs, 4 steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := exploreFor(t, c.e, c.property).verdict
			v.Watched = false
			got := strings.Replace(v.String(), ", "+rounded(v.Elapsed), "", 1)
			if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Which inputs are explored, in which order.
func TestInputsOfAnExploration(t *testing.T) {
	var list []string
	var sources []uint64
	note := func(t *props.T, values ...any) {
		sys := t.System()
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) { list = append(list, strings.TrimSpace(fmt.Sprintln(values...))) })), 1)
		sys.Run()
	}
	for _, c := range []struct {
		name     string
		inputs   int
		property func(*props.T)
		want     string
		sampled  bool
	}{
		{"no draw", 0, func(t *props.T) { note(t, 0) }, "0", false},
		{"product", 0, func(t *props.T) {
			note(t, props.OneOf(t, "a", "x", "y", "z"), props.OneOf(t, "b", 1, 2))
		}, "x 1;x 2;y 1;y 2;z 1;z 2", false},
		{"later draws depend on earlier ones", 0, func(t *props.T) {
			switch props.OneOf(t, "kind", "bare", "sized", "both") {
			case "bare":
				note(t, "bare")
			case "sized":
				note(t, "sized", props.OneOf(t, "size", 1, 2, 3))
			case "both":
				note(t, "both", props.OneOf(t, "other", 7, 8), props.OneOf(t, "last", true, false))
			}
		}, "bare;sized 1;sized 2;sized 3;both 7 true;both 7 false;both 8 true;both 8 false", false},
		{"a small range", 0, func(t *props.T) { note(t, props.Draw(t, rapid.Bool(), "b")) }, "false;true", true},
		{"a range and a choice", 0, func(t *props.T) {
			note(t, props.OneOf(t, "a", "x", "y"), props.Draw(t, rapid.Bool(), "b"))
		}, "x false;y false;x true;y true", true},
		{"a draw for one value only", 0, func(t *props.T) {
			if props.OneOf(t, "a", "x", "y") == "x" {
				note(t, "x")
				return
			}
			note(t, "y", props.Draw(t, rapid.Bool(), "b"))
		}, "x;y false;y true", true},
		{"skipped inputs", 0, func(t *props.T) {
			n := props.OneOf(t, "n", 1, 2, 3, 4)
			if n%2 == 0 {
				t.Skip("even")
			}
			note(t, n)
		}, "1;3", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list = nil
			x := exploreFor(t, Exploration{Inputs: c.inputs}, c.property)
			want := strings.Split(c.want, ";")
			if c.sampled {
				slices.Sort(list)
				slices.Sort(want)
			}
			if !slices.Equal(list, want) || x.verdict.Inputs != len(want) || !x.verdict.Complete || x.verdict.Sampled != c.sampled {
				t.Errorf("explored %q, verdict %v, want %q", list, x.verdict, want)
			}
		})
	}
	x := exploreFor(t, Exploration{Inputs: 5}, func(t *props.T) {
		a := props.OneOf(t, "a", 1, 2)
		source := props.Source(t, "source")
		sources = append(sources, source.Uint64()<<2|uint64(a))
		note(t)
	})
	slices.Sort(sources)
	if n := len(slices.Compact(sources)); x.verdict.Inputs != 10 || n != 10 {
		t.Errorf("%d inputs, %d different ones, want 5 seeds for each of 2 values: %v", x.verdict.Inputs, n, x.verdict)
	}
}

// An Always that looks at two actors is asked in every state only when nothing
// is left out.
func TestAlwaysNeedsEverything(t *testing.T) {
	if x := exploreFor(t, Exploration{}, apart); !x.verdict.Watched || len(x.found) > 0 || !x.verdict.Complete {
		t.Errorf("optimal: %v", x.verdict)
	}
	if x := exploreFor(t, Exploration{Reduction: Everything}, apart); x.verdict.Watched || len(x.found) != 1 {
		t.Errorf("everything: %v", x.verdict)
	}
}

// A budget ends an exploration between inputs and within one.
func TestExplorationEndsInTime(t *testing.T) {
	huge := func(t *props.T) {
		props.OneOf(t, "n", 1, 2)
		sys := t.System()
		crowd(sys, 12, func(string) {})
		sys.Run()
	}
	start := time.Now()
	x := exploreFor(t, Exploration{Budget: 100 * time.Millisecond}, huge)
	if x.verdict.Complete || x.verdict.Bound != "time" || time.Since(start) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(start), x.verdict)
	}
	x = exploreFor(t, Exploration{Budget: 1}, chosen)
	if x.verdict.Complete || x.verdict.Bound != "time" {
		t.Errorf("with no time at all: %v", x.verdict)
	}
}

// Each state comparison finds what there is to be found, and a Hash that says
// too little is noticed.
func TestStatesOfAnExploration(t *testing.T) {
	x := exploreFor(t, Exploration{States: ByHash, Reduction: Everything, KeepOn: true}, quarrel)
	if x.verdict.States == 0 || !x.verdict.Complete {
		t.Errorf("%v", x.verdict)
	}
	x = exploreFor(t, Exploration{States: Checked, Reduction: Everything}, lying)
	if x.verdict.Clash == "" || x.verdict.Complete {
		t.Errorf("a constant for a hash: %v", x.verdict)
	}
}

// What a handler complains of is found also in a run that is given up later,
// because its state is known.
func TestComplaintBeforeAKnownState(t *testing.T) {
	for _, r := range []Reduction{Source, Everything} {
		x := exploreFor(t, Exploration{Reduction: r, States: ByHash}, func(t *props.T) {
			sys := t.System()
			ref := sys.Spawn("adder", &adder{t: t})
			for i := range 2 {
				client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ref, msg) }))
				sys.Send(client, i+1)
			}
			sys.Run()
		})
		if len(x.found) != 1 || x.verdict.Complete || len(x.verdict.Failures) != 1 {
			t.Errorf("%v: %v", r, x.verdict)
		}
	}
}

// adder has the same state whichever message came first, and a word to say.
type adder struct {
	t   *props.T
	sum int
}

func (a *adder) Hash() uint64 { return uint64(a.sum) }

func (a *adder) Receive(ctx *pulse.Ctx, msg any) {
	if a.sum == 2 {
		a.t.Errorf("two came first")
	}
	if a.sum += msg.(int); a.sum == 3 {
		ctx.Send(ctx.Self(), 10)
	}
}

// Several workers keep the same failures as one, of each signature the first.
func TestExplorationsWorkers(t *testing.T) {
	var lists []string
	for _, workers := range []int{2, 3, 5} {
		x := exploreFor(t, Exploration{Workers: workers, KeepOn: true}, quarrel)
		var list []string
		for _, f := range x.found {
			list = append(list, fmt.Sprintf("%s %x", f.failure.Signature(), f.trace.Hash))
		}
		slices.Sort(list)
		lists = append(lists, fmt.Sprint(list, maps.Collect(maps.All(x.verdict.Failures))))
	}
	if lists[0] != lists[1] || lists[0] != lists[2] {
		t.Errorf("two, three and five workers:\n%s", strings.Join(lists, "\n"))
	}
}

// Every subject's bug is found at its smallest input, and its mended form
// holds in every order, where these are not too many.
func TestEverySubjectIsExplored(t *testing.T) {
	drawn := mediansOfRandom(t)
	var b strings.Builder
	row := func(cells ...any) { fmt.Fprintf(&b, "%32v%14v%14v%12v%12v%12v\n", cells...) }
	row("runs until found", "random, drawn", "random, same", "optimal", "everything", "delays")
	for _, s := range subjects.All() {
		row(s.Name, drawn[s.Name], medianOfRandom(s),
			runsUntilFound(t, s, Exploration{}),
			runsUntilFound(t, s, Exploration{Reduction: Everything}),
			runsUntilFound(t, s, Exploration{Reduction: Everything, Delays: 5}))
	}
	golden.File(t, "testdata/explored.golden", b.String())
}

// mostRuns bounds what a subject may take.
const mostRuns = 50_000

// runsUntilFound explores a broken subject. Each must be found by Optimal.
func runsUntilFound(t *testing.T, s subjects.Subject, e Exploration) string {
	t.Helper()
	e.Runs = mostRuns
	x := exploreFor(t, e, built(s, s.Broken))
	if e.Delays == 0 && x.ended != x.verdict.Runs { // package explore may have begun again with another reduction
		t.Errorf("%s: %d runs ended: %v", s.Name, x.ended, x.verdict)
	}
	if len(x.found) == 0 {
		if e.Reduction == Optimal {
			t.Errorf("%s: %v", s.Name, x.verdict)
		}
		return "-"
	}
	for _, f := range x.found {
		if f.confirm(x.workers[0].runner); f.replays != replaysTried {
			t.Errorf("%s: replayed %d of %d: %s", s.Name, f.replays, replaysTried, f.differs)
		}
	}
	return fmt.Sprint(x.made)
}

// medianOfRandom is how many random runs of the same program it takes.
func medianOfRandom(s subjects.Subject) int {
	const trials = 101
	r := props.NewRunner(s.Name, built(s, s.Broken))
	defer r.Close()
	by := strategy.Random()
	var list []int
	seed := uint64(0)
	for range trials {
		for n := 1; ; n++ {
			seed++
			if r.Run(props.Plan{Strategy: by, StrategySeed: seed}).Failure != nil {
				list = append(list, n)
				break
			}
		}
	}
	slices.Sort(list)
	return list[trials/2]
}

// mediansOfRandom reads what the subjects' own test has found of random orders
// and drawn inputs.
func mediansOfRandom(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("subjects", "testdata", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	medians := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 {
			medians[f[0]] = strings.TrimSuffix(f[1], ",")
		}
	}
	return medians
}

func TestMendedSubjectsAreExplored(t *testing.T) {
	runs := 2000
	if nightly() {
		runs = 1_000_000
	}
	complete := 0
	for _, s := range subjects.All() {
		x := exploreFor(t, Exploration{Runs: runs}, built(s, s.Mended))
		if len(x.found) > 0 || x.verdict.Nondeterminism != "" || x.verdict.Wasted > 0 || x.ended != x.verdict.Runs {
			t.Errorf("%s: %v %s", s.Name, x.verdict, x.verdict.Nondeterminism)
		}
		if x.verdict.Complete {
			complete++
		}
	}
	if complete < len(subjects.All())-2 {
		t.Errorf("%d of %d subjects are complete in %d runs", complete, len(subjects.All()), runs)
	}
}

// An exploration in a benchmark says how many orders it takes, and nothing
// else while it is complete.
func TestExploreInABenchmark(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(exe, "-test.run", "^$", "-test.bench", "^BenchmarkExplore$", "-test.benchtime", "3x").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "24.00 orders/op") || strings.Contains(string(out), "explore_test.go") {
		t.Errorf("%v: %s", err, out)
	}
}

func BenchmarkExplore(b *testing.B) {
	pi := load.Pi(4)
	for b.Loop() {
		Explore(b, func(t *props.T) {
			sys := t.System()
			check := pi.Build(sys)
			sys.Run()
			if err := check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Of several workers each may find a failure. Which one is shown follows from
// the program alone.
func TestWorkersShowTheSameFailure(t *testing.T) {
	fails := func(t *props.T) {
		said := ""
		sys := t.System()
		crowd(sys, 6, func(word string) { said += word })
		sys.Run()
		switch {
		case strings.HasPrefix(said, "cf"):
			t.Error("clumsy start")
		case strings.HasSuffix(said, "ad"):
			t.Error("sad end")
		}
	}
	for _, keepOn := range []bool{false, true} {
		first := ""
		for i := range 20 {
			x := exploreFor(t, Exploration{Workers: []int{2, 5}[i%2], KeepOn: keepOn}, fails)
			var b strings.Builder
			for _, signature := range slices.Sorted(maps.Keys(x.found)) {
				f := x.found[signature]
				fmt.Fprintf(&b, "%s %x %v %v\n", signature, f.trace.Hash, f.place, f.kase.Record)
			}
			if i == 0 {
				first = b.String()
			}
			if want := map[bool]int{false: 1, true: 2}[keepOn]; len(x.found) != want || b.String() != first {
				t.Fatalf("exploration %d: found\n%snot\n%s", i, b.String(), first)
			}
		}
	}
}

// An exploration that is kept in a file goes on until it is complete.
func TestExplorationInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "search")
	for i := 1; ; i++ {
		x := exploreFor(t, Exploration{Runs: 10, File: file}, crowded(4))
		v := &x.verdict
		_, err := os.Stat(file)
		if v.Runs != min(10*i, 24) || v.Complete != (i == 3) || (err == nil) == v.Complete || i > 3 {
			t.Fatalf("exploration %d: %v; %v", i, v, err)
		}
		if v.Complete {
			return
		}
	}
}

func crowded(n int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		crowd(sys, n, func(string) {})
		sys.Run()
	}
}
