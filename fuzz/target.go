package fuzz

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Target makes a property a target of go test -fuzz: the engine's bytes are
// inputs, priorities of messages and answers, and every byte string is some
// case. It begins with the cases saved for the test and some random ones.
func Target(f *testing.F, property func(*props.T)) {
	f.Helper()
	addSeeds(f)
	t := &target{runner: props.NewRunner(f.Name(), property)}
	f.Cleanup(t.runner.Close)
	f.Fuzz(t.fuzz)
}

// randomSeeds is how many random inputs the engine begins with, and
// randomLength how long they are: some words of input, and priorities for the
// first messages.
const (
	randomSeeds  = 8
	randomLength = 96
)

func addSeeds(f *testing.F) {
	folder := corpus.FolderOf("", f.Name())
	entries, problems := folder.Load()
	for _, p := range problems {
		f.Error(p)
	}
	for _, e := range entries {
		f.Add(choice.DraftOf(e.Case).Bytes())
	}
	for i := range uint64(randomSeeds) {
		data := make([]byte, randomLength)
		for j := range data {
			data[j] = byte(mix(i, uint64(j)))
		}
		f.Add(data)
	}
}

// target is what one process of the engine runs.
type target struct {
	runner *props.Runner
	draft  choice.Draft
	bridge bridge
}

// stepsPerRun bounds a run whose property sets no bound: the engine does not
// notice one that never ends.
const stepsPerRun = 10_000

// fuzz runs the property on one input of the engine.
//
// Skips: inputs that the property skips, or whose draws find no value.
func (g *target) fuzz(t *testing.T, data []byte) {
	g.draft.FromBytes(data)
	g.bridge.begin()
	res := g.runner.Run(props.Plan{Words: g.draft.Words, Seed: g.draft.Seed, Steps: stepsPerRun,
		Strategy: strategy.Scheduled(&g.draft), Observer: &g.bridge})
	g.bridge.hit()
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
