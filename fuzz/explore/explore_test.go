package explore_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
)

// on makes a program of what builds one.
func on(o pulse.Options, build func(*pulse.System) func() error) explore.Program {
	return (&rig{}).program(o, build)
}

func TestLoads(t *testing.T) {
	for _, l := range []load.Load{load.Pi(2), load.Pi(3), load.Pi(4), load.Pi(5), load.Senders(4, 1), load.Senders(3, 2), load.Pi(8), load.Senders(8,1)} {
		for _, r := range explore.Reductions() {
			for _, sleep := range []bool{false, true} {
				for _, ord := range []explore.Ordering{explore.FIFO, explore.ECA, explore.LCA} {
					if (l.Name == "pi(5)"||l.Name == "pi(8)") && r > explore.Source {
						continue
					}
					o := explore.Options{Reduction: r, Sleep: sleep, Ordering: ord, CountDistinct: l.Steps<20}
					v, err := explore.Explore(on(pulse.Options{}, l.Build), o)
					fmt.Printf("%v %v sleep=%v %v: %v distinct %d runs %d wasted %d steps %d complete %v fail %v %s %v\n", l.Name, r, sleep, ord, err, v.Distinct, v.Runs, v.Wasted, v.Steps, v.Complete, v.Failures, v.Nondeterminism, v.Elapsed)
				}
			}
		}
	}
}
