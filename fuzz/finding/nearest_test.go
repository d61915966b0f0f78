package finding

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// swaps returns the number of pairs of messages that an actor receives in the other order in run b
// than in run a. sent has the messages of run a. A message that run a sends and does not receive
// comes last.
func swaps(a, b map[string][]stepName, sent []stepName) (n int) {
	for actor, was := range a {
		is := b[actor]
		all := slices.Clone(was)
		for _, name := range sent {
			if name.receiver == actor && !slices.Contains(was, name) {
				all = append(all, name)
			}
		}
		for i, first := range was {
			for _, second := range all[i+1:] {
				if x, y := slices.Index(is, first), slices.Index(is, second); y >= 0 && x > y {
					n++
				}
			}
		}
	}
	return n
}

// TestNearestAgainstAllOrders holds the nearest passing run of random small programs against all
// of their orders: none is nearer than the one that is found, but for few.
func TestNearestAgainstAllOrders(t *testing.T) {
	tested, none, least, several := 0, 0, 0, 0
	for seed := uint64(1); tested < slowPrograms()/2; seed++ {
		p := trial.NewTable(rand.New(rand.NewPCG(seed, 10)))
		r := props.NewRunner("table", p.Property(nil, 0))
		for n := range uint64(20) {
			res := r.Run(props.Plan{Strategy: strategy.Random(), Seed: hash.Seed(seed, n), StrategySeed: n})
			if res.Failure == nil {
				continue
			}
			c, signature := shrinkCase(&res), res.Failure.Signature()
			own, sent := plainly(res.System.Trace()), []stepName{}
			for _, name := range namesOf(res.System, res.System.Trace().Names()) {
				sent = append(sent, name)
			}
			fewest := 0
			whole := trial.EachOrder(r, props.Plan{Inputs: c.Inputs}, 2000, func(res *props.Result, _ float64) {
				if d := swaps(own, plainly(res.System.Trace()), sent); res.Failure == nil && d > 0 && (fewest == 0 || d < fewest) {
					fewest = d
				}
			})
			if !whole || fewest == 0 {
				continue
			}
			tested++
			got, _ := (&shrinking{runner: r}).nearest(t.Context(), &c, signature, -1)
			switch {
			case got == nil:
				none++
			case got.Swaps < fewest || got.Swaps != len(got.Swapped):
				t.Errorf("seed %d: %d swaps, and the nearest of all orders has %d", seed, got.Swaps, fewest)
			case got.Swaps == fewest:
				least++
			}
			if fewest > 1 {
				several++
			}
			break
		}
		r.Close()
	}
	t.Logf("%d programs, %d with several swaps: the nearest run is found in %d, none in %d", tested, several, least, none)
	if least*10 < tested*9 || several < tested/10 {
		t.Errorf("of %d programs, of which %d need several swaps, the nearest run is found in %d", tested, several, least)
	}
}
