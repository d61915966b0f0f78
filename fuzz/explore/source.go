package explore

// Source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): of the steps
// that lead to the turned-round race, one that needs none of the others.

// initial says whether a candidate of the pick that step i came of could
// come first on the way to a race of that step: it was received later without
// need of anything after i.
func (f *finder) initial(c *cand, r race) bool {
	if c.send == r.message {
		return true
	}
	k := f.t.Sends[c.send].Receipt
	return k > r.step && k < f.limit && !has(f.of(k), r.step) && alone(f.of(k), r.step)
}

// addSource takes up one such candidate, unless one is taken up.
func (x *explorer) addSource(n *node, r race) {
	list := x.walker.of(n)
	first := -1
	for i := range list {
		if !x.finder.initial(&list[i], r) {
			continue
		}
		if list[i].mark != 0 {
			return
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		x.walker.open(n)
		return
	}
	list[first].mark |= todo
}
