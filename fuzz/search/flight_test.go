package search

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// BenchmarkRecorder compares searches of small runs with and without a recorder, in turns. The ratio of their medians
// should be 1.
func BenchmarkRecorder(b *testing.B) {
	p := Property{Name: "crowd", Test: "crowd", Func: func(t *props.T) {
		sys := t.System()
		trial.Crowd(sys, 7, func(string) {})
		sys.Run()
	}}
	recorder := flight.Folder(b.TempDir()).Record(flight.Record{Call: flight.Call{Verb: "Check"}, Workers: 1})
	defer recorder.End()
	if recorder == nil {
		b.Skip("nothing can be recorded here") // Skips: on operating systems without file locks
	}
	const runs = 1600
	var times [2][]time.Duration
	for range b.N {
		for i, r := range []*flight.Recorder{nil, recorder} {
			p.Recorder = r
			start := time.Now()
			if res := Sample(b.Context(), p, Options{Runs: runs, Seed: 1}); res.Steps != 14*runs {
				b.Fatalf("%d steps", res.Steps)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	b.ReportMetric(float64(times[1][b.N/2])/float64(times[0][b.N/2]), "ratio")
	b.ReportMetric(float64(times[0][b.N/2].Nanoseconds())/runs, "ns/run")
	b.ReportMetric(0, "ns/op")
}
