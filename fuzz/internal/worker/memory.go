package worker

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Memory returns how many bytes this process has from the operating system for Go.
func Memory() uint64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A collector has garbage collected more rarely than usual where little is kept, since runs
// leave much garbage and keep little. Where much is kept it is as usual: so a program that
// keeps more than half of what it may have comes to its bound, and does not spend its time
// below it collecting what there is no room for.
type collector struct {
	percent int  // how much garbage there may be, in percent of what is kept
	others  bool // somebody else says how much: the environment, or the program
}

const (
	usualPercent = 100 // Go's
	mostPercent  = 400
	mostGarbage  = 128 << 20 // bytes, while that is more than usual
)

func newCollector() *collector {
	return &collector{percent: usualPercent, others: os.Getenv("GOGC") != ""}
}

// percentFor returns how much garbage there may be beside so many bytes that are kept.
func percentFor(kept uint64) int {
	return int(min(max(mostGarbage*100/max(kept, 1), usualPercent), mostPercent))
}

// adapt sets how much garbage there may be, unless somebody else has.
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

// watch adapts now, and whenever garbage was collected.
func (c *collector) watch() {
	c.adapt(metric("/gc/heap/live:bytes"))
	if !c.others { // what has no pointer could share its place with others, and live as long as they
		runtime.AddCleanup(&struct{ _ *collector }{}, (*collector).watch, c)
	}
}
