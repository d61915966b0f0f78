package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// POS gives each message a random priority and always picks the highest. After
// each step, the deliverable messages to the same actor, which could have come in
// its place, get new priorities (Yuan, Yang and Gu, "Partial order aware
// concurrency sampling", CAV 2018). So POS samples partial orders rather than
// orders: a single message comes after k steps of others that it does not race
// with by chance 1/(k+1), where Random needs 2^k runs.
//
// A priority follows from the seed, the identity of the message and how often its
// priority was drawn. So a stored seed keeps its meaning when the program is
// changed elsewhere: new actors and messages do not change the order of the
// others.
func POS() pulse.Strategy { return &pos{} }

type pos struct {
	source // of choices
	key    uint64
	// lots are by the slots of messages; a recorded run uses no slot twice.
	lots []lot
	// taken counts, by actor, the steps for which Pick was called.
	taken []int32
}

// A lot is the priority drawn for a message. Invariant: it is valid while age is
// the receiver's count in pos.taken; else it must be drawn again.
type lot struct {
	priority uint64
	draws    uint64
	to       int32 // the receiver
	age      int32 // the receiver's count in pos.taken when it was drawn; none before
}

func (p *pos) Begin(seed uint64) {
	p.seed(seed)
	p.key = p.next()
	p.lots, p.taken = p.lots[:0], p.taken[:0]
}

// Needs asks for identities.
func (p *pos) Needs() pulse.Needs { return pulse.Needs{Record: true} }

func (p *pos) Pick(e *pulse.Enabled) int {
	p.grow(e.Trace())
	best, top := 0, uint64(0)
	for i := range e.Len() {
		l := &p.lots[e.Slot(i)]
		if l.age != p.taken[l.to] {
			p.draw(l, e, i)
		}
		if l.priority > top {
			best, top = i, l.priority
		}
	}
	p.taken[e.Receiver(best)]++
	return best
}

// grow makes room for what was sent and spawned since the last pick.
func (p *pos) grow(t *trace.Trace) {
	for range len(t.Sends) - len(p.lots) {
		p.lots = append(p.lots, lot{age: none})
	}
	for range len(t.Actors) - len(p.taken) {
		p.taken = append(p.taken, 0)
	}
}

func (p *pos) draw(l *lot, e *pulse.Enabled, i int) {
	l.to = int32(e.Receiver(i))
	l.age = p.taken[l.to]
	l.draws++
	l.priority = hash.Mix(p.key^e.ID(i)+l.draws*hash.Gamma) | 1
}

func (p *pos) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
