package fuzz

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/native"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
)

// Target makes the property a fuzz target of go test -fuzz. The bytes from Go's fuzzing
// engine encode inputs, message priorities and answers, and every byte string can be
// decoded. Like Check, Target runs the saved cases first, saves failures, and lets timers
// fire early in a quarter of the runs. The engine starts with the saved cases and with
// some random inputs.
//
// When go test -fuzz finds a failure, Target shrinks and explains it like Check. It also
// replaces the input that the engine saved by an input for the shrunk run, with the same
// file name. Before that, the engine minimizes the input for the time -fuzzminimizetime, but
// it minimizes only bytes.
//
// Go test without -fuzz checks T.Sometimes after the engine's initial inputs. If a
// situation was not reached, Target performs up to 1,000 more runs, for at most 2 seconds.
// T.Sometimes is not checked with -fuzz, nor if -run selects only some of the inputs.
//
// Target reports receive orders to the engine as coverage, through a so-called bridge. On
// a test bug that needs seven rare orders in a row, and occurs in one of 279,936 random
// runs, the bridge has no measurable effect. The table has the median number of runs up to
// the first failing run. The trials with go test -fuzz (16 and 17) used one process and
// -fuzzminimizetime=1x:
//
//	                               found      runs
//	go test -fuzz, with bridge     all      30,240
//	go test -fuzz, without         all      28,867
//	a loop of our own, guided      9 of 11   3,819 (at most 100,000 runs)
//
// Probably the coverage of jostle's own code already tells the engine how far a run got.
// The engine takes all inputs in turn and does not prefer inputs that found something new.
// A loop that prefers runs with new receive pairs needs an eighth of the runs. To repeat
// the measurement, run JOSTLE_NIGHTLY=1 go test -run 'NativeFuzzing|GuidanceHelps' -v.
//
// By default, the engine spends most runs on minimizing inputs. Since Target shrinks its
// findings anyway, set -fuzzminimizetime=1x.
func Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	Config{}.Target(f, property)
}

// Target does the same as the function Target, with the settings of c.
func (c Config) Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	t := c.newTarget(f, property)
	do := func() {
		if native.IsWorker(os.Args) || t.replay() == explore.NoBound {
			t.run(f)
		}
	}
	if native.IsFuzzing(os.Args) { // the engine itself saves the input of a process that dies
		do()
		return
	}
	ran := false
	t.recorded(func() { ran = true; do() })
	if !ran && !f.Failed() {
		f.SkipNow() // a target must call f.Fuzz or skip
	}
}

func (c Config) newTarget(f *testing.F, property func(*props.T)) *target {
	f.Helper()
	t := &target{verb: c.begin(f, "Target", 0, property), tally: search.NewTally()}
	f.Cleanup(t.watch())
	t.Runner = t.session.Property.NewRunner()
	f.Cleanup(t.Runner.Close)
	s := t.session
	t.pages, s.Shortest = s.Pages, true
	if native.IsFuzzing(os.Args) { // the engine minimizes the input first, and conclude shrinks later
		s.Shrink, s.Pages = 0, false
	}
	return t
}

// run starts the engine, and processes the results when the engine has ended.
func (g *target) run(f *testing.F) {
	seeds := g.addSeeds(f)
	before, _ := g.session.Folder.Load()
	engine := native.EngineOf(packageFolder, f.Name())
	f.Fuzz(g.fuzz)
	switch {
	case native.IsFuzzing(os.Args) && !native.IsWorker(os.Args) && f.Failed() && g.verb.Shrink > 0:
		g.conclude(engine, before)
	case !native.IsFuzzing(os.Args) && !f.Failed() && g.tally.Runs >= seeds:
		g.judge(f, seeds)
	}
}

