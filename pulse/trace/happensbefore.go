package trace

import "slices"

// windowWords is the size, in words, of the bitmap that HappensBefore keeps on
// the stack. If the two steps are further apart than 64*windowWords steps,
// HappensBefore allocates a bitmap.
const windowWords = 64

// HappensBefore reports whether step a happens before step b, so that the handler
// in b could depend on the handler in a. A step happens after the step that sent
// its message and after its actor's previous step. All steps before a quiescent
// point happen before all steps after it.
//
// The time is proportional to b-a. Use a Causality to ask many questions.
func (t *Trace) HappensBefore(a, b int) bool {
	if a < 0 || a >= b {
		return false
	}
	return t.restBetween(a, b) || t.reaches(a, b)
}

// Swappable reports whether two receives a < b of one actor could have occurred
// in the opposite order. The two messages must be on different channels, a must
// not happen before b's message was sent, and no quiescent point may lie between
// them. A timer counts as sent when it is set. The timers of an actor form one
// channel. In an Unordered trace every message has its own channel.
//
// If Swappable is true, b comes before a in some order in which the same two
// messages are sent. b need not come right before a, because earlier messages of
// b's channel come first. Swappable also ignores whether the actor would accept b
// then: a process may refuse b, or the actor may have ended. Package
// fuzz/internal/coverage checks more before it calls an order possible.
func (t *Trace) Swappable(a, b int) bool {
	if !t.contend(a, b) {
		return false
	}
	sent := int(t.cause(b))
	return sent != a && !t.HappensBefore(a, sent)
}

// UsesObjects reports whether steps did operations on objects that are no actors, such as channels
// and mutexes.
func (t *Trace) UsesObjects() bool {
	return slices.ContainsFunc(t.Touches, func(x Touch) bool { return x.What == AnObject })
}

// Sequential reports whether at most one next step was possible at each point of
// the run. It is true if all pending messages were always on one channel, or only
// one timer was pending. Lost messages and stopped timers count as pending until
// the end, so a false result is not certain.
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

// cause returns the step that sent the message received in step. For a timer, it
// returns the step that set the timer. It returns None for a fault and for a
// message from the test.
func (t *Trace) cause(step int) int32 {
	send := t.Steps[step].Send
	if send == None {
		return None
	}
	return t.Sends[send].Step
}

// contend reports whether a and b, with a < b, are two receives of one actor and
// neither a channel nor a quiescent point fixes their order.
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

// oneChannel reports whether x and y, which have the same receiver, must keep
// their order. The timers of an actor form a separate channel, and so do the
// SendAfter messages from one sender.
func (t *Trace) oneChannel(x, y *Send) bool {
	return !t.Unordered && x.From == y.From && x.Kind.IsTimer() == y.Kind.IsTimer()
}

// restBetween reports whether there is a quiescent point after step a and before
// step b.
func (t *Trace) restBetween(a, b int) bool {
	i, _ := slices.BinarySearch(t.Rests, int32(a)+1)
	return i < len(t.Rests) && int(t.Rests[i]) <= b
}

// reaches reports whether step a is a direct or indirect predecessor of the later
// step b.
//
// Predecessors are earlier steps, so one scan from b downward is enough. It marks
// the predecessors of marked steps, and ends when no marked step is left.
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
