package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// POS gives each message a random priority and always picks the highest. After
// each step, the deliverable messages to the same actor, which could have come
// in its place, get new priorities (Yuan, Yang and Gu, "Partial order aware
// concurrency sampling", CAV 2018). So POS samples partial orders rather than
// orders. With probability 1/(k+1) a message comes after k steps that it does
// not race with, where Random needs 2^k runs.
//
// A priority depends on the seed, the identity of the message and how many
// times it was drawn. So a saved seed keeps its meaning when the program
// changes elsewhere: new actors and messages do not change the order of the
// others. If more than 48 messages race at one actor, only the highest priority
// and its message are drawn. The distribution is the same, but a new message to
// that actor changes the order of the others.
func POS() pulse.Strategy { return &pos{crowded: 4 * few} }

type pos struct {
	source // of choices
	key    uint64
	view   pulse.View
	// lots are by message slot; a recorded run reuses no slot.
	lots  []lot
	slots []int32 // by index: the message there at the last Pick
	races []race  // by actor
	first pulse.Tournament
	again int32 // the actor whose race must be drawn again, or none
	many  bool  // races are in use
	// crowded is how many messages may be in a race that is drawn individually.
	// A larger race is one of crowds.
	crowded int
	crowds  []crowd
}

// A lot is the state of a message.
type lot struct {
	word     uint64 // determines its priority, unless it is in a race that is no crowd
	priority uint64 // unless it is in a race
	age      int32  // how many picks its receiver had when it was drawn individually, or none
	to       int32
	index    int32 // its index in Enabled
	place    int32 // its index in its race, or none if it cannot be delivered
}

// A race is the set of deliverable messages to one actor, which are drawn
// together.
//
// Invariant: between picks, and except for pos.again, all were drawn when the
// actor had been picked taken times, and pos.first has the highest priority.
type race struct {
	words []uint64 // empty in a crowd
	slots []int32  // empty in a crowd
	taken int32
	drawn int32 // the value of taken when they were drawn
	best  int32 // the index of the highest
	crowd int32 // its index in pos.crowds; none if it never was a crowd
}

func (p *pos) Begin(seed uint64) {
	p.seed(seed)
	p.key = p.next()
	p.view, p.again, p.many = pulse.View{}, none, false
	p.lots, p.slots, p.races, p.crowds = p.lots[:0], p.slots[:0], p.races[:0], p.crowds[:0]
	p.first.Reset()
}

// Needs requests identities.
func (p *pos) Needs() pulse.Needs { return pulse.Needs{Record: true} }

func (p *pos) Pick(e *pulse.Enabled) int {
	p.grow(e.Trace())
	switch n := e.Len(); {
	case !p.many && n <= min(4*few, p.crowded):
		return p.scan(e)
	case n <= min(few, p.crowded/4):
		p.dissolve()
		return p.scan(e)
	}
	p.many = true
	p.update(e)
	actor := p.first.First()
	r := &p.races[actor]
	r.taken++
	p.again = int32(actor)
	if c := p.crowdOf(r); c != nil {
		return p.offer(c)
	}
	return int(p.lots[r.slots[r.best]].index)
}

// scan picks among few messages.
func (p *pos) scan(e *pulse.Enabled) int {
	best, top := 0, uint64(0)
	for i := range e.Len() {
		l := &p.lots[e.Slot(i)]
		if l.age != p.races[l.to].taken {
			p.draw(l, e, i)
		}
		if l.priority > top {
			best, top = i, l.priority
		}
	}
	p.races[e.Receiver(best)].taken++
	return best
}

// draw gives a priority to a message that is in no race.
func (p *pos) draw(l *lot, e *pulse.Enabled, i int) {
	if l.age < 0 {
		l.to, l.word = int32(e.Receiver(i)), p.key^e.ID(i)
	}
	l.word += hash.Gamma
	l.age, l.priority = p.races[l.to].taken, priority(l.word)
}

// dissolve removes all messages from their races.
func (p *pos) dissolve() {
	for _, slot := range p.slots {
		l := &p.lots[slot]
		r := &p.races[l.to]
		if c := p.crowdOf(r); c != nil && l.to == p.again {
			p.scatter(c)
		} else if c != nil {
			p.settle(c)
		}
		l.word, l.age, l.place = r.words[l.place], r.drawn, none
		l.priority = priority(l.word)
	}
	for _, slot := range p.slots {
		r := &p.races[p.lots[slot].to]
		r.words, r.slots = r.words[:0], r.slots[:0]
	}
	p.first.Reset()
	p.slots, p.view, p.again, p.many = p.slots[:0], pulse.View{}, none, false
}

