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

// Target makes the property a target of go test -fuzz. The engine's bytes encode
// inputs, message priorities and answers; every byte string decodes to some case.
// Saved cases run first, as with Check. The engine starts from them and from some
// random inputs, and failures are saved as Check saves them. In a quarter of the
// cases timers may fire early, as with Check.
//
// When go test -fuzz finds a failure, Target shrinks and explains it like Check.
// It also replaces the input that the engine saved by one for the shrunk run, under
// the name that the engine printed. The engine minimizes first, for as long as
// -fuzzminimizetime says, but it knows only bytes and not runs.
//
// Plain go test checks T.Sometimes after the engine's initial inputs. If some
// situation was not reached, Target makes up to 1,000 more runs, for at most
// 2 seconds. Go test -fuzz does not check it, nor does go test if -run selects only
// some of the inputs.
//
// A bridge shows receive orders to the engine. On a staged bug that needs seven rare
// orders in a row (random orders show it once in 279,936 runs) the bridge has no
// measurable gain. Medians of 16 and 17 trials, with one process and
// -fuzzminimizetime=1x, up to the first failing run:
//
//	                               found      runs
//	go test -fuzz, with bridge     all      30,240
//	go test -fuzz, without         all      28,867
//	a loop of our own, guided      9 of 11   3,819 (at most 100,000 runs)
//
// The engine also counts jostle's own code blocks, which probably tell it how far a
// run got. It takes inputs in turns and does not prefer those that showed something
// new. A loop that continues from new receive pairs needs an eighth of the runs. To
// measure this: JOSTLE_NIGHTLY=1 go test -run 'NativeFuzzing|GuidanceHelps' -v.
//
// By default the engine spends most runs on minimizing inputs. Target shrinks its
// findings anyway, so set -fuzzminimizetime=1x.
func Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	Config{}.Target(f, property)
}

// Target is the function Target with settings.
func (c Config) Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	t := c.newTarget(f, property)
	do := func() {
		if native.IsWorker(os.Args) || t.replay() == explore.NoBound {
			t.run(f)
		}
	}
	if native.IsFuzzing(os.Args) { // the engine keeps the input of a process that dies
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
	if native.IsFuzzing(os.Args) { // the engine makes inputs smaller itself
		s.Shrink, s.Pages = 0, false
	}
	return t
}

// run starts the engine.
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

// conclude shrinks the cases that the engine's processes have saved unshrunk since before,
// and the inputs that the engine itself has saved.
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

// mostMore limits the extra runs for situations that were not reached.
const mostMore = 1000

// judge fails the test for situations that were never reached, and for failures in
// goroutines of the property after its last run.
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

// lacks reports whether the runs so far have tested nothing, or have not reached
// every situation of T.Sometimes.
func (g *target) lacks() bool { return g.tally.Tested() == 0 || len(g.Runner.Missed()) > 0 }

// A target is the property in one process of the engine.
type target struct {
	*verb
	native.Harness
	tally search.Tally // of the runs of this process
	pages bool         // whether to write pages
}

// randomSeeds is the number of random inputs that the engine starts with.
const randomSeeds = 8

// addSeeds gives the engine the saved cases as bytes, and random inputs. It returns
// their number.
func (g *target) addSeeds(f *testing.F) (n int) {
	cases, _ := g.session.Folder.Load() // their problems have been printed
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
// Skips: inputs that the property skips, or whose draws find no value.
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

// tell saves a failing run, shows it and fails the test of its input.
func (g *target) tell(t testing.TB, res *props.Result, bytes int) {
	f := finding.From(finding.Origin{Property: g.session.Property.Name, Test: g.session.Property.Test, Strategy: "bytes", Seed: g.Harness.Seed()}, res)
	f.Confirm(g.Runner)
	rec := g.session.Conclude(context.Background(), g.Runner, f, fmt.Sprintf("%d bytes", bytes))
	own, of := *g.verb, *g.session
	of.Property.Test, own.t, own.session = t.Name(), output{t}, &of
	own.fail(&rec)
}
