package explore

import "github.com/jostle-go/jostle/pulse/trace"

// meetings holds, for each step of a run, the earlier steps with which it conflicts on
// the lifetime of an actor, on test state or on time. Steps conflict on time only with
// clock ticks. If heeded is set, conflicting steps are ordered by happens-before, and the
// search reverses conflicts like races.
type meetings struct {
	// heeded is set if the reduction reverses conflicts on lifetimes and test state.
	// Then a step happens after the earlier steps with which the step conflicts. If
	// heeded is not set, only conflicts on time are listed.
	heeded  bool
	touches []trace.Touch // accesses to lifetimes, test state and time
	// before is, for each access, the previous access to the same thing, -1 for none.
	before []int32
	// first is, for each step, the index in touches of the first access by that step
	// or a later step.
	first []int32
	last  map[int32]int32 // for each actor, the last access to its lifetime; negative keys stand for test state, time and timers
	// answers lists the steps that answer an Ask of the test, if heeded is set. An
	// answer conflicts with all steps, because the test's next action depends on all
	// steps before the answer.
	answers []int32
}

// isAnswer reports whether a step receives the answer to an Ask of the test.
func isAnswer(t *trace.Trace, step int32) bool {
	st := &t.Steps[step]
	return st.Actor == trace.Test && st.Send >= 0 && t.Sends[st.Send].Kind == trace.Reply
}

// learnAnswers sets ms.answers, the steps that receive an answer to an Ask of the test.
func (ms *meetings) learnAnswers(t *trace.Trace) {
	ms.answers = ms.answers[:0]
	if !ms.heeded {
		return
	}
	for _, x := range t.Touches {
		if x.What == trace.AllSteps && isAnswer(t, x.Step) {
			ms.answers = append(ms.answers, x.Step)
		}
	}
}

// lastAnswer returns the last step in ms.answers that precedes step `before`, -1 if there
// is none.
func (ms *meetings) lastAnswer(before int32) int32 {
	for i := len(ms.answers) - 1; i >= 0; i-- {
		if ms.answers[i] < before {
			return ms.answers[i]
		}
	}
	return -1
}

// firstObject is the key in meetings.last of the object with number 0. The keys of other
// objects are smaller. The numbers are less than trace.Objects.
const firstObject = -1 << 30

// learn collects the accesses and answers of a run.
func (ms *meetings) learn(t *trace.Trace) {
	ms.learnAnswers(t)
	ms.touches = ms.touches[:0]
	for i := range t.Touches {
		switch t.Touches[i].What {
		case trace.ItsLife, trace.TheTest, trace.AnObject, trace.NewObjects: // an access to test state is, for example, the addition of an event to a history
			if !ms.heeded {
				continue
			}
		case trace.TheTime, trace.TheTimers:
		default:
			continue
		}
		ms.touches = append(ms.touches, t.Touches[i])
	}
	if len(ms.touches) == 0 {
		return
	}
	if ms.last == nil {
		ms.last = map[int32]int32{}
	}
	clear(ms.last)
	ms.before = grown(ms.before, len(ms.touches))
	ms.first = grown(ms.first, len(t.Steps)+1)
	step := int32(0)
	for i, x := range ms.touches {
		for ; step <= x.Step; step++ {
			ms.first[step] = int32(i)
		}
		ms.before[i] = -1
		of := x.Actor
		switch {
		case x.What == trace.AnObject:
			of = firstObject - x.Actor
		case x.What != trace.ItsLife: // test state, time and timers belong to no actor
			of = trace.None - int32(x.What)
		}
		if k, had := ms.last[of]; had {
			ms.before[i] = k
		}
		ms.last[of] = int32(i)
	}
	for ; int(step) <= len(t.Steps); step++ {
		ms.first[step] = int32(len(ms.touches))
	}
}

// any reports whether step `from` or a later step may conflict with another step.
func (ms *meetings) any(from int) bool {
	n, k := len(ms.touches), len(ms.answers)
	return n > 0 && int(ms.touches[n-1].Step) >= from || k > 0 && int(ms.answers[k-1]) >= from
}

// none reports whether the run has no accesses and no answers, and therefore no
// conflicts.
func (ms *meetings) none() bool { return len(ms.touches) == 0 && len(ms.answers) == 0 }

