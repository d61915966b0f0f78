package correct_test

import (
	"context"
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/correct"
)

// TestNoFalseAlarms: no arm, and no portfolio of all, finds a failure in a correct
// program. At night each searches 40 programs with 200 seeds.
func TestNoFalseAlarms(t *testing.T) {
	programs, seeds, runs := uint64(40), uint64(1), 60
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		seeds, runs = 200, 200
	}
	for number := range programs {
		p := correct.New(number)
		property := search.Property{Name: "correct", Test: t.Name(), Func: p.Property}
		for _, arm := range append(search.Names(), "") {
			for seed := range seeds {
				o := search.Options{Seed: seed<<32 | number, Runs: runs}
				if arm != "" {
					var err error
					if o.Portfolio, err = search.Strategies(arm); err != nil {
						t.Fatal(err)
					}
				}
				res := search.Sample(context.Background(), property, o)
				if res.Finding != nil {
					t.Errorf("%s by %q, seed %d, run %d: %s", p.Name, arm, seed, res.Index, res.Finding.Case.Signature)
				}
			}
		}
	}
}
