//go:build unix

package search_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/props"
)

// A costed is a search that a benchmark repeats with different seeds. It records the
// least processor time, because other work on the machine affects that least.
type costed struct {
	property  search.Property
	options   search.Options
	step, run float64 // the least processor time so far of a step and of a run, in nanoseconds
	bytes     uint64  // the bytes in use after the last search, with its result
}

// newCosted returns a search by one arm alone, or by the default portfolio.
func newCosted(b *testing.B, p search.Property, arm string, runs int) *costed {
	if testing.Short() {
		runs /= 50 // enough to show that the benchmark runs, but too few to measure
	}
	c := &costed{property: p, options: search.Options{Runs: runs}, step: math.Inf(1), run: math.Inf(1)}
	if arm != "portfolio" {
		var err error
		if c.options.Portfolio, err = search.Strategies(arm); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// search runs the search once.
func (c *costed) search(b *testing.B) {
	c.options.Seed++
	before := processorTime(b)
	res := search.Sample(context.Background(), c.property, c.options)
	spent := processorTime(b) - before
	if res.Finding != nil {
		b.Fatal(res.Finding.Failure)
	}
	c.step, c.run = min(c.step, spent/float64(res.Steps)), min(c.run, spent/float64(res.Runs))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.bytes = m.HeapAlloc
	runtime.KeepAlive(res)
}

// processorTime returns the processor time that this process has used, in nanoseconds.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLongRuns prints the processor time of a step in a search with runs of about
// 3,000 steps. It also prints the ratio to the time of a step in a search with runs of
// 33 steps. Both searches perform the same number of steps. Finally it prints the
// memory in use after the long search.
func BenchmarkLongRuns(b *testing.B) {
	asking := func(rounds int) search.Property {
		return search.Property{Name: "asking", Test: "asking", Func: func(t *props.T) { askRounds(t, rounds) }}
	}
	loaded := func(l load.Load) search.Property {
		return search.Property{Name: l.Name, Test: l.Name, Func: func(t *props.T) {
			sys := t.System()
			l.Build(sys)
			sys.Run()
		}}
	}
	const times = 91 // the approximate ratio of the lengths of long and short runs
	for _, p := range []struct {
		name        string
		short, long search.Property
	}{
		{"asking", asking(5), asking(503)},
		{"ring", loaded(load.Ring(11, 3, 1)), loaded(load.Ring(10, 10, 30))},
		{"senders", loaded(load.Senders(3, 11)), loaded(load.Senders(10, 300))},
	} {
		for _, arm := range []string{"random", "portfolio"} {
			for _, runs := range []int{1000, 3000} {
				b.Run(fmt.Sprintf("%s/%s/%d-runs", p.name, arm, runs), func(b *testing.B) {
					short, long := newCosted(b, p.short, arm, times*runs), newCosted(b, p.long, arm, runs)
					for b.Loop() {
						short.search(b)
						long.search(b)
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(long.step, "ns/step")
					b.ReportMetric(long.step/short.step, "x-short")
					b.ReportMetric(float64(long.bytes)/1e6, "MB-in-use")
				})
			}
		}
	}
}

// BenchmarkRunCost compares the processor time of a run with that of a run in random
// order, for the default portfolio and for each of its arms alone. It prints the
// geometric mean of the ratios over all mended subjects, and the largest ratio. It logs
// the other ratios.
func BenchmarkRunCost(b *testing.B) {
	for _, arm := range []string{"portfolio", "pos", "urw", "pct", "pctcp", "slow", "bita"} {
		b.Run(arm, func(b *testing.B) {
			var random, other []*costed
			for _, s := range subjects.All() {
				p := search.Property{Name: s.Name, Test: s.Name, Func: s.Property(true)}
				random, other = append(random, newCosted(b, p, "random", 10_000)), append(other, newCosted(b, p, arm, 10_000))
			}
			for b.Loop() {
				for i := range random {
					random[i].search(b)
					other[i].search(b)
				}
			}
			sum, worst := 0.0, 0
			for i, c := range other {
				if sum += math.Log(c.run / random[i].run); c.run/random[i].run > other[worst].run/random[worst].run {
					worst = i
				}
				b.Logf("%.2f %s %.0f %.0f", c.run/random[i].run, c.property.Name, c.run, random[i].run)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(math.Exp(sum/float64(len(other))), "x-random")
			b.ReportMetric(other[worst].run/random[worst].run, "x-random-of-"+other[worst].property.Name)
		})
	}
}
