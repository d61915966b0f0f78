package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Sleep sets (Godefroid 1996, chapter 5): a message that was taken up at a
// node need not be taken up in the branches that follow there, until a step
// comes that cannot be swapped with its receipt.

// fallAsleep marks the candidates of a new node that sleep. It is false when
// the run has taken a sleeper already: one that was the only message there was.
func (w *walker) fallAsleep(n *node, list []cand, e *pulse.Enabled) bool {
	if n.pick < 0 || w.struck(n.pick) {
		return true
	}
	alone := n.step - w.nodes[n.pick].step - 1
	for _, c := range w.sleepers(n.pick, e.Trace()) {
		if alone > 0 {
			return false
		}
		for i := range list {
			if list[i].seq == c.seq {
				list[i].mark |= asleep
				list[i].touches = c.touches
			}
		}
	}
	return true
}

// struck says whether something that has to do with every step came after a pick.
func (w *walker) struck(pick int32) bool {
	for _, n := range w.nodes[pick+1:] {
		if n.kind == strikes && n.cur > 0 {
			return true
		}
	}
	return false
}

// sleepers returns the candidates of a pick that sleep on after the step that
// was taken there.
func (w *walker) sleepers(pick int32, t *trace.Trace) []cand {
	n := &w.nodes[pick]
	list := w.of(n)
	taken := &list[n.cur]
	w.touches.sleepers = w.touches.sleepers[:0]
	for i := range list {
		c := &list[i]
		if c.mark&(asleep|done) == 0 || c.actor == taken.actor || int32(i) == n.cur {
			continue
		}
		if len(t.Touches) > 0 || c.touches != 0 {
			if w.touches.meet(c, n.step, taken.actor, t) {
				continue
			}
		}
		w.touches.sleepers = append(w.touches.sleepers, *c)
	}
	return w.touches.sleepers
}

// oversleeps says whether a run that has ended took a sleeper as the only
// message there was, after its last pick.
func (w *walker) oversleeps(t *trace.Trace) bool {
	p := w.lastPick()
	return p >= 0 && !w.struck(p) && len(w.sleepers(p, t)) > 0
}

// touches keeps what steps have to do with others beside their messages, each
// set of it once.
type touches struct {
	sets     [][]trace.Touch // cand.touches is an index into it, plus one
	known    map[uint64]int32
	scratch  []trace.Touch
	sleepers []cand
}

// keep notes for each candidate that the run took what its step has touched.
func (ts *touches) keep(s *stack, t *trace.Trace) {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.kind != picks {
			continue
		}
		c := &s.of(n)[n.cur]
		ts.scratch = append(ts.scratch[:0], ts.of(c)...)
		for _, x := range t.Touches {
			if at := x.Step; at == n.step {
				x.Step = 0
				if !slices.Contains(ts.scratch, x) {
					ts.scratch = append(ts.scratch, x)
				}
			}
		}
		if len(ts.scratch) > len(ts.of(c)) {
			c.touches = ts.intern(ts.scratch)
		}
	}
}

func (ts *touches) of(c *cand) []trace.Touch {
	if c.touches == 0 {
		return nil
	}
	return ts.sets[c.touches-1]
}

func (ts *touches) intern(set []trace.Touch) int32 {
	var h uint64
	for _, x := range set {
		h = mix(h, uint64(x.What)<<56^uint64(x.Ask)<<28^uint64(x.Actor))
	}
	if i, ok := ts.known[h]; ok {
		return i
	}
	if ts.known == nil {
		ts.known = map[uint64]int32{}
	}
	ts.sets = append(ts.sets, slices.Clone(set))
	ts.known[h] = int32(len(ts.sets))
	return int32(len(ts.sets))
}

// mix folds a word into a hash.
func mix(h, x uint64) uint64 { return hash.Mix(h ^ x + hash.Gamma) }

// meet says whether a candidate's step and the one that was taken touch the
// same.
func (ts *touches) meet(c *cand, step, actor int32, t *trace.Trace) bool {
	mine := ts.of(c)
	for _, x := range mine {
		if x.What == trace.ItsSteps && x.Actor == actor {
			return true
		}
	}
	for i := len(t.Touches) - 1; i >= 0 && t.Touches[i].Step >= step; i-- {
		x := t.Touches[i]
		if x.Step != step {
			continue
		}
		x.Step = 0
		if x.What == trace.ItsSteps && x.Actor == c.actor || slices.Contains(mine, x) {
			return true
		}
	}
	return false
}
