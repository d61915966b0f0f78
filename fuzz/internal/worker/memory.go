package worker

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Memory returns the bytes that Go in this process has from the operating system.
func Memory() uint64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A collector makes garbage collections rarer while the live heap is small, because runs produce
// much garbage and keep little. With a large heap they are as usual. So a program that keeps more
// than half of its limit reaches the limit, instead of collecting garbage all the time below it.
type collector struct {
	percent int  // as GOGC
	others  bool // the environment or the program sets it
}

const (
	usualPercent = 100 // Go's
	mostPercent  = 400
	mostGarbage  = 128 << 20 // bytes, if that is more than usualPercent
)

func newCollector() *collector {
	return &collector{percent: usualPercent, others: os.Getenv("GOGC") != ""}
}

// percentFor returns the percentage for a live heap of kept bytes.
func percentFor(kept uint64) int {
	return int(min(max(mostGarbage*100/max(kept, 1), usualPercent), mostPercent))
}

// adapt sets the percentage, unless somebody else has.
func (c *collector) adapt(kept uint64) {
	next := percentFor(kept)
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

// watch adapts now, and after each garbage collection.
func (c *collector) watch() {
	c.adapt(metric("/gc/heap/live:bytes"))
	if !c.others { // what has no pointer could share its place with others, and live as long as they
		runtime.AddCleanup(&struct{ _ *collector }{}, (*collector).watch, c)
	}
}