// conclude shrinks the cases that the engine's processes have saved, and replaces the inputs that
// the engine has saved. The parameter before has the cases that existed when the engine started.
func (g *target) conclude(engine *native.Engine, before []corpus.Case) {
	s := g.session
	s.Shrink, s.Pages, s.Shortest = g.verb.Shrink, g.pages, false
	s.ConcludeNew(context.Background(), g.Runner, before, func(f record.Record) {
		if g.fail(&f); f.Problem != "" {
			return
		}
		if c, err := corpus.Decode(f.Path, []byte(f.Case)); err == nil {
			for _, said := range engine.Shrink(&g.Harness, &c) {
				g.t.print("        " + said + "\n")
			}
		}
	})
}

// mostMore limits the number of extra runs for situations that were not reached.
const mostMore = 1000

// judge fails the test if a situation of T.Sometimes was never reached, or if a goroutine of the
// property has failed after its last run.
func (g *target) judge(f *testing.F, seeds int) {
	start := time.Now()
	for i := 0; i < mostMore && g.lacks() && time.Since(start) < checkBudget; i++ {
		data := native.RandomBytes((g.verb.Seed-1)*randomSeeds + uint64(seeds+i))
		g.session.Property.Recorder.Slot(0).Begin(flight.Bytes, g.tally.Runs)
		res := g.Run(data)
		g.tally.Count("bytes", &res)
		if res.Failure != nil {
			g.tell(f, &res, len(data))
			return
		}
	}
	if late := g.Runner.Late(); late != nil {
		g.t.Error(late)
	}
	end := search.Result{Tally: g.tally, Missed: g.Runner.Missed()}
	for _, text := range end.Complaints() {
		g.t.Error(text)
	}
}

// lacks reports whether every run so far was skipped, or some situation of T.Sometimes was not
// reached.
func (g *target) lacks() bool { return g.tally.Tested() == 0 || len(g.Runner.Missed()) > 0 }

// A target is the state of one call to Target, in one process of the engine.
type target struct {
	*verb
	native.Harness
	tally search.Tally // counts the runs of this process
	pages bool         // the initial Session.Pages
}

// randomSeeds is the number of random inputs that the engine starts with.
const randomSeeds = 8

// addSeeds gives the saved cases and some random inputs to the engine, encoded as bytes. It returns
// the number of these inputs.
func (g *target) addSeeds(f *testing.F) (n int) {
	cases, _ := g.session.Folder.Load() // the problems that Load returns were printed before
	if native.IsFuzzing(os.Args) {
		cases = append(cases, g.session.Cache.Load().Cases...)
	}
	for i := range cases {
		if data := g.BytesOf(&cases[i]); data != nil {
			f.Add(data)
			n++
		}
	}
	for i := range uint64(randomSeeds) {
		f.Add(native.RandomBytes((g.verb.Seed-1)*randomSeeds + i))
	}
	return n + randomSeeds
}

// fuzz runs the property on one input of the engine.
//
// Skips: inputs that the property skips, and inputs for which a draw finds no value.
func (g *target) fuzz(t *testing.T, data []byte) {
	g.session.Property.Recorder.Slot(0).Begin(flight.Bytes, g.tally.Runs)
	res := g.Run(data)
	g.tally.Count("bytes", &res)
	switch {
	case res.Failure != nil:
		g.tell(t, &res, len(data))
	case res.Skipped:
		t.SkipNow()
	}
}

// tell saves and prints a failing run, and fails t, which is the subtest for the input of the run.
func (g *target) tell(t testing.TB, res *props.Result, bytes int) {
	f := finding.From(finding.Origin{Property: g.session.Property.Name, Test: g.session.Property.Test, Strategy: "bytes", Seed: g.Harness.Seed()}, res)
	f.Confirm(g.Runner)
	rec := g.session.Conclude(context.Background(), g.Runner, f, fmt.Sprintf("%d bytes", bytes))
	own, of := *g.verb, *g.session
	of.Property.Test, own.t, own.session = t.Name(), output{t}, &of
	own.fail(&rec)
}
