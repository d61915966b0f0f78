package published

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/panjf2000/ants/v2"
)

// A pool of one worker runs one task at a time.
func TestCapacity(t *testing.T) {
	p, err := ants.NewPool(1, ants.WithDisablePurge(true))
	if err != nil {
		t.Fatal(err)
	}
	var running, most atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			done := make(chan bool)
			if p.Submit(func() {
				if n := running.Add(1); n > 1 {
					most.Store(n)
				}
				running.Add(-1)
				close(done)
			}) == nil {
				<-done
			}
		})
	}
	wg.Wait()
	if most.Load() > 1 {
		t.Errorf("%d tasks at once", most.Load())
	}
}
