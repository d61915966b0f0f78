package published

import (
	"sync"
	"testing"
	"time"

	"github.com/eapache/go-resiliency/batcher"
)

// Run returns, also during Shutdown.
func TestRunDuringShutdown(t *testing.T) {
	b := batcher.New(time.Millisecond, func([]interface{}) error { return nil })
	var wg sync.WaitGroup
	wg.Go(func() { b.Run(1) })
	b.Shutdown(true)
	wg.Wait()
}
