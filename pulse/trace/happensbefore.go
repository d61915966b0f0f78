package trace

import "slices"

// windowWords is how many words of marks HappensBefore keeps on the stack. It
// allocates only when its two steps are further apart than so many words have
// bits.
const windowWords = 64

// HappensBefore reports whether step a happens before step b: whether the
// handler of b could have known what that of a did. That is so when the two links
// of steps (to the step that sent the message, to the previous step of the actor)
// lead back from b to a, or when a rest lies between them.
//
// It takes time in proportion to b-a. Use a Causality for many questions.
func (t *Trace) HappensBefore(a, b int) bool {
	if a < 0 || a >= b {
		return false
	}
	return t.restBetween(a, b) || t.reaches(a, b)
}

// Swappable reports whether two receives of one actor, a the earlier, could have
// come in the other order. That is so when a does not happen before the sending
// of b's message (for a timer: before it was set), the two messages are not of
// one channel, and no rest lies between them. The timers of an actor are one
// channel. In an Unordered trace every message is a channel of its own.
//
// It says that b comes before a in some order in which both are sent as they were here.
// It does not say that b could have come right before a: what was received between the
// two from the channel of b has to come before b, and then comes before a as well. Nor
// does it know what the actor would take at that point: a process may refuse b, and an
// actor may have ended before a or b comes, by a Kill or by what now comes first.
// Package fuzz/coverage asks for more before it calls an order open.
func (t *Trace) Swappable(a, b int) bool {
	if !t.contend(a, b) {
		return false
	}
	sent := int(t.cause(b))
	return sent != a && !t.HappensBefore(a, sent)
}

// cause returns the step that sent the message received in step, or that set the
// timer. It is None for a fault, and when the test sent the message.
func (t *Trace) cause(step int) int32 {
	send := t.Steps[step].Send
	if send == None {
		return None
	}
	return t.Sends[send].Step
}

// contend reports whether a and b are receives of one actor, a the earlier, whose
// order neither a channel nor a rest has fixed.
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

// oneChannel reports whether two messages to one receiver had to keep their
// order. An actor's timers have a channel of their own, apart from that of
// what it sends itself, and so has what it sends to another with a delay.
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
// Links lead to earlier steps only. So one sweep from b downward is enough: it
// marks the steps that the links of marked steps lead to, and ends when no
// marked step is left to visit.
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
