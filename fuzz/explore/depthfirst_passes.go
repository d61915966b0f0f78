package explore

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A pass is a point at which time advances. If the program allows early timers, and
// nothing else can come between two steps, an early pass is picked like a message. To the
// search each pass, early or at rest, is a step of its own. It comes after the previous
// pass, and it conflicts only with steps that read the time, or set or stop a timer. A
// timer's message is received after the pass at which it came due, and otherwise at any
// time. So a pass at rest does not order the steps before and after it: only a new Run of
// the test does.
//
// An early pass is taken in three cases: a consequence of the pass is to come before a
// step that need not wait for it; a step conflicts with time, so that a pass could have
// come before it; or everything else sleeps.

// passes is the step kind of a pass.
const passes = trace.StepKind(math.MaxUint8)

// passing is what a pass touches.
var passing = []trace.Touch{{Actor: trace.None, What: trace.TheTime}, {Actor: trace.None, What: trace.TheTimers}}

// isOfTime reports whether a touch concerns the time or timers.
func isOfTime(x trace.Touch) bool { return x.What == trace.TheTime || x.What == trace.TheTimers }

// meetsPass reports whether a step with this touch conflicts with passes.
func meetsPass(x trace.Touch) bool { return isOfTime(x) || x.What == trace.AllSteps }

// picksPasses reports whether passes are picked in a run.
func picksPasses(t *trace.Trace) bool { return len(t.Passes) > 0 }

// passedSince reports whether time has passed at rest after a step. An early pass then
// no longer sleeps: it has come.
func passedSince(t *trace.Trace, step int32) bool {
	for i := len(t.Passes) - 1; i >= 0 && t.Passes[i].Before > step; i-- {
		if t.Passes[i].How != trace.Early {
			return true
		}
	}
	return false
}

// ticks reports whether time advances without a pass in the trace: through periodic
// timers, which tick while other messages come, or because of faults.
func ticks(t *trace.Trace) bool {
	return len(t.Strikes) > 0 || slices.ContainsFunc(t.Sends, func(d trace.Send) bool { return d.Kind == trace.Periodic })
}

// steps returns how many steps of the run a candidate takes.
func (c *candidate) steps() int32 {
	if c.kind == aPass {
		return 0
	}
	return 1
}

// passed is a run whose passes are steps.
type passed struct {
	view  trace.Trace
	at    []int32 // for each step of the run, its number in the view
	early []int32 // the numbers of the early passes
	fired []int32 // by message: the pass at which a timer came due; none for others
}

// see returns the trace as the search sees it: the view if passes are picked.
func (r *reducer) see(t *trace.Trace) *trace.Trace {
	if !picksPasses(t) {
		r.races.fired = nil
		r.passed.view.Steps = r.passed.view.Steps[:0]
		return t
	}
	p := &r.passed
	p.takeSteps(t)
	p.takeSends(t)
	p.takeActors(t)
	r.races.fired = p.fired
	return &p.view
}

// takeSteps puts the steps and passes of a run into the view, with their touches.
func (p *passed) takeSteps(t *trace.Trace) {
	v := &p.view
	v.Reset()
	v.Unordered = t.Unordered
	p.at, p.early = p.at[:0], p.early[:0]
	list, touches, last := t.Passes, t.Touches, trace.None
	for i := range int32(len(t.Steps) + 1) {
		for ; len(list) > 0 && list[0].Before == i; list = list[1:] {
			now := int32(len(v.Steps))
			if list[0].How == trace.ByTest {
				v.Rests = append(v.Rests, now)
				continue
			}
			if list[0].How == trace.Early {
				p.early = append(p.early, now)
			}
			v.Steps = append(v.Steps, trace.Step{Send: trace.None, Actor: trace.None, Prev: last, Kind: passes})
			for _, x := range passing {
				x.Step = now
				v.Touches = append(v.Touches, x)
			}
			last = now
		}
		if int(i) == len(t.Steps) {
			break
		}
		now := int32(len(v.Steps))
		p.at = append(p.at, now)
		for ; len(touches) > 0 && touches[0].Step == i; touches = touches[1:] {
			x := touches[0]
			x.Step = now
			v.Touches = append(v.Touches, x)
		}
		st := t.Steps[i]
		st.Prev = p.number(st.Prev)
		v.Steps = append(v.Steps, st)
	}
}

// number returns the number of a step in the view.
func (p *passed) number(step int32) int32 {
	if step < 0 {
		return step
	}
	return p.at[step]
}

