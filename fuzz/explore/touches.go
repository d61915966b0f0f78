package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// touches keeps what the steps of candidates touch beside their messages. Most
// steps touch nothing, and the others the same few things: each set is kept
// once, and candidate.touchSet is its number.
type touches struct {
	sets    [][]trace.Touch // set number i is sets[i-1]
	known   map[uint64]int32
	scratch []trace.Touch
}

// keep notes for each candidate that the run took what its step touched.
func (ts *touches) keep(p *path, t *trace.Trace) {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind == picks {
			ts.keepOf(&p.of(n)[n.current], n.step, t)
		}
	}
}

// keepOf notes what a candidate's step has touched.
func (ts *touches) keepOf(c *candidate, step int32, t *trace.Trace) {
	set := ts.of(c)
	known := len(set)
	for i := range t.Touches {
		if t.Touches[i].Step != step {
			continue
		}
		x := t.Touches[i]
		x.Step = 0
		if slices.Contains(set, x) {
			continue
		}
		if len(set) == known { // the set that is kept stays as it is
			set = append(ts.scratch[:0], set...)
		}
		set = append(set, x)
		ts.scratch = set
	}
	if len(set) > known {
		c.touchSet = ts.number(set)
	}
}

// of returns what a candidate's step touches, as far as is known.
func (ts *touches) of(c *candidate) []trace.Touch {
	if c.touchSet == 0 {
		return nil
	}
	return ts.sets[c.touchSet-1]
}

// number returns the number of a set, which is kept if it is new.
func (ts *touches) number(set []trace.Touch) int32 {
	var h uint64
	for _, x := range set {
		h = hash.Fold(h, uint64(x.What)<<56^uint64(x.Ask)<<28^uint64(x.Actor))
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

// meet reports whether a candidate's step and a step of another actor that was
// taken touch the same.
func (ts *touches) meet(c *candidate, step, actor int32, t *trace.Trace) bool {
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
