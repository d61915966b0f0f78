package explore

// Source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): of the steps
// that lead to the race turned round, one that needs none of the others.

// couldComeFirst reports whether a candidate of the pick that a race's step
// came of can be the first step on a way to the race turned round: it is the
// race's message, or was received after the step without need of the step or
// of anything after it.
func (r *races) couldComeFirst(c *candidate, rc race) bool {
	if c.send == rc.message {
		return true
	}
	k := r.trace.Sends[c.send].Receipt
	return k > rc.step && k < r.limit && !has(r.of(k), rc.step) && !hasAfter(r.of(k), rc.step)
}

// markSource marks one candidate that could come first, unless one is marked.
func (r *races) markSource(p *path, n *node, rc race) {
	list := p.of(n)
	first := -1
	for i := range list {
		if !r.couldComeFirst(&list[i], rc) {
			continue
		}
		if list[i].mark != 0 {
			return
		}
		if first < 0 {
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
