package pulse

import (
	"math"
	"slices"
	"time"
)

// An entry that is due at forever never fires; a run lasts at most until
// endOfTime.
const (
	forever   = math.MaxInt64
	endOfTime = forever - 1
)

// A clock is virtual time and the entries due in it: a binary heap, soonest
// first.
//
// Invariants: no parent in heap is due after its children. Numbers are unique
// and none is greater than number. periodic is the number of ticks in heap. No
// entry is due before now unless it was set without a delay. places may be
// wrong for slots that belong to no entry.
type clock struct {
	now      int64
	heap     []entry
	places   []int32 // by slot: the index in heap of the entry whose send or last it is
	owned    []int32 // by actor: how many timers in heap it owns
	number   int32   // of the entry pushed last
	periodic int
	set      int   // timers set in this run
	quiet    int   // firings of periodic timers in a row without another message
	quietSeq int32 // the mailroom's seq when time last passed
	patience int   // quiet firings per periodic timer after which the run counts as being at rest
	timed    bool  // the run ends at a fixed time; quiet firings do not end it
}

// effect is what happens when an entry is due.
type effect uint8

const (
	fire    effect = iota // its message becomes deliverable
	tick                  // its message becomes deliverable, and the timer is set again
	unblock               // FIFO: a delayed message in its channel becomes deliverable
	release               // Unordered: a delayed message arrives
)

// An entry is an event that is due at a time.
type entry struct {
	at     int64
	number int32 // order of setting; breaks ties
	send   int32 // the slot of its message
	actor  int32 // the owner, whose end stops the timer; none for delays and SendAfter
	last   int32 // the message of its last firing while that waits, or none
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

// own adds by to the timer count of the entry's owner, if it has one.
func (c *clock) own(e *entry, by int32) {
	if e.actor < 0 || e.effect > tick {
		return
	}
	for int(e.actor) >= len(c.owned) {
		c.owned = append(c.owned, 0)
	}
	c.owned[e.actor] += by
}

// put stores an entry at heap index i.
func (c *clock) put(i int, e *entry) {
	c.heap[i] = *e
	c.places[e.send] = int32(i)
	if e.last >= 0 {
		c.places[e.last] = int32(i)
	}
}

// up moves the entry at i up until its parent is not due after it.
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

// down moves the entry at i down until its children are not due before it.
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

// placeOf returns the heap index of the entry whose send or last is slot, or
// -1.
func (c *clock) placeOf(slot int32) int {
	if int(slot) < len(c.places) {
		if i := int(c.places[slot]); i < len(c.heap) && (c.heap[i].send == slot || c.heap[i].last == slot) {
			return i
		}
	}
	return -1
}

// find returns the heap index of the entry with a number, or -1. send is the
// slot of its first message.
func (c *clock) find(number, send int32) int {
	if i := c.placeOf(send); i >= 0 && c.heap[i].number == number {
		return i
	}
	if c.periodic == 0 { // only periodic timers get new messages
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.number == number })
}

// delayOf returns the heap index of the entry that ends the delay of message m,
// or -1.
func (c *clock) delayOf(m int32) int {
	if i := c.placeOf(m); i >= 0 && c.heap[i].effect >= unblock {
		return i
	}
	return -1
}

// delayed lists the messages that have not arrived because of a delay, in the
// order of sending.
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

// timerOf returns the heap index of an actor's first timer, or -1.
func (c *clock) timerOf(actor int32) int {
	if int(actor) >= len(c.owned) || c.owned[actor] == 0 {
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.actor == actor && e.effect <= tick })
}

// any reports whether an entry is due at or before a time.
func (c *clock) any(until int64) bool { return len(c.heap) > 0 && c.heap[0].at <= until }

// later returns now plus d, or forever if that overflows.
func (c *clock) later(d time.Duration) int64 { return addTime(c.now, int64(d)) }

func addTime(at, d int64) int64 {
	if d > forever-at {
		return forever
	}
	return at + d
}

// canPass reports whether time can pass: an entry is due until then, and not
// only ticks without effect. seq is the mailroom's.
func (c *clock) canPass(until int64, seq int32) bool {
	return c.any(until) && !c.onlyTicks(until, seq)
}

// onlyTicks reports whether only periodic timers have kept the run going for as
// long as Options.Ticks allows, and nothing else is due before until.
func (c *clock) onlyTicks(until int64, seq int32) bool {
	if c.timed || seq != c.quietSeq || c.quiet < c.periodic*c.patience {
		return false
	}
	return indexFunc(c.heap, func(e entry) bool { return e.effect != tick && e.at <= until }) < 0
}

// countQuiet counts the periodic timers that have just fired, all at one time.
// sent reports whether another message was sent since the last firing; arrived
// reports whether a message came due at the same time, so that none of them was
// quiet. Counting them together makes the result independent of the order in
// which actors set timers that are due at the same time.
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
