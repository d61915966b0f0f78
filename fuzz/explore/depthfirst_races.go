package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A race is a message that could have been received before a step that came
// before its receipt: the step is of its receiver and does not happen before
// the sending of the message, and the two are not of one channel.
//
// The receipt may be missing: a message that was never received could have
// been, before its receiver ended or stopped wanting it.
//
// Where meetings are heeded, a race is also a message that was received in a step
// that meets one of another actor, and could have been received before that.
//
// A crash that could have come before a step of its actor, or before one that it meets,
// is a race too. It has no message, but the step of the crash.
type race struct {
	step, message int32
	crash         int32
}

// races finds the races of a run.
type races struct {
	past
	list []race
	// limit is how many of the run's steps count. A run that was given up
	// because all candidates sleep may have taken, after its last pick,
	// messages that were the only ones there and that sleep as well.
	limit int32
	// bounded reports whether there is a bound on how many messages wait for an actor.
	bounded bool
	crashes []int32       // the steps that are crashes, or passes of time
	lives   []trace.Touch // scratch
	// withCrashes: no crash is left out on the way to the race turned round.
	withCrashes bool
	// kept is what steps of candidates are known to touch.
	kept *touches
}

// learn computes the sets of steps as past.learn does, and what else races ask for.
func (r *races) learn(t *trace.Trace, from int) int {
	from = r.past.learn(t, from)
	r.learnProcesses()
	r.crashes = r.crashes[:0]
	for j := range t.Steps {
		if k := t.Steps[j].Kind; k == trace.Crash || k == passes {
			r.crashes = append(r.crashes, int32(j))
		}
	}
	return from
}

// find lists the races of the messages that were received from step `from`
// on, and of those that were not received at all.
func (r *races) find(from int) []race {
	r.list = r.list[:0]
	r.bounded = slices.ContainsFunc(r.trace.Touches, func(x trace.Touch) bool { return x.What == trace.ItsRoom })
	for j := from; j < int(r.limit); j++ {
		if st := &r.trace.Steps[j]; st.Send != trace.None {
			r.findOf(st.Send, st.Prev)
		} else if st.Kind == trace.Crash {
			r.findCrash(int32(j))
		}
		r.findMet(int32(j))
		if slices.Contains(r.meetings.answers, int32(j)) {
			r.findAnswered(int32(j))
		}
	}
	for m := range r.trace.Sends {
		if d := &r.trace.Sends[m]; d.Step < r.limit && (d.Receipt < 0 || d.Receipt >= r.limit) {
			r.findOf(int32(m), r.lastOf(d.To, r.limit))
		}
	}
	return r.list
}

// findOf lists the races of a message with step i of its receiver and, if that
// is a process, with the steps before.
//
// An actor that takes any message need be looked at only once: when a run has
// the message before step i, that run's races show the step before i. A
// process that did not want the message at step i may have wanted it earlier.
//
// What told of an end and was taken back by an Unwatch could have come before that,
// which is not the last step; and so could what gave way in a full mailbox.
//
// What a crash has lost, or keeps from being received, could have come before the
// crash; but that is run from where the message was received: crashes come last.
//
// A message that was dropped has no channel: it is an answer that came too
// late, or was lost by a fault.
func (r *races) findOf(m, i int32) {
	if i < 0 {
		return
	}
	d := &r.trace.Sends[m]
	if r.fired != nil && d.Kind.IsTimer() && r.fired[m] < 0 { // it was stopped, or comes too late
		return
	}
	before := r.beforeMessage(m)
	withdrawn := d.Fate == trace.Dropped && (d.Kind == trace.Down || r.bounded && d.Kind != trace.Reply)
	for i >= 0 && !has(before, i) {
		st := &r.trace.Steps[i]
		oneChannel := !r.trace.Unordered && st.Send >= 0 && (d.Fate != trace.Dropped || d.Kind == trace.Poll) && r.trace.Sends[st.Send].Channel == d.Channel
		if !oneChannel && st.Kind != trace.Crash && r.couldTake(st, d) != never {
			r.list = append(r.list, race{step: i, message: m})
		}
		if !r.isProcess[d.To] && !withdrawn && st.Kind != trace.Crash {
			return
		}
		i = st.Prev
	}
}

// findMet lists the races of what came in step j with the steps that this one
// meets, bar those that messages put before the step.
func (r *races) findMet(j int32) {
	st := &r.trace.Steps[j]
	r.meetings.each(j, func(i int32) {
		if r.trace.Steps[i].Actor == st.Actor || r.isBefore(i, st.Prev) || r.isBefore(i, r.cause(j)) ||
			len(r.rests) > 0 && i < r.lastRest(j) {
			return
		}
		rc := race{step: i, message: st.Send, crash: j}
		if st.Send != trace.None {
			rc.crash = 0
		}
		if !slices.Contains(r.list, rc) {
			r.list = append(r.list, rc)
		}
	})
}

// findAnswered lists the races of the answer in step j with the steps since the answer
// before it, bar those that messages put before step j.
func (r *races) findAnswered(j int32) {
	st := &r.trace.Steps[j]
	for i := j - 1; i >= r.lastRest(j) && i > r.meetings.lastAnswer(j); i-- {
		if !r.isBefore(i, st.Prev) && !r.isBefore(i, r.cause(j)) {
			r.list = append(r.list, race{step: i, message: st.Send})
		}
	}
}

// isBefore reports whether a step is another one, or happens before it.
func (r *races) isBefore(i, j int32) bool { return j >= 0 && (i == j || i < j && has(r.of(j), i)) }

// isMet reports whether a race is of two steps that meet.
func (r *races) isMet(rc race) bool {
	if rc.message == trace.None {
		return r.trace.Steps[rc.crash].Actor != r.trace.Steps[rc.step].Actor
	}
	return r.trace.Sends[rc.message].To != r.trace.Steps[rc.step].Actor
}

// A certainty is how far it is known that an actor would have taken a message.
type certainty uint8

const (
	never certainty = iota
	always
	perhaps
)

// couldTake returns whether a message could have been taken in place of that
// of a step.
func (p *past) couldTake(st *trace.Step, d *trace.Send) certainty {
	switch {
	case d.Kind == trace.Kill:
		return always
	case st.Kind != trace.Receive:
		return perhaps
	case (d.Kind == trace.Timer || d.Kind == trace.Poll) && d.Ask != 0: // it ends the wait that began in the step that set it
		return certain(p.waitBegan(st) == d.Step)
	case d.Kind == trace.Reply && d.To == trace.Test: // while it asks, it takes anything
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

func certain(is bool) certainty {
	if is {
		return always
	}
	return never
}

// waitedFor returns the number of the Ask whose answer an actor waited for
// when a step came.
func (p *past) waitedFor(st *trace.Step) int32 {
	d := &p.trace.Sends[st.Send]
	if d.Kind != trace.Kill {
		return d.Ask
	}
	for m := range p.trace.Sends { // what the actor asked in the step in which it began to wait
		if q := &p.trace.Sends[m]; q.From == st.Actor && q.Step == p.waitBegan(st) && q.Ask != 0 && q.Kind == trace.Message {
			return q.Ask
		}
	}
	return 0
}

// waitBegan returns the step in which the wait began that a step ended: the
// actor's receipt before it. What faults did to the actor in between is no
// receipt.
func (p *past) waitBegan(st *trace.Step) int32 {
	i := st.Prev
	for i >= 0 && p.trace.Steps[i].Kind != trace.Receive {
		i = p.trace.Steps[i].Prev
	}
	return i
}
