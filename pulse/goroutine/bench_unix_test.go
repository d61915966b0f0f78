//go:build unix

package goroutine

import (
	"sync"
	"syscall"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// passOn passes a token around a ring of goroutines: messages sends, and as many receives.
func passOn(n, messages int) {
	list := make([]chan int, n)
	for i := range list {
		list[i] = make(chan int, 1)
	}
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			for range messages / n {
				list[(i+1)%n] <- 1 + <-list[i]
			}
		})
	}
	list[0] <- 0
	wg.Wait()
}

// share lets goroutines increment a counter, which a mutex protects, and send.
func share(n, times int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	count, results := 0, make(chan int, n*times)
	for range n {
		wg.Go(func() {
			for range times {
				mu.Lock()
				count++
				v := count
				mu.Unlock()
				results <- v
			}
		})
	}
	wg.Wait()
	close(results)
	for range results {
	}
}

// BenchmarkRun runs programs of about 100 operations under control, in random order. It
// prints the number of runs in a second of processor time. It also prints how many times
// as long a run takes as under Go's scheduler, and as a ring of 50 messages on pulse.
func BenchmarkRun(b *testing.B) {
	if !Available() {
		b.Skip("go test -vet=off -overlay=$(jostle overlay) -bench Run ./pulse/goroutine runs it") // Skips: in ordinary builds
	}
	tries := open().tries
	defer func(was bool) { *tries = was }(*tries)
	*tries = false // the tests of this package call TryLock, as few programs do
	for _, p := range []struct {
		name string
		main func()
	}{{"ring", func() { passOn(5, 50) }}, {"mutex", func() { share(5, 5) }}} {
		for _, record := range []bool{false, true} {
			name := p.name
			if record {
				name += "-recorded"
			}
			b.Run(name, func(b *testing.B) { benchmark(b, p.main, record) })
		}
	}
}

func benchmark(b *testing.B, main func(), record bool) {
	o := pulse.Options{Strategy: strategy.Random(), EarlyTimers: pulse.NeverEarly, Record: record}
	sys, actors := pulse.New(o), pulse.New(o)
	defer sys.Close()
	defer actors.Close()
	ring, seed, steps := load.Ring(5, 1, 10), uint64(0), 0
	const each = 100
	kinds := [3]func(){
		func() {
			sys.Reset(seed)
			if !Run(sys, main) {
				b.Fatal(sys.Failure())
			}
			steps += sys.Steps()
		},
		main,
		func() {
			actors.Reset(seed)
			ring.Build(actors)
			actors.Run()
		},
	}
	var times [len(kinds)]float64
	for b.Loop() {
		for k, run := range kinds {
			before := processorTime(b)
			for range each {
				seed++
				run()
			}
			times[k] += processorTime(b) - before
		}
	}
	runs := float64(b.N * each)
	b.ReportMetric(runs/times[0], "runs/s")
	b.ReportMetric(times[0]/times[1], "x-plain")
	b.ReportMetric(times[0]/times[2], "x-pulse")
	b.ReportMetric(float64(steps)/runs, "steps/run")
	b.ReportMetric(0, "ns/op")
}

// processorTime returns the processor time that this process has used, in seconds.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
