package pulse_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// The benchmarks report how many times as long a step takes as on the floor:
// the least that a message loop can be, running the same ring of actors. Floor
// and system are timed in turns within one benchmark, so that what else the
// machine does strikes both; the figure is the median of the rounds. One
// iteration is one round.

// floor is a ring of envelopes, allocated before, whose head is handed to its
// handler through an interface. Nothing is chosen, checked or recorded.
type floor struct {
	ring   []envelope
	head   int
	len    int
	actors []floorActor
}

type envelope struct {
	to   int32
	body any
}

type floorActor interface{ Receive(f *floor, msg any) }

func (f *floor) send(to int32, msg any) {
	i := f.head + f.len
	if i >= len(f.ring) {
		i -= len(f.ring)
	}
	f.ring[i] = envelope{to, msg}
	f.len++
}

func (f *floor) run() {
	for f.len > 0 {
		e := f.ring[f.head]
		if f.head++; f.head == len(f.ring) {
			f.head = 0
		}
		f.len--
		f.actors[e.to].Receive(f, e.body)
	}
}

// floorNode is load's node of a ring, on the floor.
type floorNode struct {
	next     int32
	messages []any
	received int
}

type floorHop int

func (n *floorNode) Receive(f *floor, msg any) {
	n.received++
	if h := msg.(floorHop); h > 0 {
		f.send(n.next, n.messages[h-1])
	}
}

// newFloor returns a function that runs load.Ring(10, 10, 10) on the floor.
func newFloor() (run func()) {
	messages := make([]any, 100)
	for i := range messages {
		messages[i] = floorHop(i)
	}
	f := &floor{ring: make([]envelope, 64)}
	for i := range int32(10) {
		f.actors = append(f.actors, &floorNode{next: (i + 1) % 10, messages: messages})
	}
	return func() {
		for i := range int32(10) {
			f.send(i, messages[99])
		}
		f.run()
	}
}

const (
	floorSteps = 1000   // of one run of newFloor
	roundSteps = 50_000 // of each side in a round
)

// against times rounds of run, which takes so many steps, in turns with the
// floor, and reports both the median time of a step and the median ratio.
func against(b *testing.B, steps int, run func()) {
	ground := newFloor()
	run()
	ground()
	var ratios, nanos []float64
	for b.Loop() {
		base := timed(roundSteps/floorSteps, ground) / floorSteps
		took := timed(max(1, roundSteps/steps), run) / float64(steps)
		ratios = append(ratios, took/base)
		nanos = append(nanos, took)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(nanos), "ns/step")
	b.ReportMetric(median(ratios), "x-floor")
}

// timed returns how many nanoseconds one call of f takes among so many.
func timed(times int, f func()) float64 {
	start := time.Now()
	for range times {
		f()
	}
	return float64(time.Since(start)) / float64(times)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// runner returns a function that resets a system, builds a load into it and runs it.
// Then it calls after.
func runner(tb testing.TB, o pulse.Options, l load.Load, after func(*pulse.System)) func() {
	sys := pulse.New(o)
	tb.Cleanup(sys.Close)
	seed := uint64(0)
	return func() {
		seed++
		sys.Reset(seed)
		check := l.Build(sys)
		sys.Run()
		after(sys)
		if f := sys.Failure(); f != nil {
			panic(f)
		}
		if err := check(); err != nil {
			panic(err)
		}
	}
}

func nothing(*pulse.System) {}

// BenchmarkStep has a row for each target of a run; the README's table is its output.
func BenchmarkStep(b *testing.B) {
	ring, random := load.Ring(10, 10, 10), func() pulse.Strategy { return strategy.Random() }
	pr := &coverage.Orders{}
	add := func(o *coverage.Orders) func(*pulse.System) {
		return func(sys *pulse.System) { o.Add(sys.Trace(), coverage.Run{Unguided: true}) }
	}
	rows := []struct {
		name  string
		o     pulse.Options
		l     load.Load
		after func(*pulse.System)
	}{
		{"plain-order-one-message", pulse.Options{}, load.Ring(10, 1, 100), nothing},
		{"fifo-random", pulse.Options{Strategy: random()}, ring, nothing},
		{"unordered-random", pulse.Options{Strategy: random(), Delivery: pulse.DeliveryUnordered}, ring, nothing},
		{"trace", pulse.Options{Strategy: random(), Record: true}, ring, nothing},
		{"trace-unordered", pulse.Options{Strategy: random(), Record: true, Delivery: pulse.DeliveryUnordered}, ring, nothing},
		{"trace-pr", pulse.Options{Strategy: random(), Record: true}, ring, add(pr)},
		{"process", pulse.Options{Strategy: random()}, load.Processes(10, 9, 11), nothing},
		{"senders", pulse.Options{Strategy: random()}, load.Senders(10, 100), nothing},
		{"all-to-all", pulse.Options{Strategy: random()}, load.AllToAll(10, 11), nothing},
		{"isolation", pulse.Options{Strategy: random(), Isolation: true}, ring, nothing},
		{"isolation-1KB", pulse.Options{Strategy: random(), Isolation: true}, load.Load{Steps: 210, Build: func(sys *pulse.System) func() error {
			isolated(sys, 128)
			return func() error { return nil }
		}}, nothing},
	}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) { against(b, r.l.Steps, runner(b, r.o, r.l, r.after)) })
	}
}

// BenchmarkSmallRun times whole runs, with reset and spawning, recorded.
func BenchmarkSmallRun(b *testing.B) {
	for _, l := range []load.Load{load.Senders(8, 1), load.Pi(3), load.Pi(4)} {
		b.Run(fmt.Sprintf("%s-%d-steps", l.Name, l.Steps), func(b *testing.B) {
			run := runner(b, pulse.Options{Strategy: strategy.Random(), Record: true}, l, nothing)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// BenchmarkWorkers compares two goroutines, each with a system of its own,
// with one that does as much as each of them. It takes two processors.
func BenchmarkWorkers(b *testing.B) {
	o := func() pulse.Options { return pulse.Options{Strategy: strategy.Random(), Record: true} }
	one := runner(b, o(), load.Pi(4), nothing)
	two := runner(b, o(), load.Pi(4), nothing)
	const runs = 20_000
	var speedups []float64
	for b.Loop() {
		alone := timed(1, func() { timed(runs, one) })
		both := timed(1, func() {
			var wg sync.WaitGroup
			wg.Go(func() { timed(runs, one) })
			wg.Go(func() { timed(runs, two) })
			wg.Wait()
		})
		speedups = append(speedups, 2*alone/both)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(speedups), "x-one")
}
