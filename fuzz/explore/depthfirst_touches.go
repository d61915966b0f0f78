package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// touches holds sets of accesses (see trace.Touch) by the candidates' steps. Most steps
// make no access, and the sets of the remaining steps are often equal, so each set is
// stored once. A set is identified by its number: see candidate.touchSet.
type touches struct {
	sets    [][]trace.Touch  // sets[i-1] is the set with number i
	known   map[uint64]int32 // maps the hash of a set to its number
	scratch []trace.Touch    // scratch memory
	// endedBy is the number, from 1, of the step in which the program ended the run;
	// 0 for none. This step conflicts with all other steps, because in another order
	// it would have prevented them.
	endedBy int32
}

// copy makes ts a copy of `from`. The two share the sets, which never change.
func (ts *touches) copy(from *touches) {
	ts.sets = append(ts.sets[:0], from.sets...)
	clear(ts.known)
	for h, i := range from.known {
		ts.know(h, i)
	}
}

// know records the number i of the set with hash h.
func (ts *touches) know(h uint64, i int32) {
	if ts.known == nil {
		ts.known = map[uint64]int32{}
	}
	ts.known[h] = i
}

// learnEnd sets ts.endedBy to the step that ended the run, if any.
func (ts *touches) learnEnd(run *Run) {
	ts.endedBy = 0
	if run.brokeOff() {
		ts.endedBy = int32(len(run.System.Trace().Steps))
	}
}

// readsPlaces reports whether a step reads the index or name of an actor, and that index
// or name may depend on the order in which steps spawn actors. Sleep sets do not respect
// that order.
func readsPlaces(t *trace.Trace) bool {
	for _, x := range t.Touches {
		if x.What != trace.ItsPlace && x.What != trace.ItsName {
			continue
		}
		first := t.Actors[x.Actor].Step
		for i := range t.Actors {
			a := &t.Actors[i]
			if a.Step >= 0 && a.Step != first && (x.What == trace.ItsPlace && first >= 0 || x.What == trace.ItsName && a.Label == t.Actors[x.Actor].Label) {
				return true
			}
		}
	}
	return false
}

// any reports whether a step has an access in t.Touches, or ended the run.
func (ts *touches) any(t *trace.Trace) bool { return len(t.Touches) > 0 || ts.endedBy != 0 }

// keep records the accesses of each candidate that the run took.
func (ts *touches) keep(p *path, t *trace.Trace) {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind == picks && p.taken(n).kind != noCrash {
			if c := p.taken(n); c.kind != aPass {
				ts.keepOf(c, n.step, t)
			}
		}
	}
}

// keepOf records the accesses of a candidate's step.
func (ts *touches) keepOf(c *candidate, step int32, t *trace.Trace) {
	known := ts.of(c)
	set := append(ts.scratch[:0], known...) // a copy, because the stored set must not change
	add := func(x trace.Touch) {
		if x.Step = 0; !slices.Contains(set, x) {
			set = append(set, x)
		}
	}
	for i := range t.Touches {
		if t.Touches[i].Step == step {
			add(t.Touches[i])
		}
	}
	if step+1 == ts.endedBy {
		add(trace.Touch{What: trace.AllSteps})
	}
	if ts.scratch = set; len(set) > len(known) {
		c.touchSet = ts.number(set)
	}
}

// of returns the accesses of a candidate's step, as far as they are known.
func (ts *touches) of(c *candidate) []trace.Touch {
	if c.kind == aPass {
		return passing
	}
	if c.touchSet == 0 {
		return nil
	}
	return ts.sets[c.touchSet-1]
}

// number returns the number of a set, from 1, and stores the set if it is new.
func (ts *touches) number(set []trace.Touch) int32 {
	var h uint64
	for _, x := range set {
		reads := uint64(0)
		if x.Reads {
			reads = 1 << 63
		}
		h = hash.Fold(h, reads^uint64(x.What)<<56^uint64(x.Ask)<<28^uint64(x.Actor))
	}
	if i, ok := ts.known[h]; ok {
		return i
	}
	ts.sets = append(ts.sets, slices.Clone(set))
	ts.know(h, int32(len(ts.sets)))
	return int32(len(ts.sets))
}

// meet reports whether the step of candidate c conflicts with the given step, which
// another actor took.
func (ts *touches) meet(c *candidate, step, actor int32, t *trace.Trace) bool {
	mine := ts.of(c)
	for _, x := range mine {
		if x.What == trace.AllSteps || x.What == trace.ItsSteps && x.Actor == actor {
			return true
		}
	}
	if step+1 == ts.endedBy {
		return true
	}
	for i := len(t.Touches) - 1; i >= 0 && t.Touches[i].Step >= step; i-- {
		x := t.Touches[i]
		if x.Step != step {
			continue
		}
		x.Step = 0
		if x.What == trace.AllSteps || x.What == trace.ItsSteps && x.Actor == c.actor || slices.ContainsFunc(mine, x.Meets) {
			return true
		}
	}
	return false
}
