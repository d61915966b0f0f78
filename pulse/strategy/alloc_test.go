package strategy_test

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestNoAllocations checks that a run allocates nothing once the system and the
// strategy have had runs as large.
func TestNoAllocations(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		r := trial.NewRing(30, 200)
		check := func(name string, s pulse.Strategy, r *trial.Ring) {
			sys := pulse.New(pulse.Options{Strategy: s, Delivery: delivery})
			defer sys.Close()
			seed := uint64(0)
			run := func() {
				seed++
				sys.Reset(seed % 10)
				r.Run(sys)
			}
			for range 40 {
				run()
			}
			must(t, sys.Failure())
			if sys.Steps() != r.Steps() {
				t.Fatalf("%s took %d steps", name, sys.Steps())
			}
			if n := testing.AllocsPerRun(50, run); n != 0 {
				t.Errorf("%s, delivery %d: %v allocations a run", name, delivery, n)
			}
		}
		for _, s := range all() {
			check(s.name, s.make(), r)
		}
		check("urw that relearns", strategy.URW(strategy.URWOptions{Relearn: 1}), r)
		check("pos with crowds", strategy.POS(), trial.NewRing(700, 2000))
		check("deep pct", strategy.PCT(strategy.PCTOptions{Depth: 8}), r)

		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Delivery: delivery, Record: true})
		r.Run(sys)
		check("replay", strategy.Replay(sys.Record(), strategy.ReplayOptions{}), r)
		check("lenient replay", strategy.Replay(sys.Record(), strategy.ReplayOptions{Lenient: true}), r)
		sys.Close()
	}
}
