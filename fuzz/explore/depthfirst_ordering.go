package explore

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// With PersistentSets and DCUTE without Sleep the number of runs depends on
// Method.Ordering. OrderLCA is best for trees and pipelines of actors: it may need only
// one run in 1,500. OrderFIFO is best if one actor waits for all others.

// sortByRank sorts the candidates of a new choice point by rank, then by actor, then by
// the age of the message.
func sortByRank(list []candidate) { slices.SortFunc(list, compareRanks) }

func compareRanks(c, d candidate) int {
	return cmp.Or(cmp.Compare(c.rank, d.rank), compareActors(c, d))
}

// compareActors compares candidates by actor, then by the age of the message.
func compareActors(c, d candidate) int {
	return cmp.Or(cmp.Compare(c.actor, d.actor), cmp.Compare(c.seq, d.seq))
}

// rank ranks the candidates by an ordering. All candidates of one actor have
// the same rank. It may change the order of the list.
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
		slices.SortFunc(list, compareActors)
		for i, n := 0, 0; i < len(list); i = n {
			for n = i; n < len(list) && list[n].actor == list[i].actor; n++ {
			}
			rank := rankByMessages(list[i:n], o)
			for k := i; k < n; k++ {
				list[k].rank = rank
			}
		}
	}
}

// rankByMessages returns the rank of an actor by its deliverable messages, which are sorted
// by age, for OrderFIFO, OrderLIFO, OrderLDM and OrderHDM.
func rankByMessages(list []candidate, o Ordering) int32 {
	switch o {
	case OrderLIFO:
		return -list[len(list)-1].seq
	case OrderLDM:
		return int32(len(list))
	case OrderHDM:
		return -int32(len(list))
	}
	return list[0].seq
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
		if compareRanks(c.list[i], c.list[best]) < 0 {
			best = i
		}
	}
	return int(c.list[best].index)
}
