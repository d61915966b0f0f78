package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// PCTCP cuts the messages of a run into chains while they are sent, gives
// each chain a random priority and always picks the highest. When one of d-1
// random messages is the next to come, its chain first falls below all others
// (Ozkan, Majumdar, Niksic, Tabaei Befrouei and Weissenbacher, "Randomized
// testing of distributed systems with probabilistic guarantees", OOPSLA 2018).
//
// A message is below another when the other was sent by its handler, or by
// that of a message above it; with FIFO delivery also when the other was sent
// later over the same channel. That an actor happened to receive one message
// before another puts no order between them: it could have been otherwise.
//
// A run of n messages, of which at most w are pairwise unordered, shows a
// given bug of depth d with chance at least 1/(w²·n^(d-1)). This holds for
// programs whose order of messages is the same in all runs; timers, which may
// be overtaken, and processes that leave messages waiting stretch it.
func PCTCP(o PCTOptions) pulse.Strategy {
	return &pctcp{messages: length{fixed: o.Steps}, changes: pointsFor(o.Depth)}
}

type pctcp struct {
	source          // of choices
	order    source // of priorities
	messages length
	changes  changePoints
	chains   chains
	// priority by chain: drawn, or the number of the change that lowered it.
	priority []uint64

	// known is what is known of each send of the trace, by its index.
	known []causal
	// tails are the last messages sent over each channel, none when there is
	// no such message.
	tails []int32
	steps int // of the trace, those whose messages have been let go
}

// A causal is a message's place in the order of causality.
//
// Invariant: uses is how many reasons there are to compare later messages with
// this one: it waits or is being received, it is the last of its channel. The
// row is none when there are none.
type causal struct {
	chain int32
	row   int32
	uses  int8
	lower uint64 // what the chain's priority becomes before it is received; 0: stays
}

func (p *pctcp) Begin(seed uint64) {
	p.seed(seed)
	p.changes.draw(&p.source, p.messages.begin())
	p.order.seed(p.next())
	p.chains.reset()
	p.priority, p.known, p.tails = p.priority[:0], p.known[:0], p.tails[:0]
	p.steps = 0
}

// Needs has every step asked for, so that a change comes in time, and the trace
// kept.
func (p *pctcp) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

func (p *pctcp) Pick(e *pulse.Enabled) int {
	p.follow(e.Trace())
	for {
		best := p.highest(e)
		m := &p.known[e.Slot(best)]
		if m.lower == 0 {
			return best
		}
		p.priority[m.chain], m.lower = m.lower, 0
	}
}

func (p *pctcp) highest(e *pulse.Enabled) int {
	best, top := 0, uint64(0)
	for i := range e.Len() {
		if v := p.priority[p.known[e.Slot(i)].chain]; v > top {
			best, top = i, v
		}
	}
	return best
}

// follow takes in what has happened since the last pick. Messages come before
// steps: those that a step sent are compared with the one that it received.
func (p *pctcp) follow(t *trace.Trace) {
	for m := len(p.known); m < len(t.Sends); m++ {
		p.known = append(p.known, causal{chain: none, row: none})
		if fate := t.Sends[m].Fate; fate <= trace.Delivered {
			p.place(t, int32(m))
		}
	}
	for ; p.steps < len(t.Steps); p.steps++ {
		if m := t.Steps[p.steps].Send; m >= 0 {
			p.letGo(m)
		}
	}
}

// place puts a message into a chain.
func (p *pctcp) place(t *trace.Trace, m int32) {
	s := &t.Sends[m]
	row := p.chains.open()
	p.known[m].row, p.known[m].uses = row, 1
	if s.Step >= 0 {
		p.putAbove(row, t.Steps[s.Step].Send)
	}
	if !t.Unordered && !s.Kind.IsTimer() {
		p.queue(s.Channel, m)
	}
	chain := p.chains.place(row)
	if int(chain) == len(p.priority) {
		p.priority = append(p.priority, p.order.next()|drawn)
	}
	p.known[m].chain = chain
	if s.Fate == trace.Pending {
		p.messages.counted++
		p.known[m].lower = p.changes.at(p.messages.counted)
	}
}

// queue puts a message above the one before it in its channel.
func (p *pctcp) queue(channel, m int32) {
	for int(channel) >= len(p.tails) {
		p.tails = append(p.tails, none)
	}
	if last := p.tails[channel]; last >= 0 {
		p.putAbove(p.known[m].row, last)
		p.letGo(last)
	}
	p.tails[channel] = m
	p.known[m].uses++
}

// putAbove joins a row to that of a message, if it still has one.
func (p *pctcp) putAbove(row, message int32) {
	if message >= 0 && p.known[message].row >= 0 {
		p.chains.join(row, p.known[message].row)
	}
}

// letGo takes away one use of a message.
func (p *pctcp) letGo(m int32) {
	k := &p.known[m]
	if k.uses--; k.uses == 0 {
		p.chains.release(k.row)
		k.row = none
	}
}

func (p *pctcp) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
