package explore

// Figures 2.4 and 2.5 of the Basset thesis say which candidates to mark if a message
// could have come before an earlier step. Figure 2.4 marks the messages of one actor that
// leads to the send of that message. Figure 2.5 marks the messages of the actor that is
// next in the order of the candidates.

// markPersistent implements Figure 2.4 of the Basset thesis. If no marked candidate leads
// to the send of the race's message, it marks for exploration all messages of one actor
// that has such a candidate.
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

// Good siblings (the Eta paper, section 5.2): for each race, the search marks one
// candidate that leads to the race's message, unless such a candidate is already marked.

// leadsTo reports whether a candidate at the choice point of a race's step leads to the
// race's message. The candidate leads there if it is that message. It also does if it was
// received after the race's step and happened before the send, so that its step is in the
// set `before`.
func (r *races) leadsTo(c *candidate, rc race, before []uint64) bool {
	if r.isOf(c, rc) {
		return true
	}
	k := r.stepOf(c, rc.step)
	return k > rc.step && k < r.limit && has(before, k)
}

// isTaken reports whether candidate c makes it unnecessary to mark another candidate for
// a race. That is so if c was marked or taken. It is also so if c sleeps and could come
// first, because everything that follows c was run from another branch.
func (r *races) isTaken(c *candidate, rc race) bool {
	return c.mark&(todo|done) != 0 || c.mark&asleep != 0 && r.couldComeFirst(c, rc)
}

// firstTo returns the index of the first awake candidate that leads to a race's message,
// -1 if there is none. The result needed is false if no candidate need be marked: see
// isTaken.
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

// markSibling marks for exploration a candidate that leads to the race's message, unless
// such a candidate was marked or taken already.
func (r *races) markSibling(p *path, n *node, rc race) {
	if first, needed := r.firstTo(p.of(n), rc, r.beforeMessage(rc.message)); needed {
		markOrOpen(p, n, first)
	}
}

// markGroup marks for exploration the messages of one actor, which are DCUTE's next
// group. If a message of the group sleeps, the next actor's messages must be marked too.
// A sleeping message is not run, and so cannot show whether those messages are needed.
func (n *node) markGroup(list []candidate, actor int32) {
	n.groupEnd, n.nextGroup = markActor(list, actor), false
	for i := range list {
		if list[i].actor == actor && list[i].mark&asleep != 0 {
			n.nextGroup = true
		}
	}
}

// markActor marks for exploration all messages of one actor, and returns the index after
// the last.
func markActor(list []candidate, actor int32) (end int32) {
	for i := range list {
		if list[i].actor == actor {
			list[i].mark |= todo
			end = int32(i) + 1
		}
	}
	return end
}
