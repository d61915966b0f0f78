package published

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/puddle"
)

// An Acquire may be canceled while the resource becomes free.
func TestCancelDuringRelease(t *testing.T) {
	pool := puddle.NewPool(func(context.Context) (interface{}, error) { return 1, nil }, func(interface{}) {}, 1)
	held, _ := pool.Acquire(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if res, err := pool.Acquire(ctx); err == nil {
			res.Release()
		}
	})
	wg.Go(held.Release)
	cancel()
	wg.Wait()
	pool.Close()
}
