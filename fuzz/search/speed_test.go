package search_test

import (
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// BenchmarkSample prints what a run of each subject without its bug takes in a search
// with its usual portfolio, draws and all that is kept included, and the sum.
func BenchmarkSample(b *testing.B) {
	sum := 0.0
	for _, s := range subjects.Easy() {
		b.Run(s.Name, func(b *testing.B) {
			p, runs := search.Property{Name: s.Name, Test: s.Name, Func: s.Property(true)}, 2000
			best := time.Duration(1 << 62)
			for b.Loop() {
				start := time.Now()
				if res := search.Sample(b.Context(), p, search.Options{Runs: runs, Seed: 1}); res.Finding != nil {
					b.Fatal(res.Finding.Failure)
				}
				best = min(best, time.Since(start))
			}
			perRun := float64(best.Nanoseconds()) / 1000 / float64(runs)
			sum += perRun
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(perRun, "µs/run")
		})
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(sum, "µs-of-all")
}
