package search_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// BenchmarkSample prints the time of a run of each subject without its bug, and the sum. The runs are those of a search
// with the usual portfolio, including draws and all records.
func BenchmarkSample(b *testing.B) {
	sum := 0.0
	for _, s := range subjects.Easy() {
		b.Run(s.Name, func(b *testing.B) {
			sum += perRun(b, search.Property{Name: s.Name, Test: s.Name, Func: s.Property(true)}, search.Options{Runs: 2000, Seed: 1})
		})
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(sum, "µs-of-all")
}

// BenchmarkSampleBySteps prints the time of a run in a search by random order alone. Three clients ask a server n
// questions each, one after another.
func BenchmarkSampleBySteps(b *testing.B) {
	arms, err := search.Strategies("random")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ steps, rounds, runs int }{{33, 5, 10_000}, {309, 51, 4000}, {3021, 503, 2000}} {
		b.Run(fmt.Sprint(c.steps), func(b *testing.B) {
			p := search.Property{Name: "asking", Test: "asking", Func: func(t *props.T) {
				if sys := askRounds(t, c.rounds); sys.Steps() != c.steps {
					t.Errorf("%d steps", sys.Steps())
				}
			}}
			perRun(b, p, search.Options{Runs: c.runs, Seed: 1, Portfolio: arms})
		})
	}
}

// askRounds runs three clients that ask a server.
func askRounds(t *props.T, rounds int) *pulse.System {
	type question struct{ from pulse.Ref }
	type answer struct{ n int }
	sys, answered := t.System(), 0
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		answered++
		ctx.Send(msg.(question).from, answer{answered})
	}))
	for range 3 {
		left := rounds
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			if left--; left >= 0 {
				ctx.Send(server, question{ctx.Self()})
			}
		}))
		sys.Send(client, answer{})
	}
	sys.Run()
	return sys
}

// perRun reports the time of a run in µs.
func perRun(b *testing.B, p search.Property, o search.Options) float64 {
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		if res := search.Sample(b.Context(), p, o); res.Finding != nil {
			b.Fatal(res.Finding.Failure)
		}
		best = min(best, time.Since(start))
	}
	each := float64(best.Nanoseconds()) / 1000 / float64(o.Runs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(each, "µs/run")
	return each
}
