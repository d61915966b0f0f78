package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A past holds the happens-before relation of a run: for each step, the bit set of the
// steps that happened before it. The sets of steps shared with the previous run are not
// recomputed.
//
// A step happens after the step that sent its message, and after the previous step of its
// actor. It also happens after all steps before the last quiescent point
// (trace.Trace.Rests) that precedes it, because the test or the clock continued at that
// point. A fault between two steps happens after the earlier steps of its actor, and
// after the step that spawned the actor.
type past struct {
	trace *trace.Trace
	words int      // the length of one set, in words
	bits  []uint64 // the happens-before sets; the set of step i is bits[i*words : (i+1)*words]
	// rests lists the numbers of the steps before which the system was quiescent.
	rests []int32
	// isProcess says for each actor whether it is a process, which may leave messages
	// waiting. It is set by learnProcesses.
	isProcess []bool
	meetings  meetings
	fired     []int32  // for each timer message, the tick at which the timer fired; nil unless early clock ticks are explored
	scratch   []uint64 // scratch memory for one set
}

// learn computes the happens-before sets of step number `from` and all later steps.
// Earlier steps are the same as in the previous run. learn returns the first step with a
// new set. The result is 0 if the sets were too small for the run, because then all sets
// are recomputed.
func (p *past) learn(t *trace.Trace, from int) int {
	p.trace, p.rests = t, t.Rests
	p.meetings.learn(t)
	n := len(t.Steps)
	if words := (n + 63) / 64; words > p.words {
		p.words, from = max(words, 2*p.words), 0
	}
	p.bits = grown(p.bits, n*p.words)
	if hasRested := len(p.rests) > 0 && int(p.rests[0]) < n; p.words == 1 && !hasRested && p.meetings.none() {
		p.learnShort(from)
		return from
	}
	for j := from; j < n; j++ {
		p.learnStep(int32(j))
	}
	return from
}

// learnShort is the loop of learn for runs with at most 64 steps in which only messages
// order steps. It takes half the time of learnStep, and most runs are such runs.
func (p *past) learnShort(from int) {
	bits, steps := p.bits, p.trace.Steps
	for j := from; j < len(steps); j++ {
		set := uint64(0)
		if i := steps[j].Prev; i >= 0 {
			set = bits[i] | 1<<(i&63)
		}
		if i := p.cause(int32(j)); i >= 0 {
			set |= bits[i] | 1<<(i&63)
		}
		bits[j] = set
	}
}

// learnProcesses sets p.isProcess.
func (p *past) learnProcesses() {
	p.isProcess = grown(p.isProcess, len(p.trace.Actors))
	clear(p.isProcess)
	sends := p.trace.Sends
	for m := range sends {
		if d := &sends[m]; d.Kind == trace.Start {
			p.isProcess[d.To] = true
		}
	}
}

// grown returns list with length n. It keeps the existing elements, and reallocates list
// if necessary.
func grown[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list[:n]
	}
	return append(list[:cap(list)], make([]T, n-cap(list))...)
}

// of returns the set of the steps that happened before the given step.
func (p *past) of(step int32) []uint64 { return p.bits[int(step)*p.words : int(step+1)*p.words] }

// learnStep computes the set of the steps that happened before step j.
func (p *past) learnStep(j int32) {
	st := &p.trace.Steps[j]
	set := p.of(j)
	clear(set)
	if len(p.rests) > 0 {
		fill(set, p.lastRest(j))
	}
	p.join(set, p.cause(j))
	p.join(set, st.Prev)
	p.meetings.each(j, func(earlier int32) { p.join(set, earlier) })
	if len(p.meetings.answers) > 0 {
		if slices.Contains(p.meetings.answers, j) {
			fill(set, j)
		} else {
			fill(set, p.meetings.lastAnswer(j)+1)
		}
	}
}

// cause returns the step that sent the message of step j or, if j is a fault, the step
// that spawned its actor. It returns a negative number if the test sent the message or
// spawned the actor.
func (p *past) cause(j int32) int32 {
	switch st := &p.trace.Steps[j]; {
	case st.Kind == passes:
		return trace.None
	case st.Send == trace.None:
		return p.trace.Actors[st.Actor].Step
	default:
		return p.sent(st.Send)
	}
}

// sent returns the step after which message m could be received: the step that sent m or,
// if early clock ticks are chosen and m is a timer, the tick at which the timer fired.
func (p *past) sent(m int32) int32 {
	if p.fired != nil && p.fired[m] >= 0 {
		return p.fired[m]
	}
	return p.trace.Sends[m].Step
}

// lastRest returns the last quiescent point at or before a step, 0 if there is none.
func (p *past) lastRest(step int32) int32 {
	last := int32(0)
	for _, rest := range p.rests {
		if rest <= step {
			last = rest
		}
	}
	return last
}

