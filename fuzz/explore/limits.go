package explore

import (
	"sync/atomic"
	"time"
)

// limits decides after each run whether the search goes on.
type limits struct {
	clock clock
	runs  int           // how many may be made in all; 0 for any number
	time  time.Duration // how long it may take in all; 0 for any time
	late  *atomic.Bool  // see Options
	began time.Time
	stop  <-chan struct{}
	// isVain reports that nobody wants to know any more what the search comes
	// to; nil for never.
	isVain func() bool
	// untilPause is how many runs there are until the search pauses, 0 for never;
	// paused reports that it has.
	untilPause int
	paused     bool
	// nowAndThen is called when the clock has looked at the time; nil for
	// nothing.
	nowAndThen func()
}

// end reports whether the search must end before the tree is done, and which
// bound it has hit, given how many runs it has made.
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

// pause has the search pause after so many runs more; 0 for never.
func (l *limits) pause(runs int) { l.untilPause, l.paused = runs, false }

// endOfTime is the part of end that is about time. It looks at the clock if it must.
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

// A clock looks at the time only as often as it must: to do so takes a good
// part of a small run.
type clock struct {
	wait  int // runs until it looks again
	every int // runs between two looks
	last  time.Time
}

// lookEvery is about how much time passes between two looks.
const lookEvery = 20 * time.Millisecond

// tick reports whether the clock has looked at the time after this run.
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