// update updates the races to what can be delivered, and draws what must be
// drawn.
func (p *pos) update(e *pulse.Enabled) {
	at, from := e.Changed(&p.view)
	n := e.Len()
	for i := from; i < n; i++ {
		p.lots[e.Slot(i)].index = int32(i)
	}
	if at >= 0 && at < from && at < n {
		p.lots[e.Slot(at)].index = int32(at)
		p.leave(e, at)
	}
	for i := from; i < len(p.slots); i++ {
		p.leave(e, i)
	}
	p.slots = p.slots[:min(from, len(p.slots))]
	if p.again >= 0 {
		p.redraw(e, p.again)
		p.again = none
	}
	if at >= 0 && at < from && at < n {
		p.slots[at] = int32(e.Slot(at))
		p.enter(e, at)
	}
	for i := from; i < n; i++ {
		p.slots = append(p.slots, int32(e.Slot(i)))
		p.enter(e, i)
	}
}

// leave removes the message that was at index i from its race, unless it has
// only moved.
func (p *pos) leave(e *pulse.Enabled, i int) {
	slot := p.slots[i]
	l := &p.lots[slot]
	if int(l.index) != i || i < e.Len() && int32(e.Slot(i)) == slot {
		return
	}
	r := &p.races[l.to]
	if c := p.crowdOf(r); c != nil {
		if l.to == p.again {
			p.remove(c, l)
			return
		}
		p.settle(c)
	}
	place, last := l.place, len(r.slots)-1
	l.word, l.age, l.place, l.priority = r.words[place], r.drawn, none, priority(r.words[place])
	r.words[place], r.slots[place] = r.words[last], r.slots[last]
	if int(place) < last {
		p.lots[r.slots[place]].place = place
	}
	r.words, r.slots = r.words[:last], r.slots[:last]
	switch {
	case l.to == p.again: // its best is found when it is drawn
	case r.best == place:
		p.look(l.to, 0)
	case int(r.best) == last:
		r.best = place
	}
}

// enter adds message i to its race, unless it is there.
func (p *pos) enter(e *pulse.Enabled, i int) {
	slot := e.Slot(i)
	l := &p.lots[slot]
	if l.place >= 0 {
		return
	}
	if l.age < 0 || l.age != p.races[l.to].taken {
		p.draw(l, e, i)
	}
	r := &p.races[l.to]
	if c := p.crowdOf(r); c != nil {
		l.place = int32(len(c.slots))
		if c.add(int32(slot), l.priority) {
			p.first.Set(int(l.to), c.top)
		}
		return
	}
	r.drawn = r.taken
	l.place = int32(len(r.slots))
	r.words, r.slots = append(r.words, l.word), append(r.slots, int32(slot))
	if len(r.slots) == 1 || l.priority > priority(r.words[r.best]) {
		r.best = l.place
		p.first.Set(int(l.to), l.priority)
	}
}

// redraw gives new priorities to all messages that race at an actor.
func (p *pos) redraw(e *pulse.Enabled, actor int32) {
	r := &p.races[actor]
	r.drawn = r.taken
	if len(r.slots) > p.crowded {
		p.gather(actor, e.Trace().Actors[actor].ID)
	}
	if c := p.crowdOf(r); c != nil {
		if len(c.slots) > p.crowded {
			p.complete(c)
			p.first.Set(int(actor), c.top)
			return
		}
		p.scatter(c)
	}
	p.look(actor, hash.Gamma)
}

// look adds a number to each word of a race, and finds the best.
func (p *pos) look(actor int32, add uint64) {
	r := &p.races[actor]
	best, top := int32(0), uint64(0)
	for i, w := range r.words {
		w += add
		r.words[i] = w
		if v := priority(w); v > top {
			best, top = int32(i), v
		}
	}
	r.best = best
	p.first.Set(int(actor), top)
}

// priority returns the priority for a word; it is never zero.
func priority(word uint64) uint64 { return hash.Mix(word) | 1 }

// grow makes room for messages and actors that are new since the last pick.
func (p *pos) grow(t *trace.Trace) {
	for range len(t.Sends) - len(p.lots) {
		p.lots = append(p.lots, lot{age: none, index: none, place: none})
	}
	for n := len(p.races); n < len(t.Actors); n++ {
		if n == cap(p.races) {
			p.races = append(p.races, race{})
		}
		p.races = p.races[:n+1]
		r := &p.races[n]
		*r = race{words: r.words[:0], slots: r.slots[:0], crowd: none}
	}
}

func (p *pos) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
