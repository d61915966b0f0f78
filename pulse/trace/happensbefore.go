package trace

import "slices"

// windowWords is the number of words of marks that HappensBefore has on the
// stack. It allocates only if its two steps are further apart than these have
// bits.
const windowWords = 64

// HappensBefore reports whether step a happens before step b, so that b's
// handler could know what a's handler did. It does if a rest lies between them,
// or if links lead from b back to a. A step has two links: to the step that
// sent its message, and to its actor's previous step.
//
// The time is proportional to b-a. Use a Causality for many questions.
func (t *Trace) HappensBefore(a, b int) bool {
	if a < 0 || a >= b {
		return false
	}
	return t.restBetween(a, b) || t.reaches(a, b)
}

// Swappable reports whether two receives of one actor, a the earlier, could
// have come in the other order. They could if a does not happen before the
// sending of b's message, the two messages are not of one channel, and no rest
// lies between them. For a timer, setting it counts as sending. The timers of
// an actor are one channel. In an Unordered trace every message is a channel of
// its own.
//
// The result means that b comes before a in some order in which both are sent
// as here. It does not mean that b could come right before a: earlier messages
// of b's channel come before both. Nor does it consider what the actor accepts
// at that point: a process may refuse b, or the actor may have ended. Package
// fuzz/internal/coverage checks more before it calls an order open.
func (t *Trace) Swappable(a, b int) bool {
	if !t.contend(a, b) {
		return false
	}
	sent := int(t.cause(b))
	return sent != a && !t.HappensBefore(a, sent)
}

// Sequential reports whether the run is known to have had only one possible next
// step at each point: all pending messages were on one channel, or there was only
// one timer. Lost messages and stopped timers count as pending until the end.
func (t *Trace) Sequential() bool {
	messages, timers, sent, channel := 0, 0, 0, int32(0)
	for i := range t.Steps {
		for ; sent < len(t.Sends) && int(t.Sends[sent].Step) < i; sent++ {
			d := &t.Sends[sent]
			switch {
			case d.Kind.IsTimer():
				timers++
				continue
			case messages == 0:
				channel = d.Channel
			case t.Unordered || d.Channel != channel:
				return false
			}
			messages++
		}
		switch by := t.Steps[i].Send; {
		case by == None || timers > 1:
			return false
		case t.Sends[by].Kind.IsTimer():
			timers--
		default:
			messages--
		}
	}
	return true
}

// cause returns the step that sent the message received in step, or that set
// the timer. It is None for a fault and for a message from the test.
func (t *Trace) cause(step int) int32 {
	send := t.Steps[step].Send
	if send == None {
		return None
	}
	return t.Sends[send].Step
}

// contend reports whether a and b are receives of one actor, a the earlier,
// whose order is not fixed by a channel or a rest.
func (t *Trace) contend(a, b int) bool {
	if a < 0 || a >= b {
		return false
	}
	x, y := &t.Steps[a], &t.Steps[b]
	if x.Kind != Receive || y.Kind != Receive || x.Actor != y.Actor {
		return false
	}
	return !t.oneChannel(&t.Sends[x.Send], &t.Sends[y.Send]) && !t.restBetween(a, b)
}

// oneChannel reports whether two messages to one receiver must keep their
// order. An actor's timers have a channel of their own, and so have its
// SendAfter messages.
func (t *Trace) oneChannel(x, y *Send) bool {
	return !t.Unordered && x.From == y.From && x.Kind.IsTimer() == y.Kind.IsTimer()
}

// restBetween reports whether the system was at rest after step a and before step b.
func (t *Trace) restBetween(a, b int) bool {
	i, _ := slices.BinarySearch(t.Rests, int32(a)+1)
	return i < len(t.Rests) && int(t.Rests[i]) <= b
}

// reaches reports whether links lead from b back to a; a < b.
//
// Links lead only to earlier steps, so one sweep from b downward is enough. It
// marks the targets of marked steps, and ends when no marked step is left.
func (t *Trace) reaches(a, b int) bool {
	var window [windowWords]uint64
	marks := window[:]
	if words := (b-a)/64 + 1; words > windowWords {
		marks = make([]uint64, words)
	}
	setBit(marks, b-a)
	unvisited := 1
	for i := b; unvisited > 0; i-- {
		if !hasBit(marks, i-a) {
			continue
		}
		unvisited--
		for _, link := range [2]int32{t.cause(i), t.Steps[i].Prev} {
			earlier := int(link)
			if earlier == a {
				return true
			}
			if earlier > a && !hasBit(marks, earlier-a) {
				setBit(marks, earlier-a)
				unvisited++
			}
		}
	}
	return false
}

func hasBit(bits []uint64, i int) bool { return bits[i/64]&(1<<(i%64)) != 0 }

func setBit(bits []uint64, i int) { bits[i/64] |= 1 << (i % 64) }
