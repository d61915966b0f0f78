package search

import (
	"testing"

	"github.com/jostle-go/jostle/props"
)

// With hints, the default portfolio finds in some hundred runs a failure for which random order
// needs some hundred thousand. A Sometimes that holds in every run, as in most properties, does not
// count as a hint.
func TestHintedSearchesAreGuided(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(*props.T)
		hints    bool
	}{
		{"Feature", lock(feature), true},
		{"Maximize", lock(maximize), true},
		{"inputs", hill(maximize), true},
		{"Sometimes", lock(situations), false},
		{"nothing", lock(nothing), false},
	} {
		for seed := uint64(1); seed <= 3; seed++ {
			p := Property{Name: t.Name(), Test: t.Name(), Func: c.property}
			hints := LookForHints(t.Context(), p, Options{Seed: seed}).Given
			if hints != c.hints {
				t.Errorf("%s, seed %d: gives hints: %v", c.name, seed, hints)
			}
			res := Sample(t.Context(), p, Options{Seed: seed, Runs: 4096, Hinted: hints})
			if found := res.Finding != nil; found != c.hints || res.By["guided"] > 0 != c.hints {
				t.Errorf("%s, seed %d: found %v in %d runs (%s)", c.name, seed, found, res.Runs, res.Arms())
			}
		}
	}
}

// The runs of a batch depend only on the number of the batch, even with hints.
func TestHintedBatchesAreMadeAgain(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: hill(maximize)}
	whole := Sample(t.Context(), p, Options{Seed: 5, Hinted: true, Workers: 2})
	size := (&Options{Hinted: true}).BatchSize()
	again := Sample(t.Context(), p, Options{Seed: 5, Hinted: true, First: whole.Index / size})
	if whole.Finding == nil || again.Finding == nil || whole.Index != again.Index || whole.Index < size {
		t.Errorf("found in run %d, and when batch %d of %d runs was made again in run %d", whole.Index, whole.Index/size, size, again.Index)
	}
}

// If a run fails while the search looks for hints, and no other run fails, that failure is reported.
func TestRunsForHintsThatFail(t *testing.T) {
	runs := 0
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) {
		t.System().Run()
		if runs++; runs == 5 {
			t.Error("failed once")
		}
	}}
	h := LookForHints(t.Context(), p, Options{Seed: 1})
	res := Sample(t.Context(), p, Options{Seed: 1, Runs: 64})
	if res.Finding != nil {
		t.Fatalf("found %+v", res.Finding)
	}
	if h.AddTo(&res); res.Finding == nil || res.Index != 4 || res.Finding.Replays != 0 {
		t.Errorf("run %d, %+v", res.Index, res.Finding)
	}
	runs = 100
	if h = LookForHints(t.Context(), p, Options{Seed: 1, Runs: 3}); runs != 103 || h.Given || h.Failed != nil {
		t.Errorf("%d runs, %+v", runs-100, h)
	}
}
