package pulse

import (
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Virtual time moves only when nothing is deliverable, or when the strategy
// lets it pass early. It then moves to the next time at which something is
// due, and all that is due at that time becomes deliverable: the message of a
// timer waits in its actor's mailbox like any other, and may come late.

// A Timer can be stopped. The zero Timer is one that has fired.
type Timer struct {
	sys    *System
	run    int32
	send   int32
	number int32
}

// Stop keeps the timer from firing and says whether it came in time. A
// message that has become due already is not taken back.
func (t Timer) Stop() bool {
	s := t.sys
	if s == nil || t.run != s.run || !s.mayCall("Timer.Stop") {
		return false
	}
	i := slices.IndexFunc(s.timers.heap, func(e entry) bool { return e.number == t.number })
	if i < 0 {
		return false
	}
	m := s.timers.heap[i].send
	s.timers.removeAt(i)
	s.discard(m, trace.Dropped)
	return true
}

// effect says what happens when an entry of the timers comes due.
type effect uint8

const (
	fire    effect = iota // its message becomes deliverable
	tick                  // so does a message like it, and again each period
	unblock               // a message that was held back in its channel may go on
	release               // a message that was held back arrives, Unordered
)

// An entry is something that is due at a time.
type entry struct {
	at     int64
	number int32 // order of setting, to break ties
	send   int32 // its message
	actor  int32 // whose timer it is
	last   int32 // the message of its last firing while that waits; none after
	period int64
	effect effect
}

// timers is a binary heap of what is due, soonest first.
type timers struct {
	heap     []entry
	number   int32
	periodic int   // how many of the heap are
	quiet    int   // firings of periodic ones in a row without another message
	quietSeq int32 // the system's seq after the last of them
	timed    bool  // the run ends at a time, however many periodic timers fire until then
}

func (t *timers) reset() {
	t.heap = t.heap[:0]
	t.number, t.periodic, t.quiet, t.quietSeq = 0, 0, 0, 0
}

func (e *entry) sooner(f *entry) bool {
	return e.at < f.at || e.at == f.at && e.number < f.number
}

func (t *timers) push(e entry) int32 {
	t.number++
	e.number = t.number
	t.insert(e)
	return e.number
}

func (t *timers) insert(e entry) {
	if e.effect == tick {
		t.periodic++
	}
	t.heap = append(t.heap, e)
	t.up(len(t.heap) - 1)
}

func (t *timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.heap[i].sooner(&t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *timers) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(t.heap) {
			return
		}
		if c+1 < len(t.heap) && t.heap[c+1].sooner(&t.heap[c]) {
			c++
		}
		if !t.heap[c].sooner(&t.heap[i]) {
			return
		}
		t.heap[i], t.heap[c] = t.heap[c], t.heap[i]
		i = c
	}
}

func (t *timers) removeAt(i int) {
	if t.heap[i].effect == tick {
		t.periodic--
	}
	last := len(t.heap) - 1
	t.heap[i] = t.heap[last]
	t.heap = t.heap[:last]
	if i < last {
		t.down(i)
		t.up(i)
	}
}

// any says whether something is due at or before a time.
func (t *timers) any(until int64) bool { return len(t.heap) > 0 && t.heap[0].at <= until }

// setTimer sets a timer of an actor. Its message is one of the running step's.
func (s *System) setTimer(actor int32, d, period time.Duration, msg any) Timer {
	if d < 0 {
		s.misuse("a timer of %v: time does not go back; zero is at once", d)
	}
	e := entry{at: s.later(d), actor: actor, period: int64(period), effect: fire, last: none}
	kind := trace.Timer
	if period > 0 {
		kind, e.effect = trace.Periodic, tick
	}
	e.send = s.message(actor, actor, msg, kind, 0)
	return Timer{sys: s, run: s.run, send: e.send, number: s.timers.push(e)}
}

// later is d from now, or never when that is beyond what can be counted.
func (s *System) later(d time.Duration) int64 { return addTime(s.now, int64(d)) }

func addTime(at, d int64) int64 {
	if d > forever-at {
		return forever
	}
	return at + d
}

// passTime moves to the next time at which something is due, not beyond
// until, and lets it happen. It says whether anything did.
func (s *System) passTime(until int64) bool {
	if !s.timePasses(until) {
		return false
	}
	s.now = max(s.now, s.timers.heap[0].at)
	for s.timers.any(s.now) {
		e := s.timers.heap[0]
		s.timers.removeAt(0)
		s.due(e)
	}
	return true
}

// timePasses says whether there is anything to let time pass for.
func (s *System) timePasses(until int64) bool { return s.timers.any(until) && !s.onlyTicks(until) }

// onlyTicks says that nothing but periodic timers has kept the run going for
// as long as the options allow, and that nothing else is due until the end.
func (s *System) onlyTicks(until int64) bool {
	t := &s.timers
	if t.timed || s.seq != t.quietSeq || t.quiet < t.periodic*orDefault(s.options.Ticks, defaultTicks) {
		return false
	}
	return !slices.ContainsFunc(t.heap, func(e entry) bool { return e.effect != tick && e.at <= until })
}

func (s *System) due(e entry) {
	switch e.effect {
	case fire:
		s.post(e.send, none)
	case tick:
		s.tick(e)
	case unblock:
		s.unblock(e.send)
	case release:
		s.faults.slow--
		s.post(e.send, s.sends[e.send].From)
	}
}

// tick posts the message of a periodic timer and makes the one that follows,
// unless the last still waits.
func (s *System) tick(e entry) {
	t := &s.timers
	e.at = addTime(e.at, e.period)
	if s.seq != t.quietSeq {
		t.quiet = 0
	}
	t.quiet++
	if e.last == none {
		e.last = e.send
		e.send = s.nextTick(e.send)
		s.post(e.last, none)
	}
	t.quietSeq = s.seq
	t.insert(e)
}

// nextTick makes the message of a periodic timer's next firing. Its identity
// follows from the last one's.
func (s *System) nextTick(last int32) int32 {
	m := s.newSlot()
	d := s.sends[last]
	d.ID, d.Receipt, d.Fate = copyID(d.ID), none, trace.Pending
	s.sends[m] = d
	return m
}

// received notes that a periodic timer's message waits no longer.
func (t *timers) received(m int32) {
	for i := range t.heap {
		if t.heap[i].last == m {
			t.heap[i].last = none
		}
	}
}

// removeTimersOf stops all timers of an actor.
func (s *System) removeTimersOf(actor int32) {
	t := &s.timers
	for i := 0; i < len(t.heap); {
		if e := t.heap[i]; e.actor == actor && e.effect <= tick {
			t.removeAt(i)
			s.discard(e.send, trace.Dropped)
			i = 0
			continue
		}
		i++
	}
}
