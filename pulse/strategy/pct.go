package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// PCTOptions are the options of PCT and PCTCP.
type PCTOptions struct {
	// Depth is the depth of the bugs to look for. Zero means that each run draws 3, 6,
	// 12 or 24 uniformly. Shallower bugs are found with at least the probability for
	// this depth. There is no bound for deeper bugs.
	Depth int
	// Steps is the length of a run: its steps for PCT, its messages for PCTCP. Zero
	// means the length of the previous run, or 100 in the first run.
	Steps int
}

// PCT returns a strategy that gives each channel a random priority and always picks
// the channel with the highest priority. At d-1 random steps, the channel just
// received from drops below all other channels (Burckhardt et al., "A randomized
// scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010; their
// threads are our channels). With Unordered delivery each message has its own
// channel.
//
// If d is Depth, a run of k steps over n channels triggers a given bug of depth d
// with probability at least 1/(n·k^(d-1)). If Depth is zero, see PCTOptions. PCTCP
// has a better bound if causality passes through many channels.
func PCT(o PCTOptions) pulse.Strategy {
	return &pct{steps: length{fixed: o.Steps}, changes: pointsFor(o.Depth)}
}

type pct struct {
	source         // random numbers for choices
	order   source // random numbers for priorities
	steps   length
	changes changePoints
	// priority has, for each channel, a random priority, or the number of the change
	// point that lowered it.
	priority []uint64
	first    pulse.Order
}

func (p *pct) Begin(seed uint64) {
	p.seed(seed)
	p.changes.draw(&p.source, p.steps.begin())
	p.order.seed(p.next())
	p.priority = p.priority[:0]
	p.first.Renew()
}

// Needs requests a Pick in every step, so that each step is counted.
func (p *pct) Needs() pulse.Needs { return pulse.Needs{Single: true} }

func (p *pct) Pick(e *pulse.Enabled) int {
	for len(p.priority) <= e.Channels() {
		p.priority = append(p.priority, p.order.next()|drawn)
	}
	best := p.first.First(e, func(i int) uint64 { return p.priority[e.Channel(i)] })
	p.steps.counted++
	if v := p.changes.at(p.steps.counted); v != 0 {
		p.priority[e.Channel(best)] = v // the picked message is the last message with the channel's old priority
	}
	return best
}

func (p *pct) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
