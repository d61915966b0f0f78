package explore

import "github.com/jostle-go/jostle/pulse"

// spend marks for exploration the candidates of the last node that the bound on delays or
// preemptions allows. It reports whether the bound excluded any candidate.
func spend(p *path, m *Method, bound int32) (leftOut bool) {
	n := &p.nodes[len(p.nodes)-1]
	n.budget = bound
	if n.pickBefore >= 0 {
		before := &p.nodes[n.pickBefore]
		n.budget = before.budget - costOf(p, m, before, int(before.current))
	}
	n.opened = true
	list := p.of(n)
	for i := range list {
		if costOf(p, m, n, i) > n.budget {
			leftOut = true
			continue
		}
		list[i].mark |= todo
	}
	return leftOut
}

// costOf returns the number of delays or preemptions needed to choose candidate i. Each skipped
// candidate costs one delay. Leaving an actor that could continue costs one preemption. A blocked
// process has no deliverable message, so leaving it costs nothing. Blocking avoidance, as in the
// Concuerror paper (section VI-A), is not needed, because waiting takes no step.
func costOf(p *path, m *Method, n *node, i int) int32 {
	if m.DelayBound != 0 {
		return int32(i)
	}
	list := p.of(n)
	if n.lastActor >= 0 && list[i].actor != n.lastActor && list[0].actor == n.lastActor {
		return 1
	}
	return 0
}

// lastActor returns the actor of the last step, -1 if there is none.
func lastActor(e *pulse.Enabled) int32 {
	if steps := e.Trace().Steps; len(steps) > 0 {
		return steps[len(steps)-1].Actor
	}
	return -1
}