// join adds a step, and all steps that happened before that step, to a set.
func (p *past) join(set []uint64, step int32) {
	if step < 0 {
		return
	}
	for w, x := range p.of(step) {
		set[w] |= x
	}
	set[step>>6] |= 1 << (step & 63)
}

// fill adds the steps 0 to before-1 to a set.
func fill(set []uint64, before int32) {
	w := int(before >> 6)
	for i := range w {
		set[i] = ^uint64(0)
	}
	if rest := before & 63; rest != 0 {
		set[w] |= 1<<rest - 1
	}
}

func has(set []uint64, step int32) bool { return set[step>>6]>>(step&63)&1 != 0 }

// hasAfter reports whether set contains a step after step i.
func hasAfter(set []uint64, i int32) bool {
	w := int(i >> 6)
	if set[w]>>(i&63)>>1 != 0 {
		return true
	}
	for _, x := range set[w+1:] {
		if x != 0 {
			return true
		}
	}
	return false
}

// lastOf returns the last step of an actor before step j, -1 if there is none.
func (p *past) lastOf(actor, j int32) int32 {
	for i := j - 1; i >= 0; i-- {
		if p.trace.Steps[i].Actor == actor {
			return i
		}
	}
	return -1
}

// beforeMessage returns the set of steps that happened before message m could be
// received: the step that sent m, and all steps before that step. For a timer it returns
// all steps before the quiescent point at which the timer could fire. The set is valid
// until the next call.
func (p *past) beforeMessage(m int32) []uint64 {
	p.scratch = grown(p.scratch, p.words)
	set := p.scratch
	clear(set)
	d := &p.trace.Sends[m]
	p.join(set, p.sent(m))
	switch {
	case len(p.rests) == 0:
	case d.Kind.IsTimer() && p.fired == nil:
		fill(set, p.fires(d))
	case d.Step < 0:
		fill(set, p.sentByTest(m))
	}
	return set
}

// fires returns the first quiescent point at which a timer can have fired. If the
// receiver is not a process, it leaves no message waiting. Then the result for a received
// message is the last quiescent point before the receipt.
func (p *past) fires(d *trace.Send) int32 {
	if d.Receipt >= 0 && !p.isProcess[d.To] {
		return p.lastRest(d.Receipt)
	}
	for _, rest := range p.rests {
		if rest > d.Step {
			return rest
		}
	}
	return 0
}

// sentByTest returns the quiescent point at which the test sent message m. The test runs
// only at quiescent points, so the result is the first quiescent point after the steps
// that sent the messages before m.
func (p *past) sentByTest(m int32) int32 {
	for i := m - 1; i >= 0; i-- {
		if step := p.trace.Sends[i].Step; step >= 0 {
			for _, rest := range p.rests {
				if rest > step {
					return rest
				}
			}
			return int32(len(p.trace.Steps))
		}
	}
	return 0
}

// A certainty says whether an actor would have taken a message: never, always or perhaps.
type certainty uint8

const (
	never certainty = iota
	always
	perhaps
)

// certain returns always or never.
func certain(is bool) certainty {
	if is {
		return always
	}
	return never
}

// couldTake says whether the receiver of message d would have taken d instead of the
// message of step st.
func (p *past) couldTake(st *trace.Step, d *trace.Send) certainty {
	switch {
	case d.Kind == trace.Kill:
		return always
	case st.Kind != trace.Receive:
		return perhaps
	case (d.Kind == trace.Timer || d.Kind == trace.Poll) && d.Ask != 0: // such a timer ends only the wait that began in the step that set the timer
		return certain(p.waitBegan(st) == d.Step)
	case d.Kind == trace.Reply && d.To == trace.Test: // a test that waits in Ask takes every answer that was not dropped
		return certain(d.Fate != trace.Dropped)
	case d.Kind == trace.Reply:
		return certain(st.Wanted == trace.ItsAnswer && p.waitedFor(st) == d.Ask)
	}
	switch st.Wanted {
	case trace.Anything:
		return always
	case trace.SomeMatch:
		return perhaps
	case trace.ItsStart:
		return certain(d.Kind == trace.Start)
	}
	return never
}

// waitedFor returns the number of the Ask whose answer the actor of step st was waiting
// for.
func (p *past) waitedFor(st *trace.Step) int32 {
	d := &p.trace.Sends[st.Send]
	if d.Kind != trace.Kill {
		return d.Ask
	}
	for m := range p.trace.Sends { // find the Ask that the actor sent in the step in which the wait began
		if q := &p.trace.Sends[m]; q.From == st.Actor && q.Step == p.waitBegan(st) && q.Ask != 0 && q.Kind == trace.Message {
			return q.Ask
		}
	}
	return 0
}

// waitBegan returns the step in which the actor began the wait that step st ended. It is
// the actor's previous step that received a message, because faults do not end a wait.
func (p *past) waitBegan(st *trace.Step) int32 {
	i := st.Prev
	for i >= 0 && p.trace.Steps[i].Kind != trace.Receive {
		i = p.trace.Steps[i].Prev
	}
	return i
}
