package strategy_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// BenchmarkPick measures a step under each strategy, with 1, 10 and 100
// messages deliverable, and reports it as a ratio to Random in the same run.
// All are recorded, since some strategies always are.
func BenchmarkPick(b *testing.B) {
	for _, tokens := range []int{1, 10, 100} {
		random := trial.RoundTime(strategy.Random(), tokens, 200)
		for _, s := range all() {
			b.Run(fmt.Sprintf("%s/%d", s.name, tokens), func(b *testing.B) {
				b.ReportMetric(trial.RoundTime(s.make(), tokens, b.N).Seconds()/random.Seconds(), "x-random")
			})
		}
	}
}
