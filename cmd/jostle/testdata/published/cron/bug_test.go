package published

import (
	"sync"
	"testing"

	"github.com/robfig/cron/v3"
)

// Entries returns all entries to each of several callers.
func TestConcurrentEntries(t *testing.T) {
	c := cron.New()
	c.AddFunc("@every 1h", func() {})
	c.Start()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if n := len(c.Entries()); n != 1 {
				t.Errorf("%d entries", n)
			}
		})
	}
	wg.Wait()
	c.Stop()
}
