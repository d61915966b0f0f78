package published

import (
	"context"
	"sync"
	"testing"

	"golang.org/x/sync/semaphore"
)

// If the first waiter gives up, the second one gets what is free.
func TestFirstWaiterGivesUp(t *testing.T) {
	s := semaphore.NewWeighted(2)
	s.Acquire(context.Background(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if s.Acquire(ctx, 2) == nil {
			s.Release(2)
		}
	})
	wg.Go(func() {
		s.Acquire(context.Background(), 1)
		s.Release(1)
	})
	cancel()
	wg.Wait()
}
