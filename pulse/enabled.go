package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// Enabled is what a strategy picks from: the messages that can be delivered
// now, in no particular but a repeatable order. With FIFO delivery there is
// one for each channel that has any, with Unordered every message.
type Enabled struct {
	// slots are indices into sends. Invariant: a message of a process that
	// waits for particular ones is here only if it is accepted; a message of
	// a blocked channel or of an ended actor is never here.
	slots []int32
	sys   *System
}

// Len returns how many messages can be delivered now.
func (e *Enabled) Len() int { return len(e.slots) }

// Step returns how many steps the run has taken.
func (e *Enabled) Step() int { return int(e.sys.steps) }

// Slot returns a small number that no other message on its way has now. It
// is used again for others when the message has been delivered.
func (e *Enabled) Slot(i int) int { return int(e.slots[i]) }

// Seq returns the place of message i in the order of arrival; the message
// with the smallest is the oldest.
func (e *Enabled) Seq(i int) int32 { return e.sys.sends[e.slots[i]].Seq }

// Channel returns the number of the channel of message i. With Unordered
// delivery every message is a channel of its own.
func (e *Enabled) Channel(i int) int {
	if e.sys.unordered {
		return int(e.sys.sends[e.slots[i]].Seq)
	}
	return int(e.sys.sends[e.slots[i]].Channel)
}

// Channels returns a bound on the numbers that Channel has returned so far.
func (e *Enabled) Channels() int {
	if e.sys.unordered {
		return int(e.sys.seq) + 1
	}
	return len(e.sys.channels)
}

// Receiver returns the index of the actor that would receive message i.
func (e *Enabled) Receiver(i int) int { return int(e.sys.sends[e.slots[i]].To) }

// Send returns message i as the trace shows it. It may be read until the
// next step.
func (e *Enabled) Send(i int) *trace.Send { return &e.sys.sends[e.slots[i]] }

// ID returns the identity that the step would have in which message i is
// received. Zero when the run is not recorded.
func (e *Enabled) ID(i int) uint64 {
	return e.IDOf(&e.sys.sends[e.slots[i]])
}

// Behind calls f for message i and each message that is queued behind it in
// its channel, oldest first, until f returns false.
func (e *Enabled) Behind(i int, f func(*trace.Send) bool) {
	m := e.slots[i]
	if e.sys.unordered {
		f(&e.sys.sends[m])
		return
	}
	for ; m >= 0 && f(&e.sys.sends[m]); m = e.sys.sends[m].Next {
	}
}

// IDOf returns the identity that the step would have in which a message of
// the trace is received. Zero when the run is not recorded.
func (e *Enabled) IDOf(d *trace.Send) uint64 { return stepID(d.ID, e.sys.trace.Actors[d.To].ID) }

// Later says whether time can pass when all messages are held back: something
// is due before the run ends, and it is not only periodic timers that have
// fired in vain for as long as the options allow.
func (e *Enabled) Later() bool { return e.sys.timePasses(e.sys.until) }

// Digest returns a number for what has happened in the run so far: two runs of
// one program that were decided the same have the same. It tells more when the
// run is recorded.
func (e *Enabled) Digest() uint64 { return fold(e.sys.hash, uint64(e.sys.seq)) }

// Label returns message i in words: "writer ← flush".
func (e *Enabled) Label(i int) string {
	d := &e.sys.sends[e.slots[i]]
	return e.sys.trace.Name(d.To) + " ← " + label(d)
}

// Trace returns what has happened so far.
func (e *Enabled) Trace() *trace.Trace { return e.sys.Trace() }

// State returns a hash of the state that the system is in: see System.State.
func (e *Enabled) State() uint64 { return e.sys.State() }

// StateText describes the state that the system is in: see System.StateText.
func (e *Enabled) StateText() string { return e.sys.StateText() }

// Oldest returns the message that arrived first.
func (e *Enabled) Oldest() int {
	sends, best := e.sys.sends, 0
	seq := sends[e.slots[0]].Seq
	for i, m := range e.slots[1:] {
		if q := sends[m].Seq; q < seq {
			seq, best = q, i+1
		}
	}
	return best
}

// remove takes out message i; the last takes its place.
func (e *Enabled) remove(i int) {
	last := len(e.slots) - 1
	e.slots[i] = e.slots[last]
	e.slots = e.slots[:last]
}

// removeIf takes out every message for which f holds and keeps the order of
// the others.
func (e *Enabled) removeIf(f func(slot int32) bool) {
	kept := e.slots[:0]
	for _, m := range e.slots {
		if !f(m) {
			kept = append(kept, m)
		}
	}
	e.slots = kept
}
