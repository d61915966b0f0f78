package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/shrink"
)

func TestTmp(t *testing.T) {
	for _, s := range subjects.All() {
		if s.Name == "procreg" || s.Name == "procreg-forgets" || s.Name == "cache" {
			continue
		}
		for seed := uint64(1); seed <= 2; seed++ {
			p := Property{Name: s.Name, Test: s.Name, Func: s.Property(false)}
			res := Sample(context.Background(), p, Options{Runs: 20000, Seed: seed, Workers: 1})
			out := Shrink(context.Background(), p, res.Finding, shrink.Options{})
			fmt.Println(s.Name, seed, out.From, out.Best.Steps, len(out.Best.Case.Schedule.Before), out.Finding.Draws)
			fmt.Println("     ", out.Why.String())
		}
	}
}
