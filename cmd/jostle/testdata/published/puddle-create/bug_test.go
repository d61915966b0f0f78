package published

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/puddle"
)

// The pool can be used after a resource was created while it closed.
func TestCreateDuringClose(t *testing.T) {
	pool := puddle.NewPool(func(context.Context) (interface{}, error) { return 1, nil }, func(interface{}) {}, 2)
	var wg sync.WaitGroup
	wg.Go(func() { pool.CreateResource(context.Background()) })
	pool.Close()
	wg.Wait()
	pool.Stat()
}
