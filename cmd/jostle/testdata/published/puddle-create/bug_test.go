package published

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/puddle"
)

// TestCreateDuringClose calls a method of a pool after a resource was created while the pool
// closed. The call must return.
func TestCreateDuringClose(t *testing.T) {
	pool := puddle.NewPool(func(context.Context) (interface{}, error) { return 1, nil }, func(interface{}) {}, 2)
	var wg sync.WaitGroup
	wg.Go(func() { pool.CreateResource(context.Background()) })
	pool.Close()
	wg.Wait()
	pool.Stat()
}
