package pulse

import (
	"cmp"
	"fmt"
	"math"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailbox may have room for so many messages only. How many wait is counted when
// one is sent to it, so that other mailboxes pay nothing. What becomes of a message
// then depends on the order in which steps of different actors have sent to the
// mailbox and received from it: all such steps touch its room.

// bind gives a mailbox the bound that a Spec asks for.
func (t *traffic) bind(b *mailbox, spec *Spec) {
	b.room, b.onFull = int32(min(spec.Mailbox, int(t.mail.limit))), spec.OnFull
	t.mail.onSend |= workBounded
}

// takesRoom reports whether a message takes room in a mailbox that has a bound.
func takesRoom(d *trace.Send) bool { return d.Kind == trace.Message || d.Kind == trace.Copy }

// overflows looks for room for a message that is about to be sent, and makes some
// if it may. It reports whether the message is lost.
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
		t.rec.touchOther(b.actor) // it could have been received, and in this order never is
		t.mail.withdraw(oldest)
		if !b.open {
			t.mail.refilter(b) // it may have kept another from being received
		}
		return false
	}
	t.mail.discard(m, trace.Dropped)
	if b.onFull == OnFullFail {
		t.full(d, b)
	}
	return true
}

// full fails the run for a message that finds a full mailbox.
func (t *traffic) full(d *trace.Send, b *mailbox) {
	name := t.rec.trace.Actors[b.actor].Label
	f := &Failure{Kind: KindBudget, Site: "mailbox of " + name, Step: int(t.rec.step), Text: fmt.Sprintf(
		"the mailbox of %s is full: it has room for %d, and %s sends %s", t.rec.nameOf(b.actor), b.room, t.rec.nameOf(d.From), trace.Label(d.Body))}
	if t.calls.running {
		t.failStep(f)
	}
	t.fails.fail(f)
}

// inRoom returns how many messages take room in a mailbox, and which has done so
// longest.
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

// arrival returns the place of a message in the order of arrival. What has not
// arrived, because with Unordered delivery a delay holds it up, has the last.
func (r *mailroom) arrival(m int32) int32 {
	if r.unordered && r.slow > 0 && r.isSlow(m) {
		return math.MaxInt32
	}
	return r.sends[m].Seq
}

// older returns how many messages have taken room in a mailbox for longer than
// message m.
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
