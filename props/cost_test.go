package props_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// relay passes numbers on until they are zero.
type relay struct{ next pulse.Ref }

func (r *relay) Receive(ctx *pulse.Ctx, msg any) {
	if n := msg.(int); n > 0 {
		ctx.Send(r.next, n-1)
	}
}

// relays builds a small program of two times n steps.
func relays(sys *pulse.System, n int) {
	a, b := &relay{}, &relay{}
	a.next, b.next = sys.Spawn("b", b), sys.Spawn("a", a)
	sys.Send(a.next, n-1)
	sys.Send(b.next, n-1)
}

// direct runs the program a number of times, without props.
func direct(n, times int) time.Duration {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	start := time.Now()
	for seed := range uint64(times) {
		sys.Reset(seed)
		relays(sys, n)
		sys.Run()
	}
	return time.Since(start)
}

func asProperty(property func(*props.T), times int) time.Duration {
	r := props.NewRunner("property", property)
	defer r.Close()
	s := strategy.Random()
	start := time.Now()
	for seed := range uint64(times) {
		if res := r.Run(props.Plan{Strategy: s, StrategySeed: seed, Seed: seed}); res.Failure != nil {
			panic(res.Failure)
		}
	}
	return time.Since(start)
}

// fastest measures several functions in turns and returns the shortest time of each:
// disturbances only add to a measurement.
func fastest(measure ...func() time.Duration) []time.Duration {
	best := make([]time.Duration, len(measure))
	for turn := range 30 {
		for i, m := range measure {
			if d := m(); turn == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	return best
}

// costs returns the time of a property of 2n steps, divided by the time of the same run without props.
func costs(n, times int) (ratio float64, run time.Duration) {
	best := fastest(
		func() time.Duration { return direct(n, times) },
		func() time.Duration {
			return asProperty(func(t *props.T) {
				sys := t.System()
				relays(sys, n)
				sys.Run()
			}, times)
		})
	return float64(best[1]) / float64(best[0]), best[0] / time.Duration(times)
}

// costsOfDraw returns the time of one more draw of an int.
func costsOfDraw(times int) time.Duration {
	const draws = 100
	gen := rapid.IntRange(0, 1000)
	drawing := func(n int) func() time.Duration {
		return func() time.Duration {
			return asProperty(func(t *props.T) {
				sys := t.System()
				for range n {
					props.Draw(t, gen, "n")
				}
				sys.Run()
			}, times)
		}
	}
	best := fastest(drawing(draws), drawing(0))
	return (best[0] - best[1]) / time.Duration(times) / draws
}

// BenchmarkProperty prints the time of a property, divided by the time of
// the same run without one.
func BenchmarkProperty(b *testing.B) {
	for _, n := range []int{7, 50} {
		b.Run(fmt.Sprintf("steps=%d", 2*n), func(b *testing.B) {
			ratio, run := costs(n, max(b.N/30, 100))
			b.ReportMetric(ratio, "x-direct")
			b.ReportMetric(float64(run), "direct-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkDraw prints the time of one more draw.
func BenchmarkDraw(b *testing.B) {
	b.ReportMetric(float64(costsOfDraw(max(b.N/3000, 10))), "ns/draw")
	b.ReportMetric(0, "ns/op")
}
