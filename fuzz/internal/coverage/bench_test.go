package coverage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotecount"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// noted returns a function that adds a recorded run to an Orders. With guided it also updates
// the separate coverage and the pool of the strategy guided, which restart with each batch.
func noted(guided bool) func(*trace.Trace) {
	of, own, pool, runs := &coverage.Orders{}, &coverage.Orders{}, &guide.Pool{}, 0
	return func(t *trace.Trace) {
		of.Add(t, coverage.Run{Unguided: !guided})
		if !guided {
			return
		}
		if runs++; runs%1024 == 1 { // the next batch
			own, pool = &coverage.Orders{Unjudged: true}, &guide.Pool{}
		}
		if fresh := own.Add(t, coverage.Run{}); pool.See(t) || fresh > 0 {
			pool.Keep(t, guide.Move{})
		}
	}
}

// BenchmarkNotedStep measures a step of a recorded run with coverage, as a multiple of the
// floor (see package load). A benchmark of package pulse does the same without coverage.
func BenchmarkNotedStep(b *testing.B) {
	ring, add, seed := load.Ring(10, 10, 10), noted(false), uint64(0)
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	load.Against(b, ring.Steps, func() {
		seed++
		sys.Reset(seed)
		check := ring.Build(sys)
		sys.Run()
		add(sys.Trace())
		if err := check(); err != nil || sys.Failure() != nil {
			b.Fatal(err, sys.Failure())
		}
	})
}

// BenchmarkLongRuns measures runs that show little or nothing new. It
// prints the time for each step, by number of steps, and the memory used.
func BenchmarkLongRuns(b *testing.B) {
	for _, l := range []load.Load{load.Ring(10, 10, 10), load.Ring(10, 10, 100), load.Ring(10, 10, 400), load.Ring(10, 10, 1000), load.Senders(10, 1000)} {
		b.Run(l.Name, func(b *testing.B) {
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true, Steps: 1 << 20, Pending: 1 << 20})
			defer sys.Close()
			o, seed := &coverage.Orders{}, uint64(0)
			add := func() float64 {
				seed++
				sys.Reset(seed)
				l.Build(sys)
				sys.Run()
				t, start := sys.Trace(), time.Now()
				o.Add(t, coverage.Run{Unguided: true})
				return float64(time.Since(start)) / float64(l.Steps)
			}
			for range 10 {
				add()
			}
			var took []float64
			for b.Loop() {
				took = append(took, add())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(slices.Min(took), "ns-a-step")
			b.ReportMetric(float64(o.Memory())/1e6, "MB")
			b.ReportMetric(float64(o.Folded()), "folded")
		})
	}
}

// BenchmarkAdd prints how many times as long a recorded run takes if its receive pairs are counted.
// In the cases called guided, the run is also added to what the strategy guided learns.
func BenchmarkAdd(b *testing.B) {
	small := func(sys *pulse.System) { writer.Config{Actions: 4}.Build(sys) }
	middle := func(sys *pulse.System) { barber.Config{Customers: 5}.Build(sys) }
	build := func(l load.Load) func(*pulse.System) { return func(sys *pulse.System) { l.Build(sys) } }
	for _, c := range []struct {
		name   string
		guided bool
		build  func(*pulse.System)
	}{
		{"writer", false, small},
		{"writer, guided", true, small},
		{"barber", false, middle},
		{"barber, guided", true, middle},
		{"raft, guided", true, func(sys *pulse.System) { raftvotecount.Config{}.Build(sys) }},
		{"ring of 1,000 steps", false, build(load.Ring(10, 10, 10))},
		{"ring of 1,000 steps, guided", true, build(load.Ring(10, 10, 10))},
		{"1,000 messages to one actor", false, build(load.Senders(10, 100))},
		{"100,000 messages to one actor", false, build(load.Senders(10, 10_000))},
	} {
		b.Run(c.name, func(b *testing.B) {
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true, Steps: 1 << 20})
			defer sys.Close()
			add, seed := noted(c.guided), uint64(0)
			run := func(note bool) time.Duration {
				start := time.Now()
				for range max(1, 20_000/max(1, sys.Steps())) {
					seed++
					sys.Reset(seed)
					c.build(sys)
					sys.Run()
					if note {
						add(sys.Trace())
					}
				}
				return time.Since(start)
			}
			sys.Reset(0)
			c.build(sys)
			sys.Run()
			for range 20 { // most orders are already covered after these runs
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
