package strategy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// BenchmarkPick measures a step under each strategy, with 1, 10 and 100
// messages deliverable, and reports it as a ratio to Random in the same run.
// All are recorded, since some strategies always are.
func BenchmarkPick(b *testing.B) {
	for _, tokens := range []int{1, 10, 100} {
		random := stepTime(strategy.Random(), tokens, 200)
		for _, s := range all() {
			b.Run(fmt.Sprintf("%s/%d", s.name, tokens), func(b *testing.B) {
				b.ReportMetric(stepTime(s.make(), tokens, b.N).Seconds()/random.Seconds(), "x-random")
			})
		}
	}
}

// stepTime runs so many rounds of 1,000 steps and returns the time of one.
func stepTime(s pulse.Strategy, tokens, rounds int) time.Duration {
	r := newRing(tokens, 1000)
	sys := pulse.New(pulse.Options{Strategy: s, Record: true, Delivery: pulse.DeliveryUnordered})
	defer sys.Close()
	round := func(seed int) {
		sys.Reset(uint64(seed))
		r.run(sys)
	}
	for seed := range 3 {
		round(seed)
	}
	start := time.Now()
	for seed := range rounds {
		round(seed)
	}
	return time.Since(start) / time.Duration(rounds)
}
