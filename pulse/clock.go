package pulse

import (
	"math"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An entry that is due at forever never fires, because a run lasts at most
// until endOfTime.
const (
	forever   = math.MaxInt64
	endOfTime = forever - 1
)

// A clock holds the virtual time and a binary heap of entries, soonest first.
//
// Invariants: no parent in the heap is due after its children. No entry is due
// before c.now. Each entry has a different number, which is at most c.number.
// c.periodic is the number of entries with effect tick. c.places is correct
// for the slots of entries, and may be wrong for all others.
type clock struct {
	now      int64
	heap     []entry
	places   []int32 // by message slot: the heap index of the entry that has the slot as its send or its last
	owned    []int32 // by actor: the number of its timers in the heap
	number   int32   // the number of the entry pushed last
	periodic int
	set      int   // number of timers set in this run
	quiet    int   // number of firings of periodic timers since any other message was sent
	quietSeq int32 // the value of mailroom.seq when the clock last advanced
	patience int   // time stops once quiet is at least patience times periodic: see Options.Ticks
	timed    bool  // set if the run ends at a fixed time; time then does not stop earlier
}

// effect says what happens when an entry of the clock is due.
type effect uint8

const (
	fire    effect = iota // a timer's message becomes deliverable
	tick                  // a periodic timer's message becomes deliverable, and the timer is set again
	unblock               // FIFO delivery: the delay of a message in a channel ends
	release               // Unordered delivery: the delay of a message ends
)

// An entry is an event that is due at a time.
type entry struct {
	at     int64
	number int32 // the number of the push; of two entries due at the same time, the lower number comes first
	send   int32 // slot of the entry's message
	actor  int32 // the actor that owns the timer, whose end stops the timer; none for delays and SendAfter
	last   int32 // for a periodic timer, the slot of its previous message while that message waits, or none
	period int64
	effect effect
}

func (c *clock) reset() {
	c.now, c.heap, c.set = 0, c.heap[:0], 0
	c.owned = c.owned[:0]
	c.number, c.periodic, c.quiet, c.quietSeq = 0, 0, 0, 0
}

func (e *entry) sooner(f *entry) bool {
	return e.at < f.at || e.at == f.at && e.number < f.number
}

// push adds an entry and returns its number.
func (c *clock) push(e entry) int32 {
	c.number++
	e.number = c.number
	c.insert(e)
	return e.number
}

func (c *clock) insert(e entry) {
	if e.effect == tick {
		c.periodic++
	}
	c.own(&e, +1)
	for int(max(e.send, e.last)) >= len(c.places) {
		c.places = append(c.places, 0)
	}
	c.heap = append(c.heap, e)
	c.up(len(c.heap) - 1)
}

// own adds delta to the number of timers of the actor that owns entry e, if
// there is one.
func (c *clock) own(e *entry, delta int32) {
	if e.actor < 0 || e.effect > tick {
		return
	}
	for int(e.actor) >= len(c.owned) {
		c.owned = append(c.owned, 0)
	}
	c.owned[e.actor] += delta
}

// put stores an entry at heap index i.
func (c *clock) put(i int, e *entry) {
	c.heap[i] = *e
	c.places[e.send] = int32(i)
	if e.last >= 0 {
		c.places[e.last] = int32(i)
	}
}

// up moves the entry at heap index i up until its parent is not due after the
// entry.
func (c *clock) up(i int) {
	e := c.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !e.sooner(&c.heap[parent]) {
			break
		}
		c.put(i, &c.heap[parent])
		i = parent
	}
	c.put(i, &e)
}

// down moves the entry at heap index i down until no child is due before the
// entry.
func (c *clock) down(i int) {
	e := c.heap[i]
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			break
		}
		if child+1 < len(c.heap) && c.heap[child+1].sooner(&c.heap[child]) {
			child++
		}
		if !c.heap[child].sooner(&e) {
			break
		}
		c.put(i, &c.heap[child])
		i = child
	}
	c.put(i, &e)
}

func (c *clock) removeAt(i int) entry {
	e := c.heap[i]
	if e.effect == tick {
		c.periodic--
	}
	c.own(&e, -1)
	last := len(c.heap) - 1
	c.heap[i] = c.heap[last]
	c.heap = c.heap[:last]
	if i < last {
		c.down(i)
		c.up(i)
	}
	return e
}

// placeOf returns the heap index of the entry that has slot as its send or its
// last, or -1 if there is none.
func (c *clock) placeOf(slot int32) int {
	if int(slot) < len(c.places) {
		if i := int(c.places[slot]); i < len(c.heap) && (c.heap[i].send == slot || c.heap[i].last == slot) {
			return i
		}
	}
	return -1
}

