package strategy

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// POSOfCrowds returns a POS in which a race of more messages than the argument is a crowd.
func POSOfCrowds(than int) pulse.Strategy { return &pos{crowded: than} }

// EachByItself returns POS that draws a priority for each message and scans
// all messages in each Pick.
func EachByItself() pulse.Strategy { return &slowPOS{} }

// Unmix, Power and Unit are functions and constants that crowds use to draw priorities.
var (
	Unmix = unmix
	Power = power
)

const Unit = unit

// Exponentials returns a function that draws exponentially distributed numbers.
// Highests returns one that draws the maximum of a number of random words.
func Exponentials(seed uint64) func() uint64 { return (&source{seed}).exponential }

func Highests(seed uint64, of int) func() uint64 {
	s := &source{seed}
	return func() uint64 { return s.highest(of) }
}

// CheckCrowds checks the invariants of crowds after a Pick of a strategy of
// POSOfCrowds.
func CheckCrowds(s pulse.Strategy) error {
	p, ok := s.(*pos)
	if !ok {
		return nil
	}
	for _, c := range p.crowds {
		n := len(c.slots)
		if n == 0 {
			continue
		}
		drawn := n
		if c.actor == p.again {
			drawn = n - 1 // the last message of the crowd is the one that Pick has returned
		}
		holder := slices.Index(c.slots[:min(drawn, int(c.left))], c.holder)
		highest := c.floor
		for i, slot := range c.slots[:drawn] {
			l := &p.lots[slot]
			if int(l.place) != i {
				return fmt.Errorf("message %d is at %d and not at %d", slot, i, l.place)
			}
			if i >= int(c.left) {
				highest = max(highest, l.priority)
			}
		}
		switch best := p.lots[c.slots[c.best]]; {
		case holder < 0:
			return fmt.Errorf("the holder %d of a crowd is none of the %d of %v that were drawn", c.holder, c.left, c.slots)
		case c.top != highest:
			return fmt.Errorf("the highest priority is %x and not %x", highest, c.top)
		case int(c.best) != holder && best.priority != c.top, int(c.best) == holder && c.floor != c.top:
			return fmt.Errorf("the best, at %d, has not the highest priority", c.best)
		}
	}
	return nil
}

// Settled draws the priorities of a crowd, adds more messages, and settles the
// crowd. It returns the priorities of all messages. It also reports whether the
// message with the highest priority has stayed the same.
func Settled(seed uint64, drawn, more int) (list []uint64, same bool) {
	p := &pos{key: seed, races: []race{{crowd: none}}, again: none}
	r := &p.races[0]
	for i := range drawn + more {
		p.lots = append(p.lots, lot{word: hash.Nth(seed, uint64(i)), place: none, age: none})
	}
	for i := range drawn {
		r.slots, r.words = append(r.slots, int32(i)), append(r.words, p.lots[i].word)
	}
	p.gather(0, 0)
	c := p.crowdOf(r)
	p.complete(c)
	for i := drawn; i < drawn+more; i++ {
		l := &p.lots[i]
		l.age, l.priority, l.place = r.drawn, priority(l.word), int32(len(c.slots))
		c.add(int32(i), l.priority)
	}
	best, top := c.slots[c.best], c.top
	p.settle(c)
	list = make([]uint64, drawn+more)
	for i, slot := range r.slots {
		list[slot] = priority(r.words[i])
	}
	return list, r.slots[r.best] == best && list[best] == top
}
