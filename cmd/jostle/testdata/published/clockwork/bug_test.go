package published

import (
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// BlockUntil returns when at least so many goroutines sleep.
func TestBlockUntil(t *testing.T) {
	clock := clockwork.NewFakeClock()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { clock.Sleep(time.Second) })
	}
	clock.BlockUntil(1)
	clock.BlockUntil(2)
	clock.Advance(time.Second)
	wg.Wait()
}
