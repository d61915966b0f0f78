package goroutine

import (
	"sync"
	"testing"
	"time"

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
// prints how many times as long a run takes as under Go's scheduler and, for the ring, as a
// run of pulse with as many messages.
func BenchmarkRun(b *testing.B) {
	if !Available() {
		b.Skip("go test -vet=off -overlay=$(jostle overlay) -bench Run ./pulse/goroutine runs it") // Skips: in ordinary builds
	}
	for _, p := range []struct {
		name string
		main func()
	}{{"ring", func() { passOn(5, 50) }}, {"mutex", func() { share(5, 5) }}} {
		for _, record := range []bool{false, true} {
			name := p.name
			if record {
				name += "-recorded"
			}
			b.Run(name, func(b *testing.B) {
				o := pulse.Options{Strategy: strategy.Random(), EarlyTimers: pulse.NeverEarly, Record: record}
				sys, actors := pulse.New(o), pulse.New(o)
				defer sys.Close()
				defer actors.Close()
				ring, seed := load.Ring(5, 1, 10), uint64(0)
				var times [3]time.Duration
				b.ReportAllocs()
				for b.Loop() {
					seed++
					start := time.Now()
					sys.Reset(seed)
					if !Run(sys, p.main) {
						b.Fatal(sys.Failure())
					}
					controlled := time.Now()
					p.main()
					plain := time.Now()
					actors.Reset(seed)
					ring.Build(actors)
					actors.Run()
					times[0] += controlled.Sub(start)
					times[1] += plain.Sub(controlled)
					times[2] += time.Since(plain)
				}
				b.ReportMetric(float64(b.N)/times[0].Seconds(), "runs/s")
				b.ReportMetric(float64(times[0])/float64(times[1]), "x-plain")
				b.ReportMetric(float64(times[0])/float64(times[2]), "x-pulse")
				b.ReportMetric(float64(sys.Steps()), "steps")
			})
		}
	}
}
