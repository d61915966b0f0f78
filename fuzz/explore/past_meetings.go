package explore

import "github.com/jostle-go/jostle/pulse/trace"

// meetings holds, for each step of a run, which earlier steps it meets. Two steps meet if
// they conflict on the lifetime of an actor, on test state, or on time (if one of them is a
// pass). A search that heeds them keeps their order and reverses them like races.
type meetings struct {
	// heeded: the reduction reverses conflicts on lifetimes and test state, so a step
	// happens after those that it meets. Otherwise there are only conflicts on time.
	heeded  bool
	touches []trace.Touch // of lifetimes, of the test and of time
	// before is, for each touch, the previous touch of the same thing, -1 for none.
	before []int32
	// first is, for each step, the index of its first touch.
	first []int32
	last  map[int32]int32 // for each actor, the last touch of its lifetime; negative keys: for all else
	// answers are the steps that answer an Ask of the test, if heeded. The test's
	// next action depends on all steps before the answer, so it conflicts with all.
	answers []int32
}

// isAnswer reports whether a step is the answer to an Ask of the test.
func isAnswer(t *trace.Trace, step int32) bool {
	st := &t.Steps[step]
	return st.Actor == trace.Test && st.Send >= 0 && t.Sends[st.Send].Kind == trace.Reply
}

// learnAnswers finds the steps of a run that are answers.
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

// lastAnswer returns the last answer before a step, -1 if there is none.
func (ms *meetings) lastAnswer(before int32) int32 {
	for i := len(ms.answers) - 1; i >= 0; i-- {
		if ms.answers[i] < before {
			return ms.answers[i]
		}
	}
	return -1
}

// learn links the touches of a run.
func (ms *meetings) learn(t *trace.Trace) {
	ms.learnAnswers(t)
	ms.touches = ms.touches[:0]
	for i := range t.Touches {
		switch t.Touches[i].What {
		case trace.ItsLife, trace.TheTest: // such as the events of a history
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
		if x.What != trace.ItsLife { // there is only one of each
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

// any reports whether steps from number `from` on meet others.
func (ms *meetings) any(from int) bool {
	n, k := len(ms.touches), len(ms.answers)
	return n > 0 && int(ms.touches[n-1].Step) >= from || k > 0 && int(ms.answers[k-1]) >= from
}

// none reports whether no step of the run meets another.
func (ms *meetings) none() bool { return len(ms.touches) == 0 && len(ms.answers) == 0 }

// each calls do with the earlier steps that a step meets, except those that one of these
// meets in turn: the last that changed the lifetime and, if this step changes it, all that
// have read it since. do may be called several times with one step.
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