// takeSends puts the messages into the view, and finds the pass that fired each timer.
func (p *passed) takeSends(t *trace.Trace) {
	p.view.Sends = append(p.view.Sends[:0], t.Sends...)
	p.fired = p.fired[:0]
	for i := range p.view.Sends {
		d := &p.view.Sends[i]
		d.Step, d.Receipt = p.number(d.Step), p.number(d.Receipt)
		p.fired = append(p.fired, trace.None)
		if !d.Kind.IsTimer() || d.Seq == 0 {
			continue
		}
		at := trace.None
		for _, x := range t.Passes {
			if x.How == trace.ByTest {
				continue
			}
			if x.Seq >= d.Seq {
				break
			}
			at++
		}
		p.fired[i] = at // the index of the pass; replaced by its number below
	}
	number := p.numbers()
	for i, at := range p.fired {
		if at >= 0 {
			p.fired[i] = number[at]
		}
	}
}

// numbers returns the step numbers of all passes.
func (p *passed) numbers() (list []int32) {
	for i := range p.view.Steps {
		if p.view.Steps[i].Kind == passes {
			list = append(list, int32(i))
		}
	}
	return list
}

// takeActors puts the actors into the view.
func (p *passed) takeActors(t *trace.Trace) {
	p.view.Actors = append(p.view.Actors[:0], t.Actors...)
	for i := range p.view.Actors {
		a := &p.view.Actors[i]
		a.Step, a.Ended = p.number(a.Step), p.number(a.Ended)
	}
}

// of returns the number of the step taken at a pick, given the number of early passes
// taken before it.
func (p *passed) of(w *path, n *node, passesBefore int) int32 {
	if len(p.view.Steps) == 0 || w.taken(n).kind != aPass {
		return p.after(n.step)
	}
	return p.early[passesBefore]
}

// after returns the number that a step of the run has, or would have.
func (p *passed) after(step int32) int32 {
	switch {
	case len(p.view.Steps) == 0:
		return step
	case int(step) < len(p.at):
		return p.at[step]
	}
	return int32(len(p.view.Steps))
}

// before returns how many steps of the view are shared if `shared` steps of the run are.
func (p *passed) before(shared int) int {
	if shared == 0 || len(p.view.Steps) == 0 {
		return shared
	}
	return int(p.at[shared-1]) + 1
}

// passCandidate returns the early pass among the candidates of a pick, nil if there is
// none.
func (p *path) passCandidate(n *node) *candidate {
	list := p.of(n)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].kind == aPass {
			return &list[i]
		}
	}
	return nil
}

// markPasses marks the early passes, even sleeping ones, that could have replaced a step
// that conflicts with time. The step may prevent a later pass, for example by stopping a
// timer, so that no run with the step shows that pass. The runs with the pass instead of
// the step show what must then come before the step, such as an earlier timer.
func (r *reducer) markPasses(t *trace.Trace) {
	for _, x := range t.Touches {
		if !isOfTime(x) || x.Step >= r.races.limit {
			continue
		}
		if n := r.nodeOf(x.Step); n != nil {
			if c := r.path.passCandidate(n); c != nil {
				c.mark = c.mark&^asleep | todo
			}
		}
	}
}

// timeCanPass reports whether, as far as known, the passes that a race needs can come
// before its step.
func (r *reducer) timeCanPass(rc race) bool {
	if r.races.fired == nil {
		return true
	}
	r.races.withCrashes = false
	needed := 0
	for _, k := range r.races.crashes {
		if k > rc.step && r.races.trace.Steps[k].Kind == passes && (r.races.later(rc) == k || r.races.isNeeded(k, rc)) {
			needed++
		}
	}
	if left := r.early - int(r.used[r.pickOf[rc.step]]); needed > 0 && r.early >= 0 && needed > left {
		return false
	}
	return rc.message != trace.None || r.races.trace.Steps[rc.crash].Kind != passes || r.races.setsTimerOnTheWay(rc) && r.races.leavesTimer(rc)
}

// setsTimerOnTheWay reports whether a step that sets or stops a timer comes before the
// pass of a race and does not need the race's step. If not, the pass can replace the
// race's step only if it can be picked there, and then it is already marked.
func (r *races) setsTimerOnTheWay(rc race) bool {
	return slices.ContainsFunc(r.meetings.touches, func(x trace.Touch) bool {
		return x.What == trace.TheTimers && x.Step > rc.step && x.Step < rc.crash && !r.isBefore(rc.step, x.Step)
	})
}

// leavesTimer reports whether a timer for the pass of a race may be pending if the pass is
// reversed with the race's step. Stopped timers count too: telling them apart saves one run in thirty thousand.
func (r *races) leavesTimer(rc race) bool {
	for m := range r.trace.Sends {
		d := &r.trace.Sends[m]
		isThere := d.Step < rc.step || d.Step < rc.crash && !r.isBefore(rc.step, d.Step)
		if d.Kind.IsTimer() && isThere && (r.fired[m] < 0 || r.fired[m] >= rc.step) {
			return true
		}
	}
	return false
}
