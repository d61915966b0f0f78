package search

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// A run in which timers came early is repeated with early timers, whichever run of
// a batch it is.
func TestEarlyTimersAreRepeated(t *testing.T) {
	rich := func(t *props.T) { trial.Rich(t.System()) }
	for _, arms := range [][]string{{"random"}, {"random", "pos", "urw"}, {"random", "pos", "urw", "pct", "pctcp"}} {
		if res := searchBy(t, rich, Options{Seed: 1, Runs: 3000}, arms...); res.Finding != nil {
			t.Errorf("%v: %v, %s", arms, res.Finding.Failure, res.Finding.Differs)
		}
	}
}
