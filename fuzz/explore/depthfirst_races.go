package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A race is a message and a step of its receiver such that the message could have been
// received before the step: the step does not happen before the send, and the two
// messages are not from one channel. The receipt may be missing: the message could have
// been received before its receiver ended or stopped wanting it.
//
// If meetings are heeded, the receipt of the message may also conflict with a step of
// another actor.
//
// A crash that could have come before a step of its actor, or before one that it
// conflicts with, is a race too. It has no message, but the step of the crash.
type race struct {
	step, message int32
	crash         int32
}

// races finds the races of a run.
type races struct {
	past
	list []race
	// limit is how many of the run's steps count. A run that stopped because all
	// candidates sleep may have taken, after its last pick, sleeping messages that
	// were the only ones deliverable.
	limit int32
	// bounded reports whether mailboxes are bounded.
	bounded bool
	crashes []int32       // the steps that are crashes or passes
	lives   []trace.Touch // scratch
	// withCrashes leaves out no crash before a reversed race.
	withCrashes bool
	// kept holds what candidates' steps are known to touch.
	kept *touches
}

// learn computes the sets of steps, as past.learn does, and what else races need.
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

// find lists the races of the messages received from step `from` on, and of those not
// received at all.
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

// findOf lists the races of a message with step i of its receiver and, if that is a
// process, with earlier steps.
//
// For an actor that takes any message one race is enough: a run with the message before
// step i shows the race with the previous step. A process that did not want the message
// at step i may have wanted it earlier.
//
// A Down that an Unwatch dropped could have come before the Unwatch, which need not be
// the last step. The same holds for a message dropped from a full mailbox.
//
// A message that a crash lost or prevented could have come before the crash. These orders
// are run from the receipt of the message, because crashes come last.
//
// A dropped message has no channel: it is a late answer, or was lost by a fault.
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

// findMet lists the races between step j and the steps that it conflicts with, except
// those that messages order before it.
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

// findAnswered lists the races between the answer in step j and the steps since the
// previous answer, except those that messages order before step j.
func (r *races) findAnswered(j int32) {
	st := &r.trace.Steps[j]
	for i := j - 1; i >= r.lastRest(j) && i > r.meetings.lastAnswer(j); i-- {
		if !r.isBefore(i, st.Prev) && !r.isBefore(i, r.cause(j)) {
			r.list = append(r.list, race{step: i, message: st.Send})
		}
	}
}

// isBefore reports whether step i is step j or happens before it.
func (r *races) isBefore(i, j int32) bool { return j >= 0 && (i == j || i < j && has(r.of(j), i)) }

// isMet reports whether the two steps of a race are of different actors.
func (r *races) isMet(rc race) bool {
	if rc.message == trace.None {
		return r.trace.Steps[rc.crash].Actor != r.trace.Steps[rc.step].Actor
	}
	return r.trace.Sends[rc.message].To != r.trace.Steps[rc.step].Actor
}

// A certainty says whether an actor would have taken a message.
type certainty uint8

const (
	never certainty = iota
	always
	perhaps
)

// couldTake returns whether a message could have been taken instead of the message of
// a step.
func (p *past) couldTake(st *trace.Step, d *trace.Send) certainty {
	switch {
	case d.Kind == trace.Kill:
		return always
	case st.Kind != trace.Receive:
		return perhaps
	case (d.Kind == trace.Timer || d.Kind == trace.Poll) && d.Ask != 0: // it ends the wait that began in the step that set it
		return certain(p.waitBegan(st) == d.Step)
	case d.Kind == trace.Reply && d.To == trace.Test: // while the test asks, it takes anything
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

// waitedFor returns the number of the Ask that a step's actor was waiting on.
func (p *past) waitedFor(st *trace.Step) int32 {
	d := &p.trace.Sends[st.Send]
	if d.Kind != trace.Kill {
		return d.Ask
	}
	for m := range p.trace.Sends { // what the actor asked in the step in which its wait began
		if q := &p.trace.Sends[m]; q.From == st.Actor && q.Step == p.waitBegan(st) && q.Ask != 0 && q.Kind == trace.Message {
			return q.Ask
		}
	}
	return 0
}

// waitBegan returns the step in which the wait began that st ended: the actor's previous
// receipt. Faults of the actor in between are not receipts.
func (p *past) waitBegan(st *trace.Step) int32 {
	i := st.Prev
	for i >= 0 && p.trace.Steps[i].Kind != trace.Receive {
		i = p.trace.Steps[i].Prev
	}
	return i
}
