package pulse

import (
	"cmp"
	"fmt"
	"math"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailbox may be bounded. The messages of a bounded mailbox are counted only
// when a message is sent to that mailbox, so unbounded mailboxes cost nothing.
// Whether a message fits depends on the order of the sends to the mailbox and
// the receives from it. So each step that sends or receives such a message
// records a trace.Touch of kind ItsRoom. Steps that record this Touch for one
// mailbox conflict.

// bind sets the capacity and the overflow policy of a mailbox from a Spec.
func (t *traffic) bind(b *mailbox, spec *Spec) {
	b.room, b.onFull = int32(min(spec.Mailbox, int(t.mail.limit))), spec.OnFull
	t.mail.onSend |= workBounded
}

func takesRoom(d *trace.Send) bool { return d.Kind == trace.Message || d.Kind == trace.Copy }

// overflows reports whether message m is lost because its receiver's mailbox
// is full. With OnFullDropOldest, overflows drops the oldest message in the
// mailbox and returns false.
func (t *traffic) overflows(m int32) bool {
	d := &t.mail.sends[m]
	b := t.mail.boxes[d.To]
	if b.room == 0 || !takesRoom(d) {
		return false
	}
	t.rec.touch(b.actor, trace.ItsRoom, 0)
	if b.life != alive {
		return false
	}
	waiting, oldest := t.mail.inRoom(b)
	if waiting < b.room {
		return false
	}
	if b.onFull == OnFullDropOldest {
		t.rec.touchOther(b.actor) // the receiver could have taken the dropped message before this step, so this step conflicts with the receiver's steps
		t.mail.withdraw(oldest)
		if !b.open {
			t.mail.refilter(b) // a message behind the dropped one may now be deliverable
		}
		return false
	}
	t.mail.discard(m, trace.Dropped)
	if b.onFull == OnFullFail {
		t.full(d, b)
	}
	return true
}

// full fails the run because a message found a full mailbox.
func (t *traffic) full(d *trace.Send, b *mailbox) {
	name := t.rec.trace.Actors[b.actor].Label
	f := &Failure{Kind: KindBudget, Site: "mailbox of " + name, Step: int(t.rec.step), Text: fmt.Sprintf(
		"the mailbox of %s is full: it has room for %d, and %s sends %s", t.rec.nameOf(b.actor), b.room, t.rec.nameOf(d.From), trace.Label(d.Body))}
	if t.calls.running {
		t.failStep(f)
	}
	t.fails.fail(f)
}

// inRoom returns the number of messages that count toward the capacity of a
// mailbox. oldest is the slot of the oldest of these messages, or none.
func (r *mailroom) inRoom(b *mailbox) (n, oldest int32) {
	oldest = none
	for _, m := range r.sentTo(b) {
		if !takesRoom(&r.sends[m]) {
			continue
		}
		if n++; oldest < 0 || r.arrival(m) < r.arrival(oldest) {
			oldest = m
		}
	}
	return n, oldest
}

// arrival returns the position of a message in the order of arrival. With
// Unordered delivery a delayed message has not arrived yet, so arrival returns
// math.MaxInt32.
func (r *mailroom) arrival(m int32) int32 {
	if r.unordered && r.slow > 0 && r.isSlow(m) {
		return math.MaxInt32
	}
	return r.sends[m].Seq
}

// older returns the number of messages in a bounded mailbox that arrived
// before message m.
func (r *mailroom) older(b *mailbox, m int32) (n int) {
	list := r.sentTo(b)
	at := indexOf(list, m)
	for i, x := range list {
		sooner := cmp.Or(cmp.Compare(r.arrival(x), r.arrival(m)), cmp.Compare(i, at))
		if takesRoom(&r.sends[x]) && sooner < 0 {
			n++
		}
	}
	return n
}
