package explore

// Basset's Figures 2.4 and 2.5 differ in what they do where a message could
// come before a step: the first marks the messages of one actor, the second
// those of the next actor.

// eachSend is the inner loop of both: it holds each message that was sent from
// step `from` on against each step that its receiver took before it was sent,
// as far as that does not happen before the sending.
func (r *races) eachSend(from int, do func(rc race, before []uint64)) {
	for m := range r.trace.Sends {
		d := &r.trace.Sends[m]
		if int(d.Step) < from || d.Step >= r.limit {
			continue
		}
		before := r.beforeMessage(int32(m))
		for k := r.lastOf(d.To, d.Step); k >= 0 && !has(before, k); k = r.trace.Steps[k].Prev {
			do(race{step: k, message: int32(m)}, before)
		}
	}
}

// markPersistent is Figure 2.4: it marks all messages of one actor that leads
// to the sending.
func (r *races) markPersistent(p *path, n *node, rc race, before []uint64) {
	list := p.of(n)
	first, needed := r.firstTo(list, rc, before)
	switch {
	case !needed:
	case first < 0:
		p.open(n)
	default:
		markActor(list, list[first].actor)
	}
}

// markNextActor is Figure 2.5: it has the messages of the next actor marked
// when those that are marked were taken.
func markNextActor(n *node) { n.nextGroup = true }

// Good siblings are Eta's (section 5.2): of the candidates that lead to a
// race's message, one that was marked before if there is any.

// leadsTo reports whether a candidate of the pick that a race's step came of is
// the race's message, or was received after the step and before the message
// was sent: in the set `before`.
func (r *races) leadsTo(c *candidate, rc race, before []uint64) bool {
	if r.isOf(c, rc) {
		return true
	}
	k := r.stepOf(c, rc.step)
	return k > rc.step && k < r.limit && has(before, k)
}

// isTaken reports whether a candidate that leads to a race makes marking
// another one needless: it was marked or taken, or it sleeps and could come
// first, so that what follows was run from another branch. One that sleeps and
// could not come first shows nothing.
func (r *races) isTaken(c *candidate, rc race) bool {
	return c.mark&(todo|done) != 0 || c.mark&asleep != 0 && r.couldComeFirst(c, rc)
}

// firstTo returns the first candidate that leads to a race and does not sleep,
// -1 when there is none, and whether one needs to be marked at all.
func (r *races) firstTo(list []candidate, rc race, before []uint64) (first int, needed bool) {
	first = -1
	for i := range list {
		c := &list[i]
		switch {
		case !r.leadsTo(c, rc, before):
		case r.isTaken(c, rc):
			return -1, false
		case first < 0 && c.mark&asleep == 0:
			first = i
		}
	}
	return first, true
}

// markSibling marks a candidate that leads to the race's message, if that is
// needed.
func (r *races) markSibling(p *path, n *node, rc race) {
	if first, needed := r.firstTo(p.of(n), rc, r.beforeMessage(rc.message)); needed {
		markOrOpen(p, n, first)
	}
}
