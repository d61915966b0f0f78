package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// PCTCP returns a strategy that partitions the messages of a run into chains as
// they are sent. It gives each chain a random priority and always picks a message
// of the chain with the highest priority. When one of d-1 random messages would be
// picked, its chain first drops below all other chains (Ozkan, Majumdar, Niksic,
// Tabaei Befrouei and Weissenbacher, "Randomized testing of distributed systems
// with probabilistic guarantees", OOPSLA 2018).
//
// A message is below the messages that its handler sends, and transitively below
// the messages that their handlers send. With FIFO delivery it is also below later
// messages of its channel. The order in which an actor receives two messages does
// not order them, because another run may receive them in the opposite order.
//
// If d is Depth, a run of n messages, of which at most w are pairwise unordered,
// triggers a given bug of depth d with probability at least 1/(w²·n^(d-1)). If
// Depth is zero, see PCTOptions. The bound holds for programs whose messages have
// the same partial order in all runs. It holds only roughly for programs with
// timers, which may be overtaken, or with processes that leave messages waiting.
func PCTCP(o PCTOptions) pulse.Strategy {
	return &pctcp{messages: length{fixed: o.Steps}, changes: pointsFor(o.Depth)}
}

type pctcp struct {
	source          // random numbers for choices
	order    source // random numbers for priorities
	messages length
	changes  changePoints
	chains   chains
	// priority has, for each chain, a random priority, or the number of the change
	// point that lowered it.
	priority []uint64

	// known has the position in the causal order of each message in the trace's Sends.
	known []causal
	// tails has the last message sent over each channel, or none.
	tails []int32
	steps int // the number of steps of the trace processed by follow
	first pulse.Order
}

// A causal is the position of a message in the causal order.
//
// Invariant: uses counts the reasons why later messages may be joined to this one.
// There are two reasons: the message is waiting or being received, and it is the
// last message of its channel. If uses is zero, row is none.
type causal struct {
	chain int32
	row   int32
	uses  int8
	lower uint64 // the priority to which the chain drops before this message is received; 0 for no change
}

func (p *pctcp) Begin(seed uint64) {
	p.seed(seed)
	p.changes.draw(&p.source, p.messages.begin())
	p.order.seed(p.next())
	p.chains.reset()
	p.priority, p.known, p.tails = p.priority[:0], p.known[:0], p.tails[:0]
	p.steps = 0
	p.first.Renew()
}

// Needs requests the trace, and a Pick in every step, so that each priority changes
// in time.
func (p *pctcp) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

func (p *pctcp) Pick(e *pulse.Enabled) int {
	p.follow(e.Trace())
	for {
		best := p.first.First(e, func(i int) uint64 { return p.priority[p.known[e.Slot(i)].chain] })
		m := &p.known[e.Slot(best)]
		if m.lower == 0 {
			return best
		}
		p.priority[m.chain], m.lower = m.lower, 0
		p.first.Renew()
	}
}

// follow processes the messages and the steps that are new since the last Pick.
// Messages come first, because a step releases the row of its message, and messages
// sent in the step must be joined to that row before.
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

// place puts message m into a chain.
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

// queue records that message m is above the previous message of its channel.
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

// putAbove records in a row that its element is above a message, if the message
// still has a row.
func (p *pctcp) putAbove(row, message int32) {
	if message >= 0 && p.known[message].row >= 0 {
		p.chains.join(row, p.known[message].row)
	}
}

// letGo decrements the field uses of a message. If uses becomes zero, letGo
// releases the message's row.
func (p *pctcp) letGo(m int32) {
	k := &p.known[m]
	if k.uses--; k.uses == 0 {
		p.chains.release(k.row)
		k.row = none
	}
}

func (p *pctcp) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
