package explore

import "github.com/jostle-go/jostle/pulse/trace"

// leads says whether a candidate of the pick that step i came of is the
// message of a race, or was received after i and before it was sent.
func (f *finder) leads(c *cand, r race) bool {
	if c.send == r.message {
		return true
	}
	k := f.t.Sends[c.send].Receipt
	return k > r.step && k < f.limit && has(f.acc, k)
}

// covered says whether a candidate sleeps that could come first on the way to
// a race: what follows was run from another branch. One that sleeps and could
// not come first tells nothing.
func (f *finder) covered(c *cand, r race) bool {
	return c.mark&asleep != 0 && f.initial(c, r)
}

// addSibling is Eta's (section 5.2): one candidate that leads to the race,
// one that was taken up before if there is any.
func (x *explorer) addSibling(n *node, r race) {
	f, list := &x.finder, x.walker.of(n)
	clear(f.acc)
	f.ofMessage(f.acc, r.message)
	first := -1
	for i := range list {
		c := &list[i]
		switch {
		case !f.leads(c, r):
		case c.mark&(todo|done) != 0 || f.covered(c, r):
			return
		case first < 0 && c.mark&asleep == 0:
			first = i
		}
	}
	if first < 0 {
		x.walker.open(n)
		return
	}
	list[first].mark |= todo
}

// addSends is the inner loop of Basset's Figures 2.4 and 2.5: each message
// that was sent from step `from` on is held against each step that its
// receiver took before, if that does not happen before the sending.
func (x *explorer) addSends(from int, add func(n *node, r race)) {
	f := &x.finder
	for m := range f.t.Sends {
		d := &f.t.Sends[m]
		if int(d.Step) < from || d.Step >= f.limit {
			continue
		}
		for k := f.lastOf(d.To, d.Step); k >= 0; k = f.t.Steps[k].Prev {
			clear(f.acc)
			f.ofMessage(f.acc, int32(m))
			if has(f.acc, k) {
				break
			}
			if n := x.nodeOf(k); n != nil {
				add(n, race{step: k, message: int32(m)})
			}
		}
	}
}

// addActor is Figure 2.4: all messages of one actor that leads to the sending.
func (x *explorer) addActor(n *node, r race) {
	list := x.walker.of(n)
	actor := trace.None
	for i := range list {
		c := &list[i]
		switch {
		case !x.finder.leads(c, r):
		case c.mark&(todo|done) != 0 || x.finder.covered(c, r):
			return
		case actor < 0 && c.mark&asleep == 0:
			actor = c.actor
		}
	}
	if actor < 0 {
		x.walker.open(n)
		return
	}
	takeActor(list, actor)
}

// addDelay is Figure 2.5: the messages of the next actor, whichever it is.
func (x *explorer) addDelay(n *node, _ race) { n.delay = true }
