package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// POS gives each message a random priority and always picks the highest. After
// each step the deliverable messages that could have come in its place, those
// to the same actor, are given new ones (Yuan, Yang and Gu, "Partial order
// aware concurrency sampling", CAV 2018). So chance goes to partial orders
// rather than to orders: a single message comes after k steps of others that
// it does not race with by chance 1/(k+1), where Random needs 2^k runs.
//
// A priority follows from the seed, the identity of the message and how often
// it was drawn. A stored seed so keeps its meaning when the program is changed
// elsewhere: actors and messages that are added leave the order of the others
// as it was.
func POS() pulse.Strategy { return &pos{} }

type pos struct {
	source // of choices
	key    uint64
	// lots are what was drawn for each message, by its slot; a recorded run
	// uses no slot twice.
	lots []lot
}

// A lot is what was drawn for a message. Invariant: priority is zero as long
// as the message was not seen, or when it must be drawn again.
type lot struct {
	priority uint64
	draws    uint64
}

func (p *pos) Begin(seed uint64) {
	p.seed(seed)
	p.key = p.next()
	p.lots = p.lots[:0]
}

// Records says that identities are read.
func (p *pos) Records() {}

func (p *pos) Pick(e *pulse.Enabled) int {
	best, top := 0, uint64(0)
	for i := range e.Len() {
		if v := p.priority(e, i); v > top {
			best, top = i, v
		}
	}
	to := e.Receiver(best)
	for i := range e.Len() {
		if e.Receiver(i) == to {
			p.lots[e.Slot(i)].priority = 0
		}
	}
	return best
}

func (p *pos) priority(e *pulse.Enabled, i int) uint64 {
	slot := e.Slot(i)
	for slot >= len(p.lots) {
		p.lots = append(p.lots, lot{})
	}
	l := &p.lots[slot]
	if l.priority == 0 {
		l.draws++
		l.priority = mix(p.key^e.ID(i)+l.draws*gamma) | 1
	}
	return l.priority
}

func (p *pos) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