// find returns the heap index of the entry with the given number, or -1 if
// there is none. send is the slot of the first message of the entry.
func (c *clock) find(number, send int32) int {
	if i := c.placeOf(send); i >= 0 && c.heap[i].number == number {
		return i
	}
	if c.periodic == 0 { // only the field send of a periodic timer's entry changes
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.number == number })
}

// delayOf returns the heap index of the entry that ends the delay of message m,
// or -1 if m is not delayed.
func (c *clock) delayOf(m int32) int {
	if i := c.placeOf(m); i >= 0 && c.heap[i].effect >= unblock {
		return i
	}
	return -1
}

// delayed returns the slots of the messages that are delayed with Unordered
// delivery, in the order of sending.
func (c *clock) delayed() []int32 {
	var late []entry
	for i := range c.heap {
		if c.heap[i].effect == release {
			late = append(late, c.heap[i])
		}
	}
	slices.SortFunc(late, func(x, y entry) int { return int(x.number - y.number) })
	var list []int32
	for i := range late {
		list = append(list, late[i].send)
	}
	return list
}

// timerOf returns the heap index of some timer of an actor, or -1 if it has
// none.
func (c *clock) timerOf(actor int32) int {
	if int(actor) >= len(c.owned) || c.owned[actor] == 0 {
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.actor == actor && e.effect <= tick })
}

// any reports whether an entry is due at or before the time until.
func (c *clock) any(until int64) bool { return len(c.heap) > 0 && c.heap[0].at <= until }

// later returns the time d from now, or forever on overflow.
func (c *clock) later(d time.Duration) int64 { return addTime(c.now, int64(d)) }

func addTime(at, d int64) int64 {
	if d > forever-at {
		return forever
	}
	return at + d
}

// canPass reports whether the clock can advance, which is so if an entry is
// due by until and onlyTicks returns false. seq is the value of mailroom.seq.
func (c *clock) canPass(until int64, seq int32) bool {
	return c.any(until) && !c.onlyTicks(until, seq)
}

// onlyTicks reports whether periodic timers have fired without effect as often
// as Options.Ticks allows, and only periodic timers are due by until.
func (c *clock) onlyTicks(until int64, seq int32) bool {
	if c.timed || seq != c.quietSeq || c.quiet < c.periodic*c.patience {
		return false
	}
	return indexFunc(c.heap, func(e entry) bool { return e.effect != tick && e.at <= until }) < 0
}

// countQuiet updates c.quiet after ticks periodic timers have fired at one
// time. sent is set if another message was sent since the previous firing.
// arrived is set if other messages came due at the same time; c.quiet is then
// zero. All firings of one time are counted together, so that the result does
// not depend on the order in which the timers were set.
func (c *clock) countQuiet(ticks int, sent, arrived bool, seq int32) {
	switch {
	case arrived:
		c.quiet = 0
	case sent:
		c.quiet = ticks
	default:
		c.quiet += ticks
	}
	c.quietSeq = seq
}

// received records that message m of a periodic timer no longer waits.
func (c *clock) received(m int32) {
	if i := c.placeOf(m); i >= 0 && c.heap[i].last == m {
		c.heap[i].last = none
	}
}

// passTime advances the clock to the next time at which something is due, and
// makes everything due at that time happen. It returns false if nothing is due
// at or before the time until.
func (t *traffic) passTime(until int64) bool {
	if !t.timeCanPass(until) {
		return false
	}
	c := &t.clock
	c.now = max(c.now, c.heap[0].at)
	ticks, sent, arrived := 0, t.mail.seq != c.quietSeq, false
	for c.any(c.now) {
		e := c.removeAt(0)
		seq := t.mail.seq
		switch e.effect {
		case fire:
			t.mail.post(e.send, sourceOf(&t.mail.sends[e.send]))
		case tick:
			t.tick(e)
			ticks++
			continue
		default:
			t.mail.endDelay(&e)
		}
		arrived = arrived || t.mail.seq != seq
	}
	c.countQuiet(ticks, sent, arrived, t.mail.seq)
	return true
}

// tick puts the message of a periodic timer into its channel and sets the timer
// again. If the previous message still waits, tick sends no message.
func (t *traffic) tick(e entry) {
	c := &t.clock
	e.at = addTime(e.at, e.period)
	if e.last == none {
		e.last = e.send
		e.send = t.copySlot(e.last) // the timer's next message; its identity is derived from the identity of the timer's last message
		d := &t.mail.sends[e.send]
		d.Receipt, d.Fate = none, trace.Pending
		t.mail.post(e.last, none)
	}
	c.insert(e)
}
