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
// to pass.
type clock struct {
	now      int64
	heap     []entry
	number   int32 // of the entry that was pushed last
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
	c.heap = append(c.heap, e)
	c.up(len(c.heap) - 1)
}

func (c *clock) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !c.heap[i].sooner(&c.heap[parent]) {
			return
		}
		c.heap[i], c.heap[parent] = c.heap[parent], c.heap[i]
		i = parent
	}
}

func (c *clock) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.heap[child+1].sooner(&c.heap[child]) {
			child++
		}
		if !c.heap[child].sooner(&c.heap[i]) {
			return
		}
		c.heap[i], c.heap[child] = c.heap[child], c.heap[i]
		i = child
	}
}

func (c *clock) removeAt(i int) entry {
	e := c.heap[i]
	if e.effect == tick {
		c.periodic--
	}
	last := len(c.heap) - 1
	c.heap[i] = c.heap[last]
	c.heap = c.heap[:last]
	if i < last {
		c.down(i)
		c.up(i)
	}
	return e
}

// find returns the place of the entry of a number, or -1.
func (c *clock) find(number int32) int {
	return slices.IndexFunc(c.heap, func(e entry) bool { return e.number == number })
}

// delayOf returns the place of the entry that will let a message go on that a
// delay holds up, or -1.
func (c *clock) delayOf(m int32) int {
	return slices.IndexFunc(c.heap, func(e entry) bool { return e.send == m && e.effect >= unblock })
}

// delayed lists the messages that a delay keeps from arriving, in the order of sending.
func (c *clock) delayed() []int32 {
	var numbers, list []int32
	for i := range c.heap {
		if c.heap[i].effect == release {
			numbers = append(numbers, c.heap[i].number)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		list = append(list, c.heap[c.find(n)].send)
	}
	return list
}

// timerOf returns the place of the first timer of an actor, or -1.
func (c *clock) timerOf(actor int32) int {
	return slices.IndexFunc(c.heap, func(e entry) bool { return e.actor == actor && e.effect <= tick })
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
	return !slices.ContainsFunc(c.heap, func(e entry) bool { return e.effect != tick && e.at <= until })
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
	for i := range c.heap {
		if c.heap[i].last == m {
			c.heap[i].last = none
		}
	}
}
