package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

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

var exploreSamples = map[string]func(*testing.T){
	"explore-broken":  func(t *testing.T) { Explore(t, subjectNamed("writer").Property(false)) },
	"explore-mended":  func(t *testing.T) { Explore(t, subjectNamed("writer").Property(true)) },
	"explore-keep":    func(t *testing.T) { Config{KeepOn: true}.Explore(t, trial.Quarrel) },
	"explore-runs":    func(t *testing.T) { Config{Runs: 5}.Explore(t, trial.Monitored) },
	"explore-must":    func(t *testing.T) { Config{Runs: 5, MustComplete: true}.Explore(t, trial.Monitored) },
	"explore-watched": func(t *testing.T) { Explore(t, trial.Apart) },
	"explore-inputs":  func(t *testing.T) { Explore(t, trial.Chosen) },
	"explore-hasty":   func(t *testing.T) { Explore(t, hasty()) },
	"explore-endless": func(t *testing.T) { Explore(t, endless) },
	"explore-missed":  func(t *testing.T) { Explore(t, missesSome) },
	"explore-skipped": func(t *testing.T) { Explore(t, skips) },
	"explore-refused": func(t *testing.T) {
		Config{Method: explore.Method{States: explore.ByHash, Reduction: explore.SourceSets}}.Explore(t, trial.Monitored)
	},
	"explore-both":      func(t *testing.T) { Config{Method: explore.Method{DelayBound: 1}}.Explore(t, trial.Quarrel) },
	"explore-wandering": func(t *testing.T) { Explore(t, wandering()) },
	"explore-empty":     func(t *testing.T) { Explore(t, func(*props.T) {}) },
	"explore-inputs-file": func(t *testing.T) {
		Config{File: filepath.Join(os.Getenv("JOSTLE_OUT"), "search")}.Explore(t, trial.Chosen)
	},
	"explore-lost": func(t *testing.T) {
		c := Config{KeepOn: true, Runs: 4, File: filepath.Join(os.Getenv("JOSTLE_OUT"), "search")}
		leaveBehind(t, c, trial.Quarrel) // what it finds is never shown, as when the process is killed
		c.Explore(t, trial.Quarrel)
	},
}

// A test that passes without -v says on standard error that an exploration was not
// complete, and what to do. Before, nothing was said at all.
func TestIncompleteIsSaidWithoutVerbose(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^TestSample$")
	cmd.Env = append(os.Environ(), "JOSTLE_SAMPLE=explore-runs", "JOSTLE_OUT="+t.TempDir())
	var out, beside strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &beside
	if err := cmd.Run(); err != nil || out.String() != "PASS\n" {
		t.Errorf("%v: %s", err, out.String())
	}
	if text := beside.String(); !strings.HasPrefix(text, "    TestSample: NOT complete (runs): 5 distinct orders in 5 runs") ||
		!strings.Contains(text, "\n        all orders take about ") && !strings.Contains(text, "\n        raise Config.Runs") {
		t.Errorf("beside the test there was\n%s", text)
	}
}

// leaveBehind explores a property and forgets what it finds.
func leaveBehind(t *testing.T, c Config, property func(*props.T)) {
	o := search.ExploreOptions{KeepOn: c.KeepOn, Runs: c.Runs, File: c.File, Seed: 1}
	if _, err := search.Explore(t.Context(), search.PropertyOf(property, t.Name()), o); err != nil {
		t.Fatal(err)
	}
}

// wandering draws something else in every second run.
func wandering() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		runs++
		props.OneOf(t, []string{"heads", "tails"}[runs%2], 1)
		sys := t.System()
		trial.Crowd(sys, 3, func(string) {})
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
	if out := runSample(t, "explore-mended", dir); !strings.Contains(out, "not known whether its failure is mended") || !strings.Contains(out, "complete for") {
		t.Errorf("a mended program, which sends otherwise:\n%s", out)
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

// dies has two failures, and ends the process in a run after both.
func dies() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		runs++
		trial.Quarrel(t)
		if runs == 10 {
			os.Exit(3)
		}
	}
}

// What an exploration has met is saved although the process does not come to its
// end. Before, all was saved at the end. Of several runs that fail alike the cases
// are in the end those that were always kept.
func TestFailuresAreSavedWhenTheyAreMet(t *testing.T) {
	dir := t.TempDir()
	saved := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
		return list
	}
	if out := runSample(t, "dying-explore", dir); strings.Contains(out, "saved") || len(saved()) != 2 {
		t.Errorf("%d cases are saved, expected 2, of a process that said\n%s", len(saved()), out)
	}
	dir = t.TempDir()
	if out := runSample(t, "dying-workers", dir); strings.Count(out, "saved: DIR") != 2 || len(saved()) != 2 {
		t.Errorf("%d cases are saved, expected 2, of a process that said\n%s", len(saved()), out)
	}
}

var dyingSamples = map[string]func(*testing.T){
	"dying-explore": func(t *testing.T) { Config{KeepOn: true}.Explore(t, dies()) },
	"dying-workers": func(t *testing.T) { Config{KeepOn: true, Workers: 3}.Explore(t, trial.Quarrel) },
}
