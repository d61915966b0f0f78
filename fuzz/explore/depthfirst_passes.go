package explore

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A pass is a clock tick, a point at which virtual time advances. A tick is early if
// messages are still deliverable. If the program allows early timers, and no other kind
// of event can occur between two steps, an early tick is chosen like a message. The
// search treats each tick, early or not, as a step. The tick happens after the previous
// tick, and it conflicts only with steps that read the time, or set or stop a timer. A
// timer's message can be received at any time after the tick at which the timer fired. So
// the steps before a tick do not happen before the steps after it, unless the test called
// Run in between.
//
// An early tick is taken in three cases:
//
//   - To reverse a race, a consequence of the tick must come before a step.
//   - A step conflicts with ticks, so a tick could have come before that step.
//   - Every candidate except the tick sleeps.

// passes is the kind of the steps that represent clock ticks: see passed.
const passes = trace.StepKind(math.MaxUint8)

// passing lists the accesses of a clock tick (see trace.Touch).
var passing = []trace.Touch{{Actor: trace.None, What: trace.TheTime}, {Actor: trace.None, What: trace.TheTimers}}

func isOfTime(x trace.Touch) bool { return x.What == trace.TheTime || x.What == trace.TheTimers }

// meetsPass reports whether a step with the access x conflicts with clock ticks.
func meetsPass(x trace.Touch) bool { return isOfTime(x) || x.What == trace.AllSteps }

// picksPasses reports whether the search of a program chooses early clock ticks like
// messages. Only then t.Passes is filled.
func picksPasses(t *trace.Trace) bool { return len(t.Passes) > 0 }

// passedSince reports whether, after the given step, the clock has ticked at a quiescent
// point. A sleeping early tick no longer sleeps then, because the tick has happened.
func passedSince(t *trace.Trace, step int32) bool {
	for i := len(t.Passes) - 1; i >= 0 && t.Passes[i].Before > step; i-- {
		if t.Passes[i].How != trace.Early {
			return true
		}
	}
	return false
}

// ticks reports whether time may advance without an element of t.Passes. The causes are
// faults, and periodic timers, which fire while messages are still deliverable.
func ticks(t *trace.Trace) bool {
	return len(t.Strikes) > 0 || slices.ContainsFunc(t.Sends, func(d trace.Send) bool { return d.Kind == trace.Periodic })
}

// steps returns the number of steps that a candidate adds to the trace: 0 for a clock
// tick, otherwise 1.
func (c *candidate) steps() int32 {
	if c.kind == aPass {
		return 0
	}
	return 1
}

// passed converts the trace of a run to a view: a trace in which clock ticks are steps
// too.
type passed struct {
	view  trace.Trace
	at    []int32 // for each step of the run, the step's number in the view
	early []int32 // the step numbers, in the view, of the early ticks
	fired []int32 // for each timer message, the tick at which the timer fired; trace.None if it did not fire
}

// see returns the trace in which the search looks for races. It is the view (see passed)
// if clock ticks are chosen, otherwise t.
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

// takeSteps copies the steps and clock ticks of a run, with their accesses, into the
// view.
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

// number converts the number of a step of the run to the step's number in p.view. It
// returns a negative number unchanged.
func (p *passed) number(step int32) int32 {
	if step < 0 {
		return step
	}
	return p.at[step]
}

// takeSends copies the messages into the view, and finds the clock tick that fired each
// timer.
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
		p.fired[i] = at // the tick's index among all ticks; the loop below replaces the index by the tick's step number
	}
	number := p.numbers()
	for i, at := range p.fired {
		if at >= 0 {
			p.fired[i] = number[at]
		}
	}
}

// numbers returns the step numbers of all clock ticks in the view.
func (p *passed) numbers() (list []int32) {
	for i := range p.view.Steps {
		if p.view.Steps[i].Kind == passes {
			list = append(list, int32(i))
		}
	}
	return list
}

// takeActors copies the actors into the view.
func (p *passed) takeActors(t *trace.Trace) {
	p.view.Actors = append(p.view.Actors[:0], t.Actors...)
	for i := range p.view.Actors {
		a := &p.view.Actors[i]
		a.Step, a.Ended = p.number(a.Step), p.number(a.Ended)
	}
}

// of returns the number, in p.view, of the step taken at choice point n. The argument
// passesBefore is the number of early ticks taken before n.
func (p *passed) of(w *path, n *node, passesBefore int) int32 {
	if len(p.view.Steps) == 0 || w.taken(n).kind != aPass {
		return p.after(n.step)
	}
	return p.early[passesBefore]
}

// after converts the number of a step of the run to the step's number in p.view. If the
// run has no such step, it returns the number of steps in the view.
func (p *passed) after(step int32) int32 {
	switch {
	case len(p.view.Steps) == 0:
		return step
	case int(step) < len(p.at):
		return p.at[step]
	}
	return int32(len(p.view.Steps))
}

// before returns the number of steps that the views of two runs share if the runs share
// their first `shared` steps.
func (p *passed) before(shared int) int {
	if shared == 0 || len(p.view.Steps) == 0 {
		return shared
	}
	return int(p.at[shared-1]) + 1
}

// passCandidate returns the early clock tick among the candidates of a choice point, nil
// if there is none.
func (p *path) passCandidate(n *node) *candidate {
	list := p.of(n)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].kind == aPass {
			return &list[i]
		}
	}
	return nil
}

// markPasses marks for exploration each early clock tick that could have come in place of
// a step that conflicts with ticks, even if the tick sleeps. The step may prevent a later
// tick, for example by stopping a timer. Then no run with the step contains the later
// tick, so no run with the step shows the races of that tick.
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

// timeCanPass returns false if a race cannot be reversed because clock ticks that must
// come before the race's step are impossible.
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

// setsTimerOnTheWay reports whether a step between the two steps of a race sets or stops
// a timer and does not happen after the race's step. The later step of the race is a
// clock tick. Without such a step, the tick can come first only if the tick is a
// candidate at the race's step. In that case markPasses marks the tick.
func (r *races) setsTimerOnTheWay(rc race) bool {
	return slices.ContainsFunc(r.meetings.touches, func(x trace.Touch) bool {
		return x.What == trace.TheTimers && x.Step > rc.step && x.Step < rc.crash && !r.isBefore(rc.step, x.Step)
	})
}

// leavesTimer reports whether a timer may be pending if the clock tick of a race comes
// before the race's step. A stopped timer counts as pending, because excluding stopped
// timers would save only one run in thirty thousand.
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
