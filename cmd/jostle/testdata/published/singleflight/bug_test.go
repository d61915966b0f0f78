package published

import (
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/singleflight"
)

// A call that starts after another one has returned does not share its result.
func TestNewCallNewResult(t *testing.T) {
	var group singleflight.Group
	var calls atomic.Int32
	do := func() any {
		v, _, _ := group.Do("key", func() (interface{}, error) { return calls.Add(1), nil })
		return v
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if first, second := do(), do(); first == second {
				t.Errorf("both calls return %v", first)
			}
		})
	}
	wg.Wait()
}
