package explore

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A race is a message that could have been received before a step that came
// before its receipt: step i of its receiver does not happen before the
// sending of message m, and they are not of one channel.
//
// The receipt may be missing: a message that was never received, because its
// receiver had ended or did not want it any more, could have been.
type race struct {
	step, message int32
}

// A finder finds the races of a run.
type finder struct {
	past
	list []race
	// limit is how many steps count: a run that is given up because all that
	// is left sleeps may have taken sleepers that were alone.
	limit int32
}

// find lists the races of the messages that were received from step `from`
// on, and of those that were not received at all.
func (f *finder) find(from int) []race {
	f.list = f.list[:0]
	for j := from; j < int(f.limit); j++ {
		st := &f.t.Steps[j]
		if st.Send == trace.None {
			continue
		}
		f.overtakes(st.Send, st.Prev)
	}
	for m := range f.t.Sends {
		if d := &f.t.Sends[m]; d.Step < f.limit && (d.Receipt < 0 || d.Receipt >= f.limit) {
			f.overtakes(int32(m), f.lastOf(d.To, f.limit))
		}
	}
	return f.list
}

// overtakes goes back over the steps before which a message could have been
// received, from step i on.
//
// A message that was dropped has no channel: an answer that came too late, or
// what a fault took.
//
// An actor that takes anything need be looked at only once: when the message
// comes before that step, the one before it will be looked at. One that does
// not want the message may have wanted it earlier.
func (f *finder) overtakes(m, i int32) {
	if i < 0 {
		return
	}
	d := &f.t.Sends[m]
	clear(f.acc)
	f.ofMessage(f.acc, m)
	for i >= 0 && !has(f.acc, i) {
		st := &f.t.Steps[i]
		same := !f.t.Unordered && st.Send >= 0 && d.Fate != trace.Dropped && f.t.Sends[st.Send].Channel == d.Channel
		taken := f.mayTake(st, d)
		if taken != never && !same {
			f.list = append(f.list, race{step: i, message: m})
		}
		if !f.process[d.To] {
			return
		}
		i = st.Prev
	}
}

// An answer says whether an actor would have taken a message.
type answer uint8

const (
	never answer = iota
	always
	perhaps
)

// mayTake says whether a message could have been taken in place of that of a
// step.
func (f *finder) mayTake(st *trace.Step, d *trace.Send) answer {
	switch {
	case d.Kind == trace.Kill:
		return always
	case st.Kind != trace.Receive:
		return perhaps
	case d.Kind == trace.Timer && d.Ask != 0: // ends the wait that began in the step that set it
		return yes(f.began(st) == d.Step)
	case d.Kind == trace.Reply:
		return yes(st.Wanted == trace.ItsAnswer && f.asked(st) == d.Ask)
	}
	switch st.Wanted {
	case trace.Anything:
		return always
	case trace.SomeMatch:
		return perhaps
	case trace.ItsStart:
		return yes(d.Kind == trace.Start)
	}
	return never
}

// asked is the number of the Ask whose answer was waited for when a step came.
func (f *finder) asked(st *trace.Step) int32 {
	d := &f.t.Sends[st.Send]
	if d.Kind != trace.Kill {
		return d.Ask
	}
	for m := range f.t.Sends { // the last that it asked in the step before
		if q := &f.t.Sends[m]; q.From == st.Actor && q.Step == f.began(st) && q.Ask != 0 && q.Kind == trace.Message {
			return q.Ask
		}
	}
	return 0
}

// began is the step in which the wait began that a step ended: the receipt
// before it. What faults did to the actor in between is no receipt.
func (f *finder) began(st *trace.Step) int32 {
	i := st.Prev
	for i >= 0 && f.t.Steps[i].Kind != trace.Receive {
		i = f.t.Steps[i].Prev
	}
	return i
}

func yes(is bool) answer {
	if is {
		return always
	}
	return never
}

// alone says whether nothing that happened after step i happened before what
// the set is the past of: it could come right before i.
func alone(set []uint64, i int32) bool {
	w := int(i >> 6)
	if set[w]>>(i&63)>>1 != 0 {
		return false
	}
	for _, x := range set[w+1:] {
		if x != 0 {
			return false
		}
	}
	return true
}
