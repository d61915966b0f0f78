package strategy

import (
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A crowd is a race with too many messages to draw a priority for each message. (A
// race is the set of deliverable messages to one actor.) POS draws only the highest
// priority in the crowd and the message that has it. The other priorities are not
// needed until that message is picked, and then all are drawn again. Therefore the
// time of a Pick does not depend on the number of racing messages. A message that
// arrives later gets its own priority, which may become the highest.
//
// Invariants: since the last draw, holder is in the crowd and has priority floor.
// Messages that arrived later, with age race.drawn, have their own priorities. Each
// other message has an unknown priority below floor. The highest priority of all is
// top. If a message leaves without being picked, settle ends the crowd, so the order
// of slots does not depend on other actors.
type crowd struct {
	actor  int32
	slots  []int32 // for each message, its slot (see pos.lots); empty if the race is not a crowd
	draws  source
	floor  uint64
	top    uint64
	holder int32
	best   int32 // the index in slots of the message with the highest priority
	left   int32 // the number of messages included in the last draw; none if a new draw is needed
}

// crowdOf returns the crowd of a race, or nil if the race is not a crowd.
func (p *pos) crowdOf(r *race) *crowd {
	if r.crowd < 0 || len(p.crowds[r.crowd].slots) == 0 {
		return nil
	}
	return &p.crowds[r.crowd]
}

// gather turns the race at an actor into a crowd. complete must then draw the highest
// priority in the crowd.
func (p *pos) gather(actor int32, id uint64) {
	r := &p.races[actor]
	if n := len(p.crowds); r.crowd < 0 {
		r.crowd = int32(n)
		if n == cap(p.crowds) {
			p.crowds = append(p.crowds, crowd{})
		}
		p.crowds = p.crowds[:n+1]
		c := &p.crowds[n]
		*c = crowd{actor: actor, slots: c.slots[:0], draws: source{p.key ^ id}}
	}
	c := &p.crowds[r.crowd]
	for i, slot := range r.slots {
		p.lots[slot].word = r.words[i]
	}
	c.slots, c.left = append(c.slots, r.slots...), none
	r.words, r.slots = r.words[:0], r.slots[:0]
}

// scatter turns a crowd into an ordinary race. The priority of each message
// does not change.
func (p *pos) scatter(c *crowd) {
	r := &p.races[c.actor]
	for i, slot := range c.slots {
		l := &p.lots[slot]
		l.place = int32(i)
		r.words, r.slots = append(r.words, l.word), append(r.slots, slot)
	}
	c.slots = c.slots[:0]
}

// settle gives each message of a crowd a priority that is consistent with the last
// draw. Then it turns the crowd into an ordinary race.
func (p *pos) settle(c *crowd) {
	for _, slot := range c.slots {
		l := &p.lots[slot]
		switch {
		case slot == c.holder:
			l.word = unmix(c.floor)
		case l.age != p.races[c.actor].drawn:
			l.word = unmix(times(c.floor, hash.Mix(l.word+hash.Gamma)))
		}
	}
	p.scatter(c)
	p.look(c.actor, 0)
}

// offer returns the index in Enabled of the message with the highest priority in the
// crowd. It also makes the next draw, because the processor can do much of the draw
// during the step.
func (p *pos) offer(c *crowd) int {
	last := int32(len(c.slots)) - 1
	slot, moved := c.slots[c.best], c.slots[last]
	c.slots[c.best], c.slots[last] = moved, slot
	p.lots[moved].place, p.lots[slot].place = c.best, last
	c.draw(last)
	return int(p.lots[slot].index)
}

// complete draws the highest priority of the crowd. It does nothing if offer has
// drawn it and the crowd has not changed since.
func (p *pos) complete(c *crowd) {
	if n := int32(len(c.slots)); c.left != n {
		slices.Sort(c.slots)
		for i, slot := range c.slots {
			p.lots[slot].place = int32(i)
		}
		c.draw(n)
	}
}

// draw draws the highest priority among the first n messages and the message that
// has it.
func (c *crowd) draw(n int32) {
	c.left = n
	c.best = int32(c.draws.below(int(n)))
	c.holder, c.floor = c.slots[c.best], c.draws.highest(int(n))|1
	c.top = c.floor
}

// add adds a message with its own priority to the crowd. It reports whether this
// priority is the highest in the crowd now.
func (c *crowd) add(slot int32, priority uint64) bool {
	c.slots = append(c.slots, slot)
	if priority <= c.top {
		return false
	}
	c.best, c.top = int32(len(c.slots))-1, priority
	return true
}

// remove removes a message from the crowd. If the message was included in the last
// draw, the crowd must be drawn again.
func (p *pos) remove(c *crowd, l *lot) {
	last := int32(len(c.slots)) - 1
	if l.place < c.left {
		c.left = none
	}
	moved := c.slots[last]
	c.slots[l.place], p.lots[moved].place = moved, l.place
	c.slots, l.place = c.slots[:last], none
}

// unmix is the inverse of hash.Mix.
func unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return z ^ z>>30 ^ z>>60
}

// highest returns a random number distributed like the maximum of n random numbers.
func (s *source) highest(n int) uint64 {
	return power(s.exponential() / uint64(n))
}

// unit represents the number 1 in the results of exponential.
const unit = 1 << 58

// power returns e to the power of -x/unit, times 2⁶⁴, computed by the power series.
// For large x it squares the result for x/2.
func power(x uint64) uint64 {
	squares := 0
	for ; x >= unit/16; x /= 2 {
		squares++
	}
	x *= 1 << 64 / unit
	x2 := times(x, x)
	x4 := times(x2, x2)
	y := -(x - x2/2 + times(x2, x/6-x2/24) + times(x4, x/120-x2/720+times(x2, x)/5040))
	for range squares {
		y = times(y, y)
	}
	return y
}

// times returns the product of x and y, read as fractions of 2⁶⁴.
func times(x, y uint64) uint64 {
	hi, _ := bits.Mul64(x, y)
	return hi
}

// exponential returns a random number with an exponential distribution, in
// multiples of unit (Ahrens and Dieter, "Computer methods for sampling from the
// exponential and normal distributions", CACM 15, 1972, algorithm SA). It uses
// only integers, so that it is the same on all machines.
//
// Why this is correct: the number is ln(2) times the number of failed coin tosses,
// plus a part below ln(2). That part is ln(2) times the minimum of k random numbers
// between 0 and 1. k has a Poisson distribution with mean ln(2), restricted to k ≥ 1.
func (s *source) exponential() uint64 {
	u := s.next()
	tosses := bits.LeadingZeros64(u)
	whole := uint64(tosses) * (poisson[0] / (1 << 64 / unit))
	u = u << tosses << 1
	if u < poisson[0] {
		return whole + u/(1<<64/unit)
	}
	part := min(s.next(), s.next())
	for i := 1; i < len(poisson) && u >= poisson[i]; i++ {
		part = min(part, s.next())
	}
	return whole + times(part, poisson[0])/(1<<64/unit)
}

// poisson[i] is the sum of ln(2)ʲ/j! for j from 1 to i+1, as a fraction of 2⁶⁴.
var poisson = [...]uint64{
	0xb17217f7d1cf79ab,
	0xeef193f6d75a96fc,
	0xfd27186259aaf6c2,
	0xff9d6dd050f4c5a7,
	0xfff4cfcfef1e626b,
	0xfffee81886e1c62f,
	0xffffe7fe850e0bb5,
	0xfffffe2a8731b17d,
	0xffffffdfac6eeadc,
	0xfffffffdf9640067,
	0xffffffffe22ec79c,
	0xfffffffffe6a9ded,
	0xffffffffffebff81,
	0xffffffffffff1417,
	0xfffffffffffff5ce,
	0xffffffffffffff95,
	0xfffffffffffffffb,
}
