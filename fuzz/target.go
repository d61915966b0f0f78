package fuzz

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/native"
	"github.com/jostle-go/jostle/props"
)

// Target makes a property a target of go test -fuzz: the engine's bytes are
// inputs, priorities of messages and answers, and every byte string is some
// case. Saved cases run first, as with Check; the engine begins with them and
// with some random ones, and what it finds is saved as Check saves it.
//
// What the bridge that shows the engine receive orders gains, measured on a
// staged bug that needs seven rare orders in a row, which random orders show
// once in 279,936 runs; medians of 11 trials, at most 60 s each, and what was
// not found counts as never:
//
//	                               found   runs     time
//	go test -fuzz, with bridge     11/11   187,499  12.5 s
//	go test -fuzz, without         11/11   224,961  15.9 s
//	a loop of our own, guided       9/11     3,819  under 0.1 s (at most 100,000 runs)
//
// The engine takes inputs in turns, not those that showed something new, and
// spends its time on processes and on making inputs smaller: the bridge gains
// a little over chance, a loop that goes on from new receive pairs fifty
// times as much. JOSTLE_NIGHTLY=1 go test -run 'NativeFuzzing|GuidanceHelps'
// -v measures it again.
func Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	Config{}.Target(f, property)
}

// Target is the function Target with settings.
func (c Config) Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	t := c.newTarget(f, property)
	if isWorker() || t.replay() == "" {
		t.run(f)
	}
}

func (c Config) newTarget(f *testing.F, property func(*props.T)) *target {
	f.Helper()
	t := &target{verb: c.begin(f, "Target", 0, property), saved: map[string]saved{}}
	t.Runner = props.NewRunner(f.Name(), property)
	f.Cleanup(t.Runner.Close)
	return t
}

// run hands over to the engine.
func (g *target) run(f *testing.F) {
	g.addSeeds(f)
	f.Fuzz(g.fuzz)
}

// isWorker reports whether this process runs inputs for another, which has
// replayed what is saved.
func isWorker() bool {
	for _, arg := range os.Args {
		if strings.TrimLeft(arg, "-") == "test.fuzzworker" {
			return true
		}
	}
	return false
}

// target is what one process of the engine runs.
type target struct {
	*verb
	native.Harness
	saved map[string]saved // by signature
}

// saved is a case that this process has kept.
type saved struct {
	*finding.Finding
	path string
}

// randomSeeds is how many random drafts the engine begins with.
const randomSeeds = 8

// addSeeds gives the engine the saved cases, as bytes, and random drafts.
func (g *target) addSeeds(f *testing.F) {
	cases, _ := g.folder.Load() // their problems have been told
	for i := range cases {
		if data := g.BytesOf(&cases[i]); data != nil {
			f.Add(data)
		}
	}
	for i := range uint64(randomSeeds) {
		f.Add(native.RandomBytes((g.verb.Seed-1)*randomSeeds + i))
	}
}

// fuzz runs the property on one input of the engine.
//
// Skips: inputs that the property skips, or whose draws find no value.
func (g *target) fuzz(t *testing.T, data []byte) {
	res := g.Run(data)
	switch {
	case res.Failure != nil:
		g.tell(t, &res, len(data))
	case res.Skipped:
		t.Skip()
	}
}

// tell saves a failing run, shows it and fails the test of its input.
func (g *target) tell(t *testing.T, res *props.Result, bytes int) {
	f := finding.From(finding.Origin{Property: g.property.Name, Test: g.property.Test, Strategy: "bytes", Seed: g.Harness.Seed()}, res)
	f.Confirm(g.Runner)
	path, err := g.save(f)
	if err != nil {
		t.Error(err)
	}
	own := &verb{Config: g.Config, t: t, property: g.property}
	own.property.Test = t.Name()
	own.fail(f, fmt.Sprintf("%d bytes", bytes), path)
}

// save keeps the shortest run of each signature. The engine makes a failing
// input smaller by trying others that fail alike: they are not kept beside it.
func (g *target) save(f *finding.Finding) (path string, err error) {
	if !f.Worth() {
		return "", nil
	}
	signature := f.Case.Signature
	old := g.saved[signature]
	if old.Finding != nil && old.Steps() <= f.Steps() {
		return old.path, nil
	}
	path, err = f.Save(g.folder)
	if err != nil || path == "" {
		return path, err
	}
	g.saved[signature] = saved{f, path}
	if old.Finding != nil && old.path != path {
		old.Case.Path = old.path
		err = g.folder.Remove(old.Case)
	}
	return path, err
}
