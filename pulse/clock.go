package pulse

import (
	"math"
	"slices"
	"time"
)

// What is due at forever never comes; a run lasts until the end of time.
const (
	forever   = math.MaxInt64
	endOfTime = forever - 1
)

// A clock is virtual time and what is due in it: a binary heap, soonest first.
//
// Invariants: no parent in heap is due after its children; numbers are
// different, and none is greater than number; periodic is how many of heap
// tick. Nothing in heap is due before now, but for what was set with no time
// to pass. places may be wrong for a slot that no entry has.
type clock struct {
	now      int64
	heap     []entry
	places   []int32 // by slot: where in heap the entry is that has it as send or last, if one has
	owned    []int32 // by actor: how many timers in heap are its own
	number   int32   // of the entry that was pushed last
	periodic int
	set      int   // timers that the run has set
	quiet    int   // firings of periodic timers in a row without another message
	quietSeq int32 // the mailroom's seq when time has last passed
	patience int   // quiet firings, for each periodic timer, until the run counts as being at rest
	timed    bool  // the run ends at a time, however many periodic timers fire until then
}

// effect is what happens when an entry comes due.
type effect uint8

const (
	fire    effect = iota // its message becomes deliverable
	tick                  // so does a message like it, and again each period
	unblock               // FIFO: a message that a delay holds up in its channel may go on
	release               // Unordered: a message that a delay holds up arrives
)

// An entry is something that is due at a time.
type entry struct {
	at     int64
	number int32 // order of setting, to break ties
	send   int32 // the slot of its message
	actor  int32 // whose timer it is, and ends with; none for delays and what is sent later
	last   int32 // the message of its last firing while that waits; else none
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

// push adds an entry and returns the number that it is given.
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

// own counts an entry that comes or goes, if it is an actor's timer.
func (c *clock) own(e *entry, by int32) {
	if e.actor < 0 || e.effect > tick {
		return
	}
	for int(e.actor) >= len(c.owned) {
		c.owned = append(c.owned, 0)
	}
	c.owned[e.actor] += by
}

// put makes an entry number i of the heap.
func (c *clock) put(i int, e *entry) {
	c.heap[i] = *e
	c.places[e.send] = int32(i)
	if e.last >= 0 {
		c.places[e.last] = int32(i)
	}
}

// up moves the entry at i up to where no parent is due after it.
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

// down moves the entry at i down to where it is due before its children.
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

// placeOf returns the place of the entry that has a slot as send or last, or -1.
func (c *clock) placeOf(slot int32) int {
	if int(slot) < len(c.places) {
		if i := int(c.places[slot]); i < len(c.heap) && (c.heap[i].send == slot || c.heap[i].last == slot) {
			return i
		}
	}
	return -1
}

// find returns the place of the entry of a number, or -1. send is the slot of its
// first message.
func (c *clock) find(number, send int32) int {
	if i := c.placeOf(send); i >= 0 && c.heap[i].number == number {
		return i
	}
	if c.periodic == 0 { // only these have other messages in time
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.number == number })
}

// delayOf returns the place of the entry that will let a message go on that a
// delay holds up, or -1.
func (c *clock) delayOf(m int32) int {
	if i := c.placeOf(m); i >= 0 && c.heap[i].effect >= unblock {
		return i
	}
	return -1
}

// delayed lists the messages that a delay keeps from arriving, in the order of sending.
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

// timerOf returns the place of the first timer of an actor, or -1.
func (c *clock) timerOf(actor int32) int {
	if int(actor) >= len(c.owned) || c.owned[actor] == 0 {
		return -1
	}
	return indexFunc(c.heap, func(e entry) bool { return e.actor == actor && e.effect <= tick })
}

// any reports whether something is due at or before a time.
func (c *clock) any(until int64) bool { return len(c.heap) > 0 && c.heap[0].at <= until }

// later is d from now, or never when that is beyond what can be counted.
func (c *clock) later(d time.Duration) int64 { return addTime(c.now, int64(d)) }

func addTime(at, d int64) int64 {
	if d > forever-at {
		return forever
	}
	return at + d
}

// canPass reports whether there is anything to let time pass for: something is
// due until then, and it is not only ticks that lead nowhere. seq is the
// mailroom's.
func (c *clock) canPass(until int64, seq int32) bool {
	return c.any(until) && !c.onlyTicks(until, seq)
}

// onlyTicks reports whether nothing but periodic timers has kept the run going
// for as long as the options allow, and nothing else is due until the end.
func (c *clock) onlyTicks(until int64, seq int32) bool {
	if c.timed || seq != c.quietSeq || c.quiet < c.periodic*c.patience {
		return false
	}
	return indexFunc(c.heap, func(e entry) bool { return e.effect != tick && e.at <= until }) < 0
}

// countQuiet counts the periodic timers that have just fired, all at one time.
// sent reports whether another message was sent since the last of them, arrived
// whether one came due at the same time: then none of them was quiet. Timers
// that are due at one time are so counted together: in which order actors have
// set them, which may differ from run to run, makes no difference.
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

// received notes that a periodic timer's message waits no longer.
func (c *clock) received(m int32) {
	if i := c.placeOf(m); i >= 0 && c.heap[i].last == m {
		c.heap[i].last = none
	}
}
