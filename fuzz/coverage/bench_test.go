package coverage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// BenchmarkAdd prints what a recorded run with coverage takes, as a ratio to what it
// takes without.
func BenchmarkAdd(b *testing.B) {
	small := func(sys *pulse.System) { writer.Config{Actions: 4}.Build(sys) }
	build := func(l load.Load) func(*pulse.System) { return func(sys *pulse.System) { l.Build(sys) } }
	for _, c := range []struct {
		name  string
		also  coverage.Criteria
		build func(*pulse.System)
	}{
		{"writer", 0, small},
		{"writer, all criteria", allCriteria, small},
		{"ring of 1,000 steps", 0, build(load.Ring(10, 10, 10))},
		{"ring of 1,000 steps, all criteria", allCriteria, build(load.Ring(10, 10, 10))},
		{"1,000 messages to one actor", 0, build(load.Senders(10, 100))},
		{"100,000 messages to one actor", 0, build(load.Senders(10, 10_000))},
	} {
		b.Run(c.name, func(b *testing.B) {
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true, Steps: 1 << 20})
			defer sys.Close()
			o := &coverage.Orders{Also: c.also}
			seed := uint64(0)
			run := func(add bool) time.Duration {
				start := time.Now()
				for range max(1, 20_000/max(1, sys.Steps())) {
					seed++
					sys.Reset(seed)
					c.build(sys)
					sys.Run()
					if add {
						o.Add(sys.Trace(), coverage.Run{Unguided: true})
					}
				}
				return time.Since(start)
			}
			sys.Reset(0)
			c.build(sys)
			sys.Run()
			for range 20 { // what is seen in most runs is known
				run(true)
			}
			var ratios []float64
			for b.Loop() {
				plain := run(false)
				ratios = append(ratios, float64(run(true))/float64(plain))
			}
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ratios[len(ratios)/2], "x-recorded")
		})
	}
}
