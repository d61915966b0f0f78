package fuzz

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/native"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Target makes a property a target of go test -fuzz: the engine's bytes are
// inputs, priorities of messages and answers, and every byte string is some
// case. It begins with the cases saved for the test and some random ones.
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
	t := newTarget(f.Name(), property)
	f.Cleanup(t.runner.Close)
	t.addSeeds(f)
	f.Fuzz(t.fuzz)
}

// randomSeeds is how many random drafts the engine begins with; each has some
// words for the draws, and priorities for the first messages.
const (
	randomSeeds      = 8
	randomWords      = props.WordsPerDraw
	randomPriorities = 48
)

// addSeeds gives the engine the saved cases, as bytes, and random drafts.
func (g *target) addSeeds(f *testing.F) {
	folder := corpus.FolderOf("", f.Name())
	entries, problems := folder.Load()
	for _, p := range problems {
		f.Error(p)
	}
	for _, e := range entries {
		if data := g.bytesOf(&e); data != nil {
			f.Add(data)
		}
	}
	for i := range uint64(randomSeeds) {
		f.Add(randomDraft(i))
	}
}

// bytesOf replays a case to see what was sent when, which its bytes order. A
// case that no longer applies has none.
func (g *target) bytesOf(c *corpus.Case) []byte {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := g.runner.Run(props.Plan{Inputs: c.Inputs, Strategy: replayer})
	if res.System == nil {
		return nil
	}
	return native.DraftOf(c, res.System.Trace()).Bytes()
}

func randomDraft(seed uint64) []byte {
	d := native.Draft{Seed: hash.Seed(seed, 0)}
	for i := range uint64(randomWords) {
		d.Words = append(d.Words, hash.Seed(seed, 1+i))
	}
	for i := range uint64(randomPriorities) {
		d.Priorities = append(d.Priorities, byte(hash.Seed(seed, 1000+i)))
	}
	return d.Bytes()
}

// target is what one process of the engine runs.
type target struct {
	runner *props.Runner
	draft  native.Draft
	bridge *native.Bridge // nil when the engine is not shown receive orders
	last   props.Result
}

func newTarget(name string, property func(*props.T)) *target {
	return &target{runner: props.NewRunner(name, property), bridge: &native.Bridge{}}
}

// stepsPerRun bounds a run whose property sets no bound: the engine does not
// notice one that never ends.
const stepsPerRun = 10_000

// fuzz runs the property on one input of the engine.
//
// Skips: inputs that the property skips, or whose draws find no value.
func (g *target) fuzz(t *testing.T, data []byte) {
	g.draft.FromBytes(data)
	plan := props.Plan{Words: g.draft.Words, Seed: g.draft.Seed, Steps: stepsPerRun, Strategy: native.Play(&g.draft)}
	if g.bridge != nil {
		g.bridge.Begin()
		plan.Observer = g.bridge
	}
	res := g.runner.Run(plan)
	if g.bridge != nil {
		g.bridge.Hit()
	}
	g.last = res
	switch {
	case res.Failure != nil:
		f := newFinding(t.Name(), "scheduled", g.draft.Seed, &res)
		f.confirm(g.runner)
		fmt.Fprint(t.Output(), f.report(fmt.Sprintf("%d bytes", len(data)), t.Name(), ""))
		t.Fail()
	case res.Skipped:
		t.Skip()
	}
}
