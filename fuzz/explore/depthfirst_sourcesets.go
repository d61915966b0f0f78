package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): for each race, the
// search marks one candidate that can be the first step of an order in which the race is
// reversed (an initial).

// couldComeFirst reports whether a candidate at the choice point of a race's step can be
// the first step toward the reversed race. It can if it is the race's message. It also
// can if it was received later and depends neither on the race's step nor on a step
// between the two.
func (r *races) couldComeFirst(c *candidate, rc race) bool {
	if r.isOf(c, rc) {
		return !r.needsOthers(rc) && !r.mayMeetOnTheWay(c, rc)
	}
	k := r.stepOf(c, rc.step)
	if c.kind != aMessage && !r.isNeeded(k, rc) {
		return false
	}
	return k > rc.step && k < r.limit && !has(r.of(k), rc.step) && !hasAfter(r.of(k), rc.step)
}

// needsOthers reports whether other steps must come before the later step of a reversed
// race. If both steps of the race are of one actor, no other steps are needed, because a
// candidate's message has already been sent.
func (r *races) needsOthers(rc race) bool {
	return (r.isMet(rc) || rc.message == trace.None) && hasAfter(r.of(r.later(rc)), rc.step)
}

// mayMeetOnTheWay reports whether candidate c, which is the race's message or crash, may
// conflict with another step that comes before the reversed race. Then c cannot come
// first. The accesses of c's step are known only if c was taken at this choice point
// before. If c was not taken there, its accesses are unknown, because the receiver may
// behave differently than after the race's step.
func (r *races) mayMeetOnTheWay(c *candidate, rc race) bool {
	ms := &r.meetings
	if len(ms.touches) == 0 {
		return false
	}
	isKnown := c.mark&(done|asleep) != 0
	mine := r.kept.of(c)
	if c.kind == aCrash && !isKnown {
		isKnown, mine = true, r.livesOf(c.actor, rc.step)
	}
	isKnown = isKnown || c.kind == aPass
	for i := ms.first[rc.step+1]; i < ms.first[r.limit]; i++ {
		x := ms.touches[i]
		if !has(r.of(x.Step), rc.step) && (!isKnown && !(isOfTime(x) && x.Reads) || slices.ContainsFunc(mine, x.Meets)) && r.isOnTheWay(x.Step, rc) {
			return true
		}
	}
	return false
}

// markSource marks for exploration one candidate that could come first toward a reversed
// race, unless such a candidate is marked already.
func (r *races) markSource(p *path, n *node, rc race) {
	list := p.of(n)
	first := -1
	r.withCrashes = slices.ContainsFunc(list, func(c candidate) bool { return c.mark&asleep != 0 && r.isOf(&c, rc) })
	for i := range list {
		if !r.couldComeFirst(&list[i], rc) {
			continue
		}
		if list[i].mark != 0 {
			return
		}
		if first < 0 || r.isOf(&list[i], rc) || list[i].kind == aPass { // prefer this candidate, because it may be the only one that is awake after a different first step
			first = i
		}
	}
	markOrOpen(p, n, first)
}

// markOrOpen marks candidate i of a choice point, or all candidates if i is -1.
func markOrOpen(p *path, n *node, i int) {
	if i < 0 {
		p.open(n)
		return
	}
	p.of(n)[i].mark |= todo
}
