package pulse

import (
	"math"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Enabled is what a strategy picks from: the messages that can be delivered
// now, in no particular but a repeatable order. With FIFO delivery there is
// one for each channel that has any, with Unordered every message.
type Enabled struct {
	mail   *mailroom
	sys    *System
	picked int // what the last Pick returned
	oldest Order
	// last is the last View, and moved what mail.moved was in the step before: there
	// may be several Views.
	last  View
	moved int
}

// Len returns how many messages can be delivered now.
func (e *Enabled) Len() int { return len(e.mail.ready) }

// Strikes returns how many crashes could come now in place of a message, or 1 if time
// could pass. It is 0 for strategies that do not need to pick from them.
func (e *Enabled) Strikes() int { return e.sys.faults.offered }

// Strike returns the index of the actor that would crash by strike i, trace.None if time
// would pass.
func (e *Enabled) Strike(i int) (actor int) { return int(e.sys.faults.list[:e.Strikes()][i].actor) }

// Step returns how many steps the run has taken.
func (e *Enabled) Step() int { return int(e.sys.rec.steps) }

// Slot returns a small number that no other message on its way has now. It
// is used again for others when the message has been delivered.
func (e *Enabled) Slot(i int) int { return int(e.mail.ready[i]) }

// Seq returns the place of message i in the order of arrival; the message
// with the smallest is the oldest.
func (e *Enabled) Seq(i int) int32 { return e.mail.sends[e.mail.ready[i]].Seq }

// Channel returns the number of the channel of message i. With Unordered
// delivery every message is a channel of its own.
func (e *Enabled) Channel(i int) int {
	if e.mail.unordered {
		return int(e.mail.sends[e.mail.ready[i]].Seq)
	}
	return int(e.mail.sends[e.mail.ready[i]].Channel)
}

// Channels returns a bound on the numbers that Channel has returned so far.
func (e *Enabled) Channels() int {
	if e.mail.unordered {
		return int(e.mail.seq) + 1
	}
	return len(e.mail.channels)
}

// Receiver returns the index of the actor that would receive message i.
func (e *Enabled) Receiver(i int) int { return int(e.mail.sends[e.mail.ready[i]].To) }

// IsMatched reports whether the receiver of message i waits in ReceiveMatch.
func (e *Enabled) IsMatched(i int) bool {
	return e.mail.boxes[e.mail.sends[e.mail.ready[i]].To].accept == acceptMatching
}

// Matched returns for how many messages IsMatched holds.
func (e *Enabled) Matched() (n int) {
	if e.mail.choosy == 0 || !e.mail.matches { // mailboxes of actors that have ended are not open either
		return 0
	}
	for i := range e.mail.ready {
		if e.IsMatched(i) {
			n++
		}
	}
	return n
}

// Send returns message i as the trace shows it. It may be read until the
// next step.
func (e *Enabled) Send(i int) *trace.Send { return &e.mail.sends[e.mail.ready[i]] }

// ID returns the identity that the step would have in which message i is
// received. Zero when the run is not recorded.
func (e *Enabled) ID(i int) uint64 {
	return e.IDOf(&e.mail.sends[e.mail.ready[i]])
}

// Behind calls f for message i and each message that is queued behind it in
// its channel, oldest first, until f returns false.
func (e *Enabled) Behind(i int, f func(*trace.Send) bool) {
	m := e.mail.ready[i]
	if e.mail.unordered {
		f(&e.mail.sends[m])
		return
	}
	for ; m >= 0 && f(&e.mail.sends[m]); m = e.mail.sends[m].Next {
	}
}

// IDOf returns the identity that the step would have in which a message of
// the trace is received. Zero when the run is not recorded.
func (e *Enabled) IDOf(d *trace.Send) uint64 { return stepID(d.ID, e.sys.rec.trace.Actors[d.To].ID) }

// CanHold reports whether Pick may answer Hold: Options.EarlyTimers allows one more
// timer to fire early, something is due before the run ends, and that is not only
// periodic timers that have fired in vain for as long as Options.Ticks allows.
func (e *Enabled) CanHold() bool { return canHold(e.sys, e.sys.until) }

// Digest returns a number for what has happened in the run so far: two runs of
// one program that were decided the same have the same. It tells more when the
// run is recorded.
func (e *Enabled) Digest() uint64 { return hash.Fold(e.sys.rec.hash, uint64(e.mail.seq)) }

// Label returns message i in words: "writer ← flush".
func (e *Enabled) Label(i int) string {
	d := &e.mail.sends[e.mail.ready[i]]
	return e.sys.rec.trace.Name(d.To) + " ← " + trace.Label(d.Body)
}

// Trace returns what has happened so far.
func (e *Enabled) Trace() *trace.Trace { return e.sys.view() }

// State returns a hash of the state that the system is in: see System.State.
func (e *Enabled) State() uint64 { return e.sys.State() }

// StateText describes the state that the system is in: see System.StateText.
func (e *Enabled) StateText() string { return e.sys.StateText() }

// Unread returns what the last State or StateText could not read, "" if it has
// read all: the name of an actor, what its handler or message holds, and what
// stands in for it. Where something does, states that are equal lead to the same
// only if no actor writes variables that another one reads. Call it before the
// next step.
func (e *Enabled) Unread() string {
	if e.sys.states == nil {
		return ""
	}
	return e.sys.states.gap.text(e.sys)
}

// fewReady is how many messages are looked at sooner than an Order is kept.
const fewReady = 16

// Oldest returns the message that arrived first.
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
