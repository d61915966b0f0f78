package load

import (
	"slices"
	"time"
)

// Benchmarks report the time of a step as a multiple of the floor. The floor is the
// cheapest possible message loop, which runs the same ring of actors. A benchmark
// times the floor and the system in turns, so that disturbances affect both. The
// reported ratio is the median of all rounds. One iteration of a benchmark is one
// round.

// floor is the cheapest message loop: it passes the first of a ring of preallocated
// envelopes to its receiver through an interface.
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

// floorNode is an actor of Ring for the floor, which is the cheapest message loop.
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

// newFloor returns a function that runs Ring(10, 10, 10) on the floor, the cheapest message loop.
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
	floorSteps = 1000   // the number of steps of one run of the floor
	roundSteps = 50_000 // in each round, the number of steps of the floor, and the number of steps of the measured function
)

// A Benchmark has the methods of *testing.B that Against needs.
type Benchmark interface {
	Loop() bool
	ReportMetric(value float64, unit string)
}

// Against times the function run and the floor (the cheapest message loop) in turns. It reports the
// median time of a step of run and the median ratio. One call to run takes the given number of steps.
func Against(b Benchmark, steps int, run func()) {
	ground := newFloor()
	run()
	ground()
	var ratios, nanos []float64
	for b.Loop() {
		base := Timed(roundSteps/floorSteps, ground) / floorSteps
		took := Timed(max(1, roundSteps/steps), run) / float64(steps)
		ratios = append(ratios, took/base)
		nanos = append(nanos, took)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(Median(nanos), "ns/step")
	b.ReportMetric(Median(ratios), "x-floor")
}

// Timed calls f a number of times and returns the average time of a call in nanoseconds.
func Timed(times int, f func()) float64 {
	start := time.Now()
	for range times {
		f()
	}
	return float64(time.Since(start)) / float64(times)
}

// Median returns the median of a list, which it sorts.
func Median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
