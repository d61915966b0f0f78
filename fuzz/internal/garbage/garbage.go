// Package garbage has Go collect garbage less often while a search runs, and measures the
// memory of the process.
package garbage

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Memory returns the number of bytes that the Go runtime of this process has from the operating
// system.
func Memory() uint64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A collector raises GOGC while the live heap is small, because runs produce much garbage and keep
// little memory. With a large heap GOGC has its default. Therefore a program whose live heap grows
// reaches the memory limit, and does not collect garbage all the time just below it.
type collector struct {
	mu      sync.Mutex // needed because the runtime calls watch on a separate goroutine
	percent int        // the current value of GOGC
	others  bool       // set if the environment or the program sets GOGC or GOMEMLIMIT, or after stop
}

const (
	usualPercent = 100       // the default of GOGC
	mostPercent  = 400       // the largest value of GOGC
	mostGarbage  = 128 << 20 // the desired amount of garbage before a collection, in bytes, as far as the above limits allow
)

// shared is the collector of all searches of this process that run at the same time.
var shared struct {
	sync.Mutex
	searches int
	*collector
}

// Watch sets GOGC for the live heap now and after each garbage collection, until stop is called.
// Several searches may watch at the same time. When the last one stops, GOGC has its default again.
// Watch does nothing if the environment or the program has set GOGC or GOMEMLIMIT.
func Watch() (stop func()) {
	shared.Lock()
	defer shared.Unlock()
	if shared.searches++; shared.searches == 1 {
		shared.collector = newCollector()
		shared.watch()
	}
	return sync.OnceFunc(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.searches--; shared.searches == 0 {
			shared.stop()
		}
	})
}

func newCollector() *collector {
	return &collector{percent: usualPercent, others: isLimited() || os.Getenv("GOGC") != ""}
}

// isLimited reports whether the environment or the program has set GOMEMLIMIT.
func isLimited() bool { return debug.SetMemoryLimit(-1) != math.MaxInt64 }

// percentFor returns the value of GOGC for a live heap of the given size in bytes.
func percentFor(kept uint64) int {
	return int(min(max(mostGarbage*100/max(kept, 1), usualPercent), mostPercent))
}

// adapt sets GOGC for a live heap of the given size. It reports whether it should be called again.
func (c *collector) adapt(kept uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isLimited() { // the program has set GOMEMLIMIT since the search began
		c.end()
	}
	c.set(percentFor(kept))
	return !c.others
}

// set sets GOGC, unless somebody else has set it.
func (c *collector) set(next int) {
	if c.others || next == c.percent {
		return
	}
	if before := debug.SetGCPercent(next); before != c.percent {
		debug.SetGCPercent(before)
		c.others = true
		return
	}
	c.percent = next
}

// watch calls adapt now and after each garbage collection.
func (c *collector) watch() {
	if c.adapt(metric("/gc/heap/live:bytes")) { // allocate a struct with a pointer, because Go may never free a tiny object without pointers
		runtime.AddCleanup(&struct{ _ *collector }{}, (*collector).watch, c)
	}
}

func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}

// end gives GOGC its default, unless somebody else has set it, and leaves it alone from then on.
func (c *collector) end() {
	c.set(usualPercent)
	c.others = true
}
