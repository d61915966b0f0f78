package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Sleep sets (Godefroid 1996, chapter 5): a message that was taken at a choice point
// sleeps in the later branches of that choice point, until a step conflicts with the
// receipt of the message. A sleeping message need not be taken.

// A sleeping computes which candidates sleep.
type sleeping struct {
	touches touches
	list    []candidate // scratch memory
}

// mark marks the sleeping candidates of the last node of the path. It returns false if
// the run must stop because it has taken a sleeping message. A run takes a sleeping
// message, without a choice point, if no other message is deliverable.
func (s *sleeping) mark(p *path, t *trace.Trace) (mayGoOn bool) {
	n := &p.nodes[len(p.nodes)-1]
	if n.pickBefore < 0 || struckAfter(p, n.pickBefore) {
		return true
	}
	sleepers := s.after(p, n.pickBefore, t)
	if len(sleepers) == 0 {
		return true
	}
	if n.step > p.nodes[n.pickBefore].step+p.taken(&p.nodes[n.pickBefore]).steps() {
		return !anyMessage(sleepers)
	}
	list := p.of(n)
	for _, c := range sleepers {
		for i := range list {
			if list[i].seq == c.seq {
				list[i].mark |= asleep
				list[i].touchSet = c.touchSet
			}
		}
	}
	return true
}

// tookSleeper reports whether a run that ended by itself took a sleeping message after
// its last choice point.
func (s *sleeping) tookSleeper(p *path, t *trace.Trace) bool {
	last := p.lastPick()
	return last >= 0 && !struckAfter(p, last) && anyMessage(s.after(p, last, t))
}

// anyMessage reports whether the candidates include a message. Only sleeping messages are
// a reason to stop a run, because a sleeping crash may have become impossible.
func anyMessage(list []candidate) bool {
	return slices.ContainsFunc(list, func(c candidate) bool { return c.kind == aMessage })
}

// struckAfter reports whether, after a choice point, a fault or an early timer occurred
// between steps. Such an event conflicts with all steps.
func struckAfter(p *path, pick int32) bool {
	for i := int(pick) + 1; i < len(p.nodes); i++ {
		if n := &p.nodes[i]; n.kind == strikes && n.current > 0 {
			return true
		}
	}
	return false
}

// after returns the candidates of a choice point that sleep after the step taken there.
func (s *sleeping) after(p *path, pick int32, t *trace.Trace) []candidate {
	n := &p.nodes[pick]
	list := p.of(n)
	taken := &list[n.current]
	s.list = s.list[:0]
	if taken.kind == noCrash { // nothing sleeps, because all later steps come after a quiescent point
		return nil
	}
	for i := range list {
		c := &list[i]
		if c.mark&(asleep|done) == 0 || c.actor == taken.actor || int32(i) == n.current || c.kind == noCrash || c.kind == aPass && passedSince(t, n.step) {
			continue
		}
		if s.touches.any(t) || len(s.touches.of(c)) > 0 {
			if taken.kind == aPass && slices.ContainsFunc(s.touches.of(c), meetsPass) ||
				taken.kind != aPass && s.touches.meet(c, n.step, taken.actor, t) {
				continue
			}
		}
		s.list = append(s.list, *c)
	}
	return s.list
}
