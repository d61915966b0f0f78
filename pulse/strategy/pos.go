package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// POS returns a strategy that gives each message a random priority and always picks the
// highest. After each step, the deliverable messages to the same actor get new
// priorities, because they could have come in place of that step (Yuan, Yang and Gu,
// "Partial order aware concurrency sampling", CAV 2018). POS therefore samples partial
// orders rather than orders. The probability that a message comes after k steps that it
// does not race with is 1/(k+1). With Random it is 1/2^k.
//
// A priority depends on the seed, the identity of the message and how often the message
// has got a priority. A saved seed therefore keeps its meaning if the program changes
// elsewhere: new actors and messages do not change the order of the existing messages.
// If more than 48 messages to one actor are deliverable, POS draws only their highest
// priority and the message that has it. The distribution is the same, but a new message
// to that actor changes the order of the other messages.
func POS() pulse.Strategy { return &pos{crowded: 4 * few} }

type pos struct {
	source // random numbers for choices
	key    uint64
	view   pulse.View
	// lots has the state of each message. The index of a message in lots is its slot. A
	// recorded run reuses no slot.
	lots  []lot
	slots []int32 // for each index in Enabled, the slot of the message at the last Pick
	races []race  // for each actor, its race
	first pulse.Tournament
	again int32 // the actor whose deliverable messages need new priorities, or none
	many  bool  // set if the field races is in use, because more than a few messages are deliverable
	// crowded is the maximum number of messages in a race with individual priorities.
	// A larger race is a crowd.
	crowded int
	crowds  []crowd
}

// A lot is the state of a message in POS.
type lot struct {
	word     uint64 // the random word that determines the priority; if the message is in a race that is no crowd, race.words has the word
	priority uint64 // the priority of a message that is in no race; otherwise meaningless
	age      int32  // the value of race.taken when the message got its own priority, or none
	to       int32
	index    int32 // the index of the message in Enabled
	place    int32 // the index of the message in the slots of its race or crowd, or none if it is in no race
}

// A race is the set of deliverable messages to one actor. They get new
// priorities together.
//
// Invariants between calls to Pick: all messages got their priorities when the
// field taken had the value of the field drawn, and pos.first contains the
// highest priority of the race. They do not hold for the actor pos.again, whose
// messages get new priorities in the next Pick.
type race struct {
	words []uint64 // for each message, its random word; empty if the race is a crowd
	slots []int32  // for each message, its slot (see pos.lots); empty if the race is a crowd
	taken int32    // the number of times that a message to the actor was picked
	drawn int32    // the value of the field taken when the messages got their priorities
	best  int32    // the index in slots of the message with the highest priority
	crowd int32    // the race's index in pos.crowds; none if the race never was a crowd
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

// scan picks among few messages by comparing the priorities of all messages.
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

// draw gives a new priority to message i, which is in no race.
func (p *pos) draw(l *lot, e *pulse.Enabled, i int) {
	if l.age < 0 {
		l.to, l.word = int32(e.Receiver(i)), p.key^e.ID(i)
	}
	l.word += hash.Gamma
	l.age, l.priority = p.races[l.to].taken, priority(l.word)
}

// dissolve removes all messages from their races. Each message keeps its priority.
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

// update makes the races contain the deliverable messages. It also draws new priorities
// for the messages to actor p.again.
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

// leave removes the message that was at index i of Enabled at the last Pick from its
// race. It does nothing if the message is still deliverable.
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
	case l.to == p.again: // nothing to do: redraw will find the message with the highest priority
	case r.best == place:
		p.look(l.to, 0)
	case int(r.best) == last:
		r.best = place
	}
}

// enter adds message i to the race of its receiver, unless the message is there
// already.
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

// redraw gives new priorities to all deliverable messages to an actor.
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

// look finds the message with the highest priority in the race of an actor. It
// first adds a number to the random word of each message, which changes all
// priorities unless the number is zero.
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

// priority returns the priority of a message with POS, from its word. It is never zero.
func priority(word uint64) uint64 { return hash.Mix(word) | 1 }

// grow makes room for the messages and actors that are new since the last Pick.
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
