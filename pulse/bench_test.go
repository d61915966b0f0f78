package pulse_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// runner returns a function that resets a system, builds a load into it and runs it.
func runner(tb testing.TB, o pulse.Options, l load.Load) func() {
	sys := pulse.New(o)
	tb.Cleanup(sys.Close)
	seed := uint64(0)
	return func() {
		seed++
		sys.Reset(seed)
		check := l.Build(sys)
		sys.Run()
		if f := sys.Failure(); f != nil {
			panic(f)
		}
		if err := check(); err != nil {
			panic(err)
		}
	}
}

// BenchmarkStep measures one step in each kind of run for which the project has
// a goal for speed. The README's table has these rows and those of the coverage
// benchmark.
func BenchmarkStep(b *testing.B) {
	ring, random := load.Ring(10, 10, 10), func() pulse.Strategy { return strategy.Random() }
	rows := []struct {
		name string
		o    pulse.Options
		l    load.Load
	}{
		{"plain-order-one-message", pulse.Options{}, load.Ring(10, 1, 100)},
		{"fifo-random", pulse.Options{Strategy: random()}, ring},
		{"unordered-random", pulse.Options{Strategy: random(), Delivery: pulse.DeliveryUnordered}, ring},
		{"trace", pulse.Options{Strategy: random(), Record: true}, ring},
		{"trace-unordered", pulse.Options{Strategy: random(), Record: true, Delivery: pulse.DeliveryUnordered}, ring},
		{"process", pulse.Options{Strategy: random()}, load.Processes(10, 9, 11)},
		{"senders", pulse.Options{Strategy: random()}, load.Senders(10, 100)},
		{"all-to-all", pulse.Options{Strategy: random()}, load.AllToAll(10, 11)},
		{"isolation", pulse.Options{Strategy: random(), Isolation: true}, ring},
		{"isolation-1KB", pulse.Options{Strategy: random(), Isolation: true}, load.Load{Steps: 210, Build: func(sys *pulse.System) func() error {
			isolated(sys, 128)
			return func() error { return nil }
		}}},
	}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) { load.Against(b, r.l.Steps, runner(b, r.o, r.l)) })
	}
}

// BenchmarkSmallRun measures a whole recorded run, including Reset and spawning.
func BenchmarkSmallRun(b *testing.B) {
	for _, l := range []load.Load{load.Senders(8, 1), load.Pi(3), load.Pi(4)} {
		b.Run(fmt.Sprintf("%s-%d-steps", l.Name, l.Steps), func(b *testing.B) {
			run := runner(b, pulse.Options{Strategy: strategy.Random(), Record: true}, l)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// BenchmarkWorkers compares the time of two goroutines, each with its own system, with
// the time of one goroutine that does half of their work. It needs two processors.
func BenchmarkWorkers(b *testing.B) {
	o := func() pulse.Options { return pulse.Options{Strategy: strategy.Random(), Record: true} }
	one := runner(b, o(), load.Pi(4))
	two := runner(b, o(), load.Pi(4))
	const runs = 20_000
	var speedups []float64
	for b.Loop() {
		alone := load.Timed(1, func() { load.Timed(runs, one) })
		both := load.Timed(1, func() {
			var wg sync.WaitGroup
			wg.Go(func() { load.Timed(runs, one) })
			wg.Go(func() { load.Timed(runs, two) })
			wg.Wait()
		})
		speedups = append(speedups, 2*alone/both)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(load.Median(speedups), "x-one")
}
