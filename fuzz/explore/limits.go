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
	late  *atomic.Bool  // Options.late
	began time.Time
	stop  <-chan struct{}
	// isVain reports whether the rest of the search can no longer affect the result;
	// nil for never.
	isVain func() bool
	// untilPause is the number of runs until the search pauses, 0 for never.
	untilPause int
	paused     bool // set if the search has paused
	// nowAndThen is called after each clock read; may be nil.
	nowAndThen func()
	picks      uint // the number of picks; one in picksPerLook checks whether the search must stop
}

// picksPerLook is the number of picks between two checks whether the search must stop
// within a run.
const picksPerLook = 256

// endsRun reports whether Time or Stop ends the search within a run. Then the next call to
// end says so too.
func (l *limits) endsRun() bool {
	if l.picks++; l.picks%picksPerLook != 0 {
		return false
	}
	_, over := l.stopped()
	return over
}

// stopped reports whether the alarm for Time has gone off or Stop is closed, and returns
// that bound.
func (l *limits) stopped() (bound Bound, over bool) {
	if l.late != nil && l.late.Load() {
		return BoundTime, true
	}
	select {
	case <-l.stop:
		return BoundStop, true
	default:
		return NoBound, false
	}
}

// end reports whether the search must stop after `made` runs although the tree is not
// done. It returns the bound that was reached, or NoBound if the search only pauses or
// isVain reports true.
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

// endOfTime reports whether Time or Stop ends the search, and returns that bound. It
// reads the clock only at intervals, but checks Stop after each run.
func (l *limits) endOfTime() (bound Bound, over bool) {
	if bound, over = l.stopped(); over {
		return bound, true
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
	return NoBound, false
}

// A clock reads the time only once in many runs, because one read takes a considerable
// part of the time of a small run.
type clock struct {
	wait  int // the number of runs until the clock is read next
	every int // the number of runs between two clock reads
	last  time.Time
}

// lookEvery is the target interval between two clock reads.
const lookEvery = 20 * time.Millisecond

// tick is called after each run, and reports whether it has read the time.
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
