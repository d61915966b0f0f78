package explore

import (
	"sync/atomic"
	"time"
)

// limits decides after each run whether the search continues.
type limits struct {
	clock clock
	runs  int           // the maximum number of runs; 0 for no limit
	time  time.Duration // the maximum total time; 0 for no limit
	late  *atomic.Bool  // see Options
	began time.Time
	stop  <-chan struct{}
	// isVain reports whether nobody needs the rest of the search; nil for never.
	isVain func() bool
	// untilPause is how many runs remain until the search pauses, 0 for never;
	// paused reports whether it has.
	untilPause int
	paused     bool
	// nowAndThen is called after each clock read; nil for nothing.
	nowAndThen func()
}

// end reports whether the search must end before the tree is done, and which
// bound it has reached, after the given number of runs.
func (l *limits) end(made int) (bound Bound, over bool) {
	if l.runs > 0 && made >= l.runs {
		return BoundRuns, true
	}
	if l.isVain != nil && l.isVain() {
		return NoBound, true
	}
	if bound, over = l.endOfTime(); over {
		return bound, true
	}
	if l.untilPause > 0 {
		l.untilPause--
		l.paused = l.untilPause == 0
	}
	return NoBound, l.paused
}

// pause makes the search pause after the given number of further runs; 0 for never.
func (l *limits) pause(runs int) { l.untilPause, l.paused = runs, false }

// endOfTime is the part of end for time. It reads the clock if that is due.
func (l *limits) endOfTime() (bound Bound, over bool) {
	if l.late != nil && l.late.Load() {
		return BoundTime, true
	}
	if !l.clock.tick() {
		return NoBound, false
	}
	if l.nowAndThen != nil {
		l.nowAndThen()
	}
	if l.time > 0 && l.clock.last.Sub(l.began) >= l.time {
		return BoundTime, true
	}
	select {
	case <-l.stop:
		return BoundStop, true
	default:
		return NoBound, false
	}
}

// A clock reads the time as rarely as possible: a read takes a good part of a small
// run's time.
type clock struct {
	wait  int // runs until the next read
	every int // runs between two reads
	last  time.Time
}

// lookEvery is the target interval between two clock reads.
const lookEvery = 20 * time.Millisecond

// tick reports whether the clock has read the time after this run.
func (c *clock) tick() bool {
	if c.wait--; c.wait > 0 {
		return false
	}
	now := time.Now()
	switch took := now.Sub(c.last); {
	case took < lookEvery/4:
		c.every = min(2*c.every+1, 1<<16)
	case took > lookEvery:
		c.every /= 2
	}
	c.wait, c.last = c.every, now
	return true
}
