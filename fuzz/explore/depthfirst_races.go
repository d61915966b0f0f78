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

// eachSend calls do for each message sent in step `from` or later, paired with each
// earlier step of the message's receiver that does not happen before the send. The
// argument `before` of do is the set of the steps that happened before the message could
// be received.
func (r *races) eachSend(from int, do func(rc race, before []uint64)) {
	for m := range r.trace.Sends {
		d := &r.trace.Sends[m]
		if int(d.Step) < from || d.Step >= r.limit {
			continue
		}
		before := r.beforeMessage(int32(m))
		for k := r.lastOf(d.To, d.Step); k >= 0 && !has(before, k); k = r.trace.Steps[k].Prev {
			do(race{step: k, message: int32(m)}, before)
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

// isOf reports whether a candidate at the choice point of a race's step is the race's
// message or crash.
func (r *races) isOf(c *candidate, rc race) bool {
	if rc.message != trace.None {
		return c.kind == aMessage && c.send == rc.message
	}
	return c.kind != aMessage && c.actor == r.trace.Steps[rc.crash].Actor
}

// isOnTheWay reports whether a step comes before a reversed race. It does not if it happens after a
// crash that the race does not need (see isNeeded), because such a crash is omitted.
func (r *races) isOnTheWay(step int32, rc race) bool {
	for _, crash := range r.crashes {
		if crash > rc.step && r.isBefore(crash, step) && !r.isNeeded(crash, rc) {
			return false
		}
	}
	return true
}

// stepOf returns the step in which the run took c, a candidate at the choice point of
// step `other`. If the run did not take c after step `other`, the result is at most
// `other`.
func (r *races) stepOf(c *candidate, other int32) int32 {
	switch c.kind {
	case aMessage:
		return r.trace.Sends[c.send].Receipt
	case aCrash, aPass:
		for k := other + 1; k < r.limit; k++ {
			if st := &r.trace.Steps[k]; st.Send == trace.None && st.Actor == c.actor {
				return k
			}
		}
	}
	return trace.None
}

// later returns the later step of a race. The result is negative if the race's message
// was never received.
func (r *races) later(rc race) int32 {
	if rc.message != trace.None {
		return r.trace.Sends[rc.message].Receipt
	}
	return rc.crash
}
