package guide_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/guide"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// BenchmarkGuidance prints what a recorded run takes with coverage and with what a
// guided search notes of it, as a ratio to what it takes without either. A search has
// its coverage, and a guided arm one of its own.
func BenchmarkGuidance(b *testing.B) {
	for _, c := range []struct {
		name  string
		build func(*pulse.System)
	}{
		{"writer", func(sys *pulse.System) { writer.Config{Actions: 4}.Build(sys) }},
		{"barber", func(sys *pulse.System) { barber.Config{Customers: 5}.Build(sys) }},
		{"ring of 1,000 steps", func(sys *pulse.System) { load.Ring(10, 10, 10).Build(sys) }},
	} {
		for _, more := range []string{"coverage", "guidance", "both"} {
			b.Run(c.name+", "+more, func(b *testing.B) {
				sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
				defer sys.Close()
				of, own, pool, seed := &coverage.Orders{}, &coverage.Orders{}, &guide.Pool{}, uint64(0)
				run := func(add bool) time.Duration {
					start := time.Now()
					for range max(1, 20_000/max(1, sys.Steps())) {
						seed++
						sys.Reset(seed)
						c.build(sys)
						sys.Run()
						if add && more != "guidance" {
							of.Add(sys.Trace(), coverage.Run{Unguided: true})
						}
						if add && more != "coverage" {
							own.Add(sys.Trace(), coverage.Run{})
							pool.See(sys.Trace())
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
}
