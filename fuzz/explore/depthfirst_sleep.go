package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Sleep sets (Godefroid 1996, chapter 5): a message that was taken at a node
// need not be taken in the branches that follow there, until a step comes that
// cannot be swapped with its receipt. Until then it sleeps.

// A sleeping finds out which candidates sleep.
type sleeping struct {
	touches touches
	list    []candidate // scratch
}

// mark marks the candidates of a new node, the last of the path, that sleep.
// It reports whether the run may go on: it may not when it has taken a message
// that sleeps, which it does without a pick where that is the only message.
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

// tookSleeper reports whether a run that came to its end took, after its last
// pick, a message that sleeps.
func (s *sleeping) tookSleeper(p *path, t *trace.Trace) bool {
	last := p.lastPick()
	return last >= 0 && !struckAfter(p, last) && anyMessage(s.after(p, last, t))
}

// anyMessage reports whether a message is among candidates. A crash that sleeps and
// can come no more is no reason to give a run up.
func anyMessage(list []candidate) bool {
	return slices.ContainsFunc(list, func(c candidate) bool { return c.kind == aMessage })
}

// struckAfter reports whether, after a pick, something came between steps that
// has to do with all of them.
func struckAfter(p *path, pick int32) bool {
	for i := int(pick) + 1; i < len(p.nodes); i++ {
		if n := &p.nodes[i]; n.kind == strikes && n.current > 0 {
			return true
		}
	}
	return false
}

// after returns the candidates of a pick that sleep after the step that was
// taken there.
func (s *sleeping) after(p *path, pick int32, t *trace.Trace) []candidate {
	n := &p.nodes[pick]
	list := p.of(n)
	taken := &list[n.current]
	s.list = s.list[:0]
	if taken.kind == noCrash { // all that comes later comes after the rest
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