// each calls do for the earlier steps that conflict with a step. They are the last step
// that wrote the same thing and, if the given step writes, all steps that have read that
// thing since. Conflicts with steps before that write follow by transitivity. For one
// step, each may call do several times.
func (ms *meetings) each(step int32, do func(earlier int32)) {
	if len(ms.touches) == 0 {
		return
	}
	for i := ms.first[step]; i < ms.first[step+1]; i++ {
		x := &ms.touches[i]
		for k := ms.before[i]; k >= 0; k = ms.before[k] {
			y := &ms.touches[k]
			if y.Step != step && x.Meets(*y) {
				do(y.Step)
			}
			if !y.Reads && y.Step != step {
				break
			}
		}
	}
}

// misfit checks whether the reduction supports all conflicts of step `from` and later
// steps. It returns a zero handover if messages order all conflicting steps, or if the
// search reverses the remaining conflicts. Otherwise it returns the handover to restart
// with, because two runs may differ although every actor receives the same messages in
// the same order.
func (p *past) misfit(from int) handover {
	list := p.trace.Touches
	for i := range list {
		switch x := &list[i]; x.What {
		case trace.ItsPlace, trace.ItsName:
			if !p.ordersSpawns(*x) {
				return handover{Everything, false, whySpawns}
			}
		case trace.ItsLife, trace.TheTest, trace.AnObject, trace.NewObjects:
			if !p.meetings.heeded && int(x.Step) >= from && !p.ordersLike(list, i) {
				return handover{SourceSets, true, whyMet(*x)}
			}
		case trace.TheTime, trace.TheTimers:
		case trace.ItsSteps:
			return handover{Everything, true, whyTouches}
		case trace.AllSteps:
			switch {
			case isAnswer(p.trace, x.Step) && p.meetings.heeded, p.ordersAll(x.Step, from):
			case isAnswer(p.trace, x.Step):
				return handover{SourceSets, true, whyAnswers}
			default:
				return handover{Everything, true, whyLooks}
			}
		case trace.TheRest:
			if !p.meetings.heeded {
				return handover{SourceSets, true, whyAnswers}
			}
		default:
			if int(x.Step) >= from && !p.ordersLike(list, i) {
				return handover{Everything, true, whyTouches}
			}
		}
	}
	return handover{}
}

// whyMet returns the reason for a restart if the access x conflicts with an access by another step
// and messages do not order the two steps.
func whyMet(x trace.Touch) reason {
	switch x.What {
	case trace.TheTest:
		return whyTest
	case trace.AnObject, trace.NewObjects:
		return whyObjects
	}
	return whyLives
}

// ordersLike reports whether the step of access i happens after all earlier steps with
// conflicting accesses to the same thing. It stops at the last earlier write, because the
// conflicts of that write were checked before.
func (p *past) ordersLike(list []trace.Touch, i int) bool {
	x := &list[i]
	for k := i - 1; k >= 0; k-- {
		y := &list[k]
		if y.Actor != x.Actor || !x.Same(*y) || x.Reads && y.Reads {
			continue
		}
		if !p.inOrder(y.Step, x.Step) {
			return false
		}
		if !y.Reads {
			return true
		}
	}
	return true
}

// ordersAll reports whether happens-before orders the given step with step `from` and
// with every later step.
func (p *past) ordersAll(step int32, from int) bool {
	if int(step) >= from {
		from = 0
	}
	for i := from; i < len(p.trace.Steps); i++ {
		if !p.inOrder(int32(i), step) {
			return false
		}
	}
	return true
}

// ordersSpawns reports whether messages order all spawns that determine the index or name
// of an actor, which a step has read.
func (p *past) ordersSpawns(x trace.Touch) bool {
	own := &p.trace.Actors[x.Actor]
	for i := range p.trace.Actors {
		a := &p.trace.Actors[i]
		switch {
		case int32(i) == x.Actor || x.What == trace.ItsName && a.Label != own.Label:
		case !p.inOrder(own.Step, a.Step), x.What == trace.ItsName && !p.inOrder(x.Step, a.Step):
			return false
		}
	}
	return true
}

// inOrder reports whether two steps are equal or one happens before the other. Negative
// numbers stand for the test, which is ordered with every step.
func (p *past) inOrder(i, j int32) bool {
	if i > j {
		i, j = j, i
	}
	return i < 0 || i == j || has(p.of(j), i)
}
