package explore

import "github.com/jostle-go/jostle/pulse/trace"

// Source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): of the steps
// that lead to the turned-round race, one that needs none of the others.

// initial says whether a candidate of the pick that step i came of could
// come first on the way to a race of that step: it was received later without
// need of anything after i.
func (f *finder) initial(c *cand, r race) bool {
	k := f.t.Sends[c.send].Receipt
	if c.send == r.message {
		return k < 0 || k >= f.limit || !f.waits(k, r.step)
	}
	return k > r.step && k < f.limit && !has(f.of(k), r.step) && alone(f.of(k), r.step)
}

// waits says whether step k comes after one that comes after i and can come
// before i too, of the same actor or one that touched the same: then k cannot
// come first.
func (f *finder) waits(k, i int32) bool {
	if prev := f.t.Steps[k].Prev; prev > i && !has(f.of(prev), i) {
		return true
	}
	for _, x := range f.t.Touches {
		if x.Step != k {
			continue
		}
		for _, y := range f.t.Touches {
			same := y.What == x.What && y.Actor == x.Actor && y.Ask == x.Ask || x.What == trace.ItsSteps
			if same && y.Step > i && y.Step < k && !has(f.of(y.Step), i) {
				return true
			}
		}
	}
	return false
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
