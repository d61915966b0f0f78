package pulse

import (
	"math"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Enabled is the list of messages that can be delivered now, from which a
// strategy picks by index. The order of the list has no meaning, but is the
// same in a replay. With FIFO delivery the list has at most one message of
// each channel, namely the first message that the receiver accepts. With
// Unordered delivery it has all messages that their receivers accept.
type Enabled struct {
	mail   *mailroom
	sys    *System
	picked int // the index that the last Pick returned
	oldest Order
	last   View // the View made by the first call to Changed in the most recent step
	// restored is set by Restore until Pick returns Again.
	restored bool
	restores int // the number of calls to Restore that had an effect, in all runs
	moved    int // the value of mailroom.moved before the first call to Changed in the most recent step
}

// Len returns the number of messages that can be delivered now.
func (e *Enabled) Len() int { return len(e.mail.ready) }

// Strikes returns the number of events that Pick may choose in place of a
// message. The events are either crashes, or one early firing of a timer.
// Strikes returns 0 for strategies without Needs.Strikes.
func (e *Enabled) Strikes() int { return e.sys.faults.offered }

// Strike returns the index of the actor that strike i crashes, or trace.None if
// strike i fires a timer early.
func (e *Enabled) Strike(i int) (actor int) { return int(e.sys.faults.list[:e.Strikes()][i].actor) }

// Step returns the number of steps that the run has taken.
func (e *Enabled) Step() int { return int(e.sys.rec.steps) }

// Slot returns a small number for message i that is unique among the messages
// in flight. After the delivery of message i, another message may get the same
// number.
func (e *Enabled) Slot(i int) int { return int(e.mail.ready[i]) }

// Seq returns the position of message i in plain order: the order of arrival, in
// which a message that Host.Continue has sent comes before all that arrived before
// it. Such a message has a negative Seq.
func (e *Enabled) Seq(i int) int32 { return e.mail.sends[e.mail.ready[i]].Seq }

// Channel returns the number of message i's channel, which is the queue from
// its sender to its receiver. With Unordered delivery each message has a
// different number.
func (e *Enabled) Channel(i int) int {
	if e.mail.unordered {
		return int(e.mail.sends[e.mail.ready[i]].Seq)
	}
	return int(e.mail.sends[e.mail.ready[i]].Channel)
}

// Channels returns a number greater than every number that Channel has returned
// so far.
func (e *Enabled) Channels() int {
	if e.mail.unordered {
		return int(e.mail.seq) + 1
	}
	return len(e.mail.channels)
}

// Receiver returns the index of the actor that would receive message i.
func (e *Enabled) Receiver(i int) int { return int(e.mail.sends[e.mail.ready[i]].To) }

// IsMatched reports whether the receiver of message i waits in ReceiveMatch or
// ReceiveAs, or is restricted by Host.Accept.
func (e *Enabled) IsMatched(i int) bool {
	return e.mail.boxes[e.mail.sends[e.mail.ready[i]].To].accept == acceptMatching
}

// Matched returns the number of deliverable messages for which IsMatched
// returns true.
func (e *Enabled) Matched() (n int) {
	if e.mail.choosy == 0 || !e.mail.matches { // the field matches is tested too, because choosy also counts the mailboxes of ended actors
		return 0
	}
	for i := range e.mail.ready {
		if e.IsMatched(i) {
			n++
		}
	}
	return n
}

// Send returns message i. The pointer is valid until the next step.
func (e *Enabled) Send(i int) *trace.Send { return &e.mail.sends[e.mail.ready[i]] }

// ID returns the identity that the step receiving message i would have. It has
// no meaning if the run is not recorded.
func (e *Enabled) ID(i int) uint64 {
	return e.IDOf(&e.mail.sends[e.mail.ready[i]])
}

// Behind calls f for message i and each message queued behind it in its
// channel, oldest first, until f returns false.
func (e *Enabled) Behind(i int, f func(*trace.Send) bool) {
	m := e.mail.ready[i]
	if e.mail.unordered {
		f(&e.mail.sends[m])
		return
	}
	for ; m >= 0 && f(&e.mail.sends[m]); m = e.mail.sends[m].Next {
	}
}

// IDOf returns the identity that the step receiving message d of the trace
// would have. It has no meaning if the run is not recorded.
func (e *Enabled) IDOf(d *trace.Send) uint64 { return stepID(d.ID, e.sys.rec.trace.Actors[d.To].ID) }

// CanHold reports whether Pick may return Hold. It returns true if
// Options.EarlyTimers allows another early timer and something is due before
// the run ends. A periodic timer that has fired without effect as often as
// Options.Ticks allows does not count as due.
func (e *Enabled) CanHold() bool { return canHold(e.sys, e.sys.until) }

// Digest returns a hash of the run so far. Two runs of one program with the
// same decisions have the same digest. In a recorded run the digest also covers
// the identities of the steps.
func (e *Enabled) Digest() uint64 { return hash.Fold(e.sys.rec.hash, uint64(e.mail.seq)) }

// Label returns message i as text, such as "writer ← flush".
func (e *Enabled) Label(i int) string {
	d := &e.mail.sends[e.mail.ready[i]]
	return e.sys.rec.trace.Name(d.To) + " ← " + trace.Label(d.Body)
}

// Trace returns the trace of the run so far.
func (e *Enabled) Trace() *trace.Trace { return e.sys.view() }

// State returns a hash of the system's current state: see System.State.
func (e *Enabled) State() uint64 { return e.sys.State() }

// StateText describes the system's current state: see System.StateText.
func (e *Enabled) StateText() string { return e.sys.StateText() }

// Unread describes the first part of the state that the last State or
// StateText could not read. It returns "" if there was none. The text names
// the actor, the unreadable part of its handler or message, and what is hashed
// in place of that part. If a part could not be read, two equal states have
// equal futures only if no actor writes variables that another actor reads.
// Call Unread before the next step.
func (e *Enabled) Unread() string {
	if e.sys.states == nil {
		return ""
	}
	return e.sys.states.gap.text(e.sys)
}

// fewReady is the largest number of messages for which a linear scan is faster
// than an Order, which needs time to keep its tree.
const fewReady = 16

// Oldest returns the index of the message with the smallest Seq.
func (e *Enabled) Oldest() int {
	sends, best := e.mail.sends, 0
	if len(e.mail.ready) > fewReady {
		return e.oldest.First(e, func(i int) uint64 { return math.MaxInt32 - uint64(sends[e.mail.ready[i]].Seq) })
	}
	seq := sends[e.mail.ready[0]].Seq
	for i, m := range e.mail.ready[1:] {
		if q := sends[m].Seq; q < seq {
			seq, best = q, i+1
		}
	}
	return best
}
