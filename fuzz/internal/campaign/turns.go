package campaign

import (
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// turn is the length of a turn, unless the time is short (see turnTime). After that time a chunk
// begins no further batch, and its remaining batches wait for its next turn.
const turn = 2 * time.Second

// handOut starts or resumes jobs while fewer than Workers jobs are busy. Idle and paused jobs do
// not count as busy. While they wait, jobs of properties without an overdue job get their turns.
func (c *campaign) handOut() {
	for c.busy() < c.Workers {
		lane := c.next(len(c.flying) >= c.Workers)
		switch j := c.pausedOf(lane, len(c.flying) == len(c.hands)); {
		case j != nil:
			c.resume(j)
		case lane < 0 || len(c.flying) == len(c.hands):
			return
		default:
			j := c.take(lane)
			c.flying = append(c.flying, j)
			j.hand = c.handFor(j.target)
			j.hand.busy = true
			j.hand.jobs <- j
		}
	}
}

// busy returns the number of jobs that are neither idle nor paused.
func (c *campaign) busy() (n int) {
	for _, j := range c.flying {
		if !j.idle.Load() && !j.paused {
			n++
		}
	}
	return n
}

// pausedOf returns a paused job of the lane, nil if there is none or the lane has urgent jobs. If
// the parameter any is set, it returns a paused job of any lane.
func (c *campaign) pausedOf(lane int, any bool) *job {
	for _, j := range c.flying {
		if j.paused && (any || j.lane == lane && len(j.target.waiting) == 0) {
			return j
		}
	}
	return nil
}

// pause makes job j, a chunk of the search, wait before its next run, so that other jobs get turns.
func (c *campaign) pause(j *job) {
	p := j.hand.doing.Load()
	if p == nil {
		return // no process runs a chunk of the job now
	}
	p.Pause()
	c.account(j)
	j.paused, j.turned = true, time.Now()
	c.lanes.list[j.lane].paused++
}

// account charges the lane of job j with the cost of the job so far, in place of the expected cost.
func (c *campaign) account(j *job) {
	cost := j.cost().Seconds()
	c.lanes.charge(j.lane, cost-j.charged)
	j.charged = cost
}

// resume continues a paused job. It charges the lane of the job with a turn in advance. Otherwise
// the lane would still have used the least time, and would begin another job at once.
func (c *campaign) resume(j *job) {
	if p := j.hand.doing.Load(); p != nil {
		p.Resume()
	}
	j.off += time.Since(j.turned)
	j.paused, j.turned = false, time.Now()
	c.lanes.list[j.lane].paused--
	c.lanes.charge(j.lane, turn.Seconds())
	j.charged += turn.Seconds()
}

// handFor returns a hand (a goroutine that does jobs) without a job, nil if there is none. It
// prefers a hand that keeps a process of the property.
func (c *campaign) handFor(t *target) (first *hand) {
	for _, h := range c.hands {
		switch {
		case h.busy:
		case slices.ContainsFunc(h.kept, func(k kept) bool { return k.target == t }):
			return h
		case first == nil:
			first = h
		}
	}
	return first
}

// next returns the index of the property that gets the next turn, -1 if there is nothing to do. The
// parameter spare is that of lanes.next.
func (c *campaign) next(spare bool) int {
	for i, t := range c.targets {
		c.lanes.want(i, len(t.waiting) > 0, c.hasChunk(t))
	}
	return c.lanes.next(spare)
}

// turnTime returns the length of a turn. If the time is limited, each property gets at least turns
// turns, also if its steps are slow.
func (c *campaign) turnTime() time.Duration {
	if c.For == 0 {
		return turn
	}
	return max(leastTurn, min(turn, c.each()/turns))
}

// each returns the time for each property if all get the same. The campaign must have a time limit.
func (c *campaign) each() time.Duration {
	return c.For / time.Duration(len(c.targets)) * time.Duration(max(1, c.Workers))
}

// plans reports whether the property gets another chunk now. It first ends the search if the search
// is saturated. Saturation before chunk n is decided by chunk n-window, so that the result does not
// depend on the number of workers.
func (c *campaign) plans(t *target) bool {
	if t.planned-t.settled >= window {
		return false
	}
	if y := t.yieldOf(t.planned); y.Chance > 0 && y.Chance < c.Saturated && t.Saturated == 0 {
		t.Saturated = c.Saturated
		c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: "saturated: " + t.all().Summary()})
	}
	c.confirm(t)
	return t.open(&c.Options)
}

