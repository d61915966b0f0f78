package explore

import "github.com/jostle-go/jostle/pulse"

// With PersistentSets and DCUTE without Sleep the number of runs depends on
// Method.Ordering. OrderLCA is best for trees and pipelines of actors: it may need only
// one run in 1,500. OrderFIFO is best if one actor waits for all others.

// sortByRank sorts the candidates of a new choice point by rank, then by actor, then by
// the age of the message.
func sortByRank(list []candidate) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].isBefore(&list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

func (c *candidate) isBefore(d *candidate) bool {
	switch {
	case c.rank != d.rank:
		return c.rank < d.rank
	case c.actor != d.actor:
		return c.actor < d.actor
	}
	return c.seq < d.seq
}

// rank ranks the candidates by an ordering. All candidates of one actor have
// the same rank.
func rank(list []candidate, o Ordering, h *habits) {
	switch o {
	case OrderECA: // all ranks are 0, and candidates of equal rank are sorted by actor index, the order of creation
	case OrderLCA:
		for i := range list {
			list[i].rank = -list[i].actor
		}
	case OrderHMS:
		for i := range list {
			list[i].rank = -h.sentPerReceipt(list[i].actor)
		}
	case OrderSGR:
		for i := range list {
			list[i].rank = sendersBefore(list, h, list[i].actor)
		}
	default:
		for i := range list {
			list[i].rank = rankByMessages(list, list[i].actor, o)
		}
	}
}

// rankByMessages returns the rank of an actor by its deliverable messages, for OrderFIFO,
// OrderLIFO, OrderLDM and OrderHDM.
func rankByMessages(list []candidate, actor int32, o Ordering) int32 {
	oldest, youngest, number := int32(-1), int32(-1), int32(0)
	for i := range list {
		if list[i].actor != actor {
			continue
		}
		if number++; oldest < 0 || list[i].seq < oldest {
			oldest = list[i].seq
		}
		youngest = max(youngest, list[i].seq)
	}
	switch o {
	case OrderLIFO:
		return -youngest
	case OrderLDM:
		return number
	case OrderHDM:
		return -number
	}
	return oldest
}

// sendersBefore returns the number of candidates for actors that OrderSGR takes before
// the given actor. OrderSGR takes an actor first if its messages have led to messages to
// the given actor, but never the reverse.
func sendersBefore(list []candidate, h *habits, actor int32) int32 {
	number := int32(0)
	for i := range list {
		if h.isBefore(list[i].actor, actor) {
			number++
		}
	}
	return number
}

// rankRunning ranks the messages to actor `running`, which took the last step, first. It
// ranks all other messages by age.
func rankRunning(list []candidate, running int32) {
	for i := range list {
		list[i].rank = list[i].seq
		if list[i].actor == running {
			list[i].rank = -1
		}
	}
}

// A chooser finds the message that an ordering takes first.
type chooser struct {
	ordering Ordering
	habits   *habits
	list     []candidate // scratch
}

// first returns the index of the message that the ordering takes first.
func (c *chooser) first(e *pulse.Enabled) int {
	if c.ordering == OrderFIFO || e.Len() == 1 {
		return e.Oldest()
	}
	c.list = c.list[:0]
	for i := range e.Len() {
		c.add(e, i)
	}
	return c.best()
}

// add appends deliverable message i to c.list, from which best chooses.
func (c *chooser) add(e *pulse.Enabled, i int) {
	c.list = append(c.list, candidate{seq: e.Seq(i), index: int32(i), actor: int32(e.Receiver(i))})
}

// best returns the index of the message in c.list that the ordering takes first.
func (c *chooser) best() int {
	rank(c.list, c.ordering, c.habits)
	best := 0
	for i := range c.list {
		if c.list[i].isBefore(&c.list[best]) {
			best = i
		}
	}
	return int(c.list[best].index)
}
