package search

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// If a run allows early timers, its repetition allows them too, whatever its position in the batch.
func TestEarlyTimersAreRepeated(t *testing.T) {
	rich := func(t *props.T) { trial.Rich(t.System()) }
	for _, arms := range [][]string{{"random"}, {"random", "pos", "urw"}, {"random", "pos", "urw", "pct", "pctcp"}} {
		if res := searchBy(t, rich, Options{Seed: 1, Runs: 3000}, arms...); res.Finding != nil {
			t.Errorf("%v: %v, %s", arms, res.Finding.Failure, res.Finding.Differs)
		}
	}
}
