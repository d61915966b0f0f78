package campaign

import (
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/worker"
)

// turn is how long a job of the search may take: after it no further batch is begun, and what
// is left of the share waits for its next turn.
const turn = 2 * time.Second

// handOut gives jobs to hands while fewer than Workers are busy. Idle jobs make room for
// others, as long as these are not of properties that have an overdue job.
func (c *campaign) handOut() {
	for len(c.flying) < len(c.hands) {
		idle := 0
		for _, j := range c.flying {
			if j.idle.Load() {
				idle++
			}
		}
		if len(c.flying)-idle >= c.Workers {
			return
		}
		lane := c.next(len(c.flying) >= c.Workers)
		if lane < 0 {
			return
		}
		j := c.take(lane)
		c.flying = append(c.flying, j)
		j.hand = c.handFor(j.target)
		j.hand.busy = true
		j.hand.jobs <- j
	}
}

// handFor returns a hand without a job: one that has a process of the target, or the first.
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

// next returns which target has the next turn, -1 if there is nothing to do.
func (c *campaign) next(spare bool) int {
	for i, t := range c.targets {
		c.lanes.want(i, len(t.waiting) > 0, c.hasShare(t))
	}
	return c.lanes.next(spare)
}

// hasShare reports whether a target has a share to begin or to go on with.
func (c *campaign) hasShare(t *target) bool {
	if c.over {
		return c.ended == timeOver && t.next == 0 && t.open(&c.Options)
	}
	if t.isClosed(&c.Options) {
		return false
	}
	return len(t.rest) > 0 || c.plans(t)
}

// take takes the next job of a target.
func (c *campaign) take(lane int) (j *job) {
	t := c.targets[lane]
	switch {
	case len(t.waiting) > 0:
		j, t.waiting = t.waiting[0], t.waiting[1:]
	case len(t.rest) > 0:
		j, t.rest = t.rest[0], t.rest[1:]
	default:
		j = c.share(t)
	}
	j.lane, j.known, j.size = lane, t.signatures(), t.Batch
	j.meter = newMeter(t.waits)
	c.lanes.list[lane].overdue = c.lanes.list[lane].overdue || t.waits
	if j.request.Do == worker.Run {
		p := t.pace(&c.Options)
		j.charged = min(p.each()*float64(j.request.Count), max(p.each(), turn.Seconds()))
	}
	c.lanes.begin(lane, j.request.Do == worker.Run, j.charged)
	return j
}

// watch charges the lanes for jobs that cost more than was expected, and sees which are
// overdue.
func (c *campaign) watch() {
	for i := range c.lanes.list {
		c.lanes.list[i].overdue = false
	}
	for _, j := range c.flying {
		if s := j.cost().Seconds(); s > j.charged {
			c.lanes.charge(j.lane, s-j.charged)
			j.charged = s
		}
		if j.idle.Load() || time.Since(j.begun) > 2*turn {
			c.lanes.list[j.lane].overdue = true
		}
	}
}

// land takes a job from a worker, and charges its lane for what it has cost.
func (c *campaign) land(j *job) {
	c.flying = slices.DeleteFunc(c.flying, func(o *job) bool { return o == j })
	j.hand.busy, j.target.waits = false, j.idle.Load()
	j.spent += j.cost()
	c.lanes.charge(j.lane, j.cost().Seconds()-j.charged)
	c.lanes.end(j.lane)
	c.watch()
}

// weigh divides the time between the targets by their paces. A search that ends at the first
// failure of each has as much time for one as for another.
func (c *campaign) weigh() {
	if c.First {
		return
	}
	var paces []pace
	for _, t := range c.targets {
		paces = append(paces, t.pace(&c.Options))
	}
	c.lanes.weigh(paces)
}
