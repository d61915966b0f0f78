package explore

// Basset's Figures 2.4 and 2.5 differ if a message could come before a step: the
// first marks the messages of one actor, the second those of the next actor.

// eachSend is the inner loop of both: it pairs each message sent from step `from` on
// with each earlier step of its receiver that does not happen before the send.
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

// markPersistent is Figure 2.4: it marks all messages of one actor that leads to the
// send.
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

// markNextActor is Figure 2.5: it marks the messages of the next actor after the marked
// ones were taken.
func markNextActor(n *node) { n.nextGroup = true }

// Good siblings are Eta's (section 5.2): one of the candidates that lead to a race's
// message, preferably one that is already marked.

// leadsTo reports whether a candidate at the pick of a race's step is the race's
// message, or was received after the step and happens before the send: it is in the
// set `before`.
func (r *races) leadsTo(c *candidate, rc race, before []uint64) bool {
	if r.isOf(c, rc) {
		return true
	}
	k := r.stepOf(c, rc.step)
	return k > rc.step && k < r.limit && has(before, k)
}

// isTaken reports whether a candidate that leads to a race makes another mark
// needless: it was marked or taken, or it sleeps and could come first, so that what
// follows was run from another branch. A sleeper that could not come first proves
// nothing.
func (r *races) isTaken(c *candidate, rc race) bool {
	return c.mark&(todo|done) != 0 || c.mark&asleep != 0 && r.couldComeFirst(c, rc)
}

// firstTo returns the first awake candidate that leads to a race, -1 if there is none,
// and whether one must be marked at all.
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

// markSibling marks a candidate that leads to the race's message, if needed.
func (r *races) markSibling(p *path, n *node, rc race) {
	if first, needed := r.firstTo(p.of(n), rc, r.beforeMessage(rc.message)); needed {
		markOrOpen(p, n, first)
	}
}
