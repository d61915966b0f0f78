package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): of the steps
// that lead to the race turned round, one that needs none of the others.

// couldComeFirst reports whether a candidate of the pick that a race's step
// came of can be the first step on a way to the race turned round: it is the
// race's message, or was received after the step without need of the step or
// of anything after it.
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

// needsOthers reports whether steps that came after a race's step, and without
// need of it, have to come before the race's message too. Where the two are of one
// actor there are none, since what has to be sent first was sent.
func (r *races) needsOthers(rc race) bool {
	return (r.isMet(rc) || rc.message == trace.None) && hasAfter(r.of(r.later(rc)), rc.step)
}

// mayMeetOnTheWay reports whether the receipt of a race's message, which is the
// last step on the way to the race turned round, may meet one of the others there:
// then it is none that can come first. What it touches there is known if it was
// run from this pick, and else not: it may do something else than after the race's
// step.
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

// markSource marks one candidate that could come first, unless one is marked.
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
		if first < 0 || r.isOf(&list[i], rc) || list[i].kind == aPass { // what else comes first can leave nothing awake but this
			first = i
		}
	}
	markOrOpen(p, n, first)
}

// markOrOpen marks candidate i of a pick, or all of them when it is -1.
func markOrOpen(p *path, n *node, i int) {
	if i < 0 {
		p.open(n)
		return
	}
	p.of(n)[i].mark |= todo
}
