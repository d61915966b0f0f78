package published

import (
	"sync"
	"testing"

	"github.com/alitto/pond/v2"
)

// Every task gets a place in the queue at last.
func TestFullQueue(t *testing.T) {
	pool := pond.NewPool(1, pond.WithQueueSize(1))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { pool.Submit(func() {}) })
	}
	wg.Wait()
	pool.StopAndWait()
}
