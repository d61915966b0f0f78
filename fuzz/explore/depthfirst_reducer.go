package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A reducer marks candidates on the path for exploration, because of the races of a run.
type reducer struct {
	reduction Reduction
	path      *path
	races     races
	pickOf    []int32 // for each step of the run, the index of its choice point among the nodes of the path; -1 for none
	passed    passed  // a copy of the trace in which clock ticks are steps too
	early     int     // the program's limit of early timers (Options.EarlyTimers)
	used      []int32 // for each node of the path, the number of early clock ticks before the node
}

// reduce marks the candidates that must be explored because of step `from` and later
// steps of a run. Only the first `limit` steps count. If the reduction does not support
// the program, it returns the reduction to restart with, otherwise a zero handover.
func (r *reducer) reduce(t *trace.Trace, from, limit int) handover {
	r.learnPicks(len(t.Steps), r.races.learn(t, from))
	if over := r.races.misfit(from); over != (handover{}) {
		return over
	}
	r.races.limit = int32(limit)
	if r.races.meetings.any(from) { // find all races again, because accesses by the new steps may affect the reversal of earlier races
		from = 0
	}
	switch r.reduction {
	case SourceSets:
		r.eachRace(from, func(n *node, rc race) { r.races.markSource(r.path, n, rc) })
		r.markUnmade(t)
		r.markPasses(t)
		r.markAnswers(from)
	case GoodSiblings:
		r.eachRace(from, func(n *node, rc race) { r.races.markSibling(r.path, n, rc) })
	case PersistentSets:
		r.races.eachSend(from, func(rc race, before []uint64) {
			if n := r.nodeOf(rc.step); n != nil {
				r.races.markPersistent(r.path, n, rc, before)
			}
		})
	case DCUTE:
		r.races.eachSend(from, func(rc race, _ []uint64) {
			if n := r.nodeOf(rc.step); n != nil {
				n.nextGroup = true // Figure 2.5 of the Basset thesis: mark the next actor's messages once all marked candidates were taken
			}
		})
	}
	return handover{}
}

// eachRace calls do for each race that the search may reverse. The argument n of do is
// the choice point of the race's step.
func (r *reducer) eachRace(from int, do func(n *node, rc race)) {
	for _, rc := range r.races.find(from) {
		if n := r.nodeOf(rc.step); n != nil && !r.wasRefused(n, rc) && r.timeCanPass(rc) {
			do(n, rc)
		}
	}
}

// markAnswers marks for exploration all candidates at each choice point where the answer
// to an Ask of the test was taken. Each candidate conflicts with the answer. The races of
// the run do not show these conflicts, because the test may end the run before the
// candidate is taken.
func (r *reducer) markAnswers(from int) {
	for _, k := range r.races.meetings.answers {
		if int(k) < from || k >= r.races.limit {
			continue
		}
		if n := r.nodeOf(k); n != nil {
			r.path.open(n)
		}
	}
}

// wasRefused reports whether the race's message was sent before the race's step but was
// not deliverable there, because the process did not want the message or because an
// earlier message of its channel came first. Then the message cannot replace the step in
// any order, because a waiting process does not change what it wants.
func (r *reducer) wasRefused(n *node, rc race) bool {
	if rc.message == trace.None {
		return false
	}
	t := r.races.trace
	d := &t.Sends[rc.message]
	if r.races.isMet(rc) || !r.races.isProcess[d.To] || t.Steps[rc.step].Wanted != trace.SomeMatch || d.Kind != trace.Message || d.Step >= rc.step {
		return false
	}
	return !slices.ContainsFunc(r.path.of(n), func(c candidate) bool { return c.send == rc.message })
}

// learnPicks sets r.pickOf and r.used for the current run. The elements of r.pickOf
// before `from` are already correct.
func (r *reducer) learnPicks(steps, from int) {
	r.pickOf = grown(r.pickOf, steps)
	for j := from; j < steps; j++ {
		r.pickOf[j] = -1
	}
	r.used = r.used[:0]
	count := 0
	for i := range r.path.nodes {
		n := &r.path.nodes[i]
		r.used = append(r.used, int32(count))
		if n.kind != picks || r.path.taken(n).kind == noCrash {
			continue
		}
		if step := r.passed.of(r.path, n, count); int(step) < steps {
			r.pickOf[step] = int32(i)
		}
		if r.path.taken(n).kind == aPass {
			count++
		}
	}
}

// stepsToLastPick returns the number of steps before the last choice point.
func (r *reducer) stepsToLastPick() int {
	last := r.path.lastPick()
	count := 0
	for i := range r.path.nodes[:last] {
		if n := &r.path.nodes[i]; n.kind == picks && r.path.taken(n).kind == aPass {
			count++
		}
	}
	return int(r.passed.of(r.path, &r.path.nodes[last], count))
}

// nodeOf returns the choice point of a step, nil if there was none or all its candidates
// are marked already.
func (r *reducer) nodeOf(step int32) *node {
	i := r.pickOf[step]
	if i < 0 {
		return nil
	}
	if n := &r.path.nodes[i]; !n.opened {
		return n
	}
	return nil
}
