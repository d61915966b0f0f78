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
