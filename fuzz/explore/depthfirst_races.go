package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A race is a message and an earlier step of its receiver, if the message could have been
// received before that step. Two conditions must hold: the step does not happen before
// the send, and the step's message came through another channel. The message need not
// have been received in the run, because its receiver may have ended or stopped waiting.
//
// If meetings.heeded is set, the earlier step may also be a step of another actor that
// conflicts with the receipt of the message.
//
// A crash or clock tick that could have come before an earlier, conflicting step is also
// a race. Then message is trace.None, and crash is the step of the crash or tick.
type race struct {
	step, message int32
	crash         int32
}

// races finds the races of a run.
type races struct {
	past
	list []race
	// limit is the number of steps of the run that count. If a run stopped because
	// all candidates sleep, its steps after the last choice point may have taken
	// sleeping messages, because each was the only deliverable message. Those steps
	// do not count.
	limit int32
	// bounded reports whether mailboxes are bounded.
	bounded bool
	crashes []int32       // the steps of the run that are crashes or clock ticks
	lives   []trace.Touch // scratch memory
	// withCrashes is set if no crash may be omitted before a reversed race: see
	// races.isNeeded.
	withCrashes bool
	// kept holds the known accesses (see touches) of the candidates' steps.
	kept *touches
}

// learn computes the happens-before sets, as past.learn does, and the lists isProcess and
// crashes. It returns the first step with a new set.
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

// find returns the races whose later step is step `from` or a later step, and the races
// of messages that were not received.
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

// findOf appends to r.list the races of message m with step i of its receiver and, if the
// receiver is a process, with earlier steps.
//
// For an actor that takes any message one race is enough, because a run with the message
// before step i contains the race with the previous step. A process that refused the
// message at step i may have wanted it earlier, so earlier steps are checked too.
//
// Earlier steps are also checked for a Down that an Unwatch dropped, because the Unwatch
// need not be the receiver's last step. The same holds for a message dropped from a full
// mailbox.
//
// A crash does not race with a message that was lost or prevented by the crash. Crashes
// come last, so the orders with the message first are found at the receipt of the
// message.
//
// A dropped message (a late answer, or a message lost by a fault) counts as having no
// channel.
func (r *races) findOf(m, i int32) {
	if i < 0 {
		return
	}
	d := &r.trace.Sends[m]
	if r.fired != nil && d.Kind.IsTimer() && r.fired[m] < 0 { // the timer never fired: it was stopped, or is due after the end of the run
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

// findMet appends to r.list the races between step j and the earlier steps that conflict
// with step j, unless messages order the two steps.
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

// findAnswered appends to r.list the races of step j, which receives the answer to an Ask
// of the test. They are races with the steps since the previous answer that messages do
// not order before step j.
func (r *races) findAnswered(j int32) {
	st := &r.trace.Steps[j]
	for i := j - 1; i >= r.lastRest(j) && i > r.meetings.lastAnswer(j); i-- {
		if !r.isBefore(i, st.Prev) && !r.isBefore(i, r.cause(j)) {
			r.list = append(r.list, race{step: i, message: st.Send})
		}
	}
}

// isBefore reports whether step i is equal to step j or happens before step j.
func (r *races) isBefore(i, j int32) bool { return j >= 0 && (i == j || i < j && has(r.of(j), i)) }

// isMet reports whether the two steps of a race are of different actors.
func (r *races) isMet(rc race) bool {
	if rc.message == trace.None {
		return r.trace.Steps[rc.crash].Actor != r.trace.Steps[rc.step].Actor
	}
	return r.trace.Sends[rc.message].To != r.trace.Steps[rc.step].Actor
}

// A certainty says whether an actor would have taken a message: never, always or perhaps.
type certainty uint8

const (
	never certainty = iota
	always
	perhaps
)

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

// certain returns always or never.
func certain(is bool) certainty {
	if is {
		return always
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