// hasChunk reports whether a property has a chunk (a series of batches of runs) to begin or
// continue.
func (c *campaign) hasChunk(t *target) bool {
	if c.over {
		return c.ended == EndTime && t.next == 0 && t.open(&c.Options)
	}
	if t.isClosed(&c.Options) {
		return false
	}
	return len(t.rest) > 0 || c.plans(t)
}

// take removes the next job from the queue of a property, and charges the property for the expected
// cost. The parameter lane is the index of the property.
func (c *campaign) take(lane int) (j *job) {
	t := c.targets[lane]
	switch {
	case len(t.waiting) > 0:
		j, t.waiting = t.waiting[0], t.waiting[1:]
	case len(t.rest) > 0:
		j, t.rest = t.rest[0], t.rest[1:]
	default:
		j = c.chunk(t)
	}
	j.lane, j.known, j.size = lane, t.signatures(), t.Batch
	j.meter = newMeter(t.waits)
	c.lanes.list[lane].overdue = c.lanes.list[lane].overdue || t.waits
	if j.request.Do == session.Run {
		p := t.pace(&c.Options)
		j.charged = min(p.each()*float64(j.request.Count), max(p.each(), c.turnTime().Seconds()))
	}
	c.lanes.begin(lane, j.request.Do == session.Run, j.charged)
	return j
}

// watch charges the lanes for jobs that cost more than expected, and marks overdue lanes. If the
// turn of a job is over and another lane has used at least a turn less time, watch pauses the job.
func (c *campaign) watch() {
	for i := range c.lanes.list {
		c.lanes.list[i].overdue = false
	}
	for _, j := range c.flying {
		if s := j.cost().Seconds(); s > j.charged {
			c.lanes.charge(j.lane, s-j.charged)
			j.charged = s
		}
		if !j.paused && (j.idle.Load() || time.Since(j.turned) > 2*turn) {
			c.lanes.list[j.lane].overdue = true
		}
	}
	if c.over {
		return
	}
	c.weigh()
	for _, j := range c.flying {
		full := len(c.flying) == len(c.hands) || c.busy() < c.Workers
		if !full && !j.paused && !j.idle.Load() && time.Since(j.turned) > turn && c.lanes.yields(j.lane, turn.Seconds()) {
			c.pause(j)
			c.handOut()
		}
	}
}

// land removes a finished job from the goroutine that did the job. It replaces the expected cost in
// the charges of the property by the actual cost.
func (c *campaign) land(j *job) {
	c.flying = slices.DeleteFunc(c.flying, func(o *job) bool { return o == j })
	if j.paused {
		c.resume(j)
	}
	j.hand.busy, j.target.waits = false, j.idle.Load()
	j.spent += j.cost()
	c.account(j)
	c.lanes.end(j.lane)
	c.watch()
}

// unknown is a number of seconds. When the first chunk of a property has run for this time, the
// cost of the unfinished chunk counts in the division of time.
const unknown = 1

// weigh divides the time among the properties by the costs and the new receive pairs of their last
// chunks. With Options.First all properties get the same time.
func (c *campaign) weigh() {
	if c.First {
		return
	}
	var paces []pace
	for _, t := range c.targets {
		paces = append(paces, t.pace(&c.Options))
	}
	for _, j := range c.flying { // also count the unfinished first chunk of a property
		if p := &paces[j.lane]; p.batches == 0 && j.request.Do == session.Run && j.charged > unknown {
			p.seconds += j.charged
		}
	}
	c.lanes.weigh(paces)
}
