package strategy

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestPicksAreThoseOfLookingAtAll compares the runs of each strategy with those
// of one that scans all messages in each step, as in the papers. Other tests
// check the parts that the two have in common: TestChainsOfPrograms the chains
// of PCTCP, TestURWIsUniform the weights of URW, TestCrowdsAreDrawnAsEach the
// crowds of POS.
func TestPicksAreThoseOfLookingAtAll(t *testing.T) {
	trial.Long(t)
	pairs := []struct {
		name string
		fast func() pulse.Strategy
		slow func() pulse.Strategy
	}{
		{"plain", Plain, func() pulse.Strategy { return &slowPlain{} }},
		{"pos", func() pulse.Strategy { return &pos{crowded: math.MaxInt} }, func() pulse.Strategy { return &slowPOS{} }},
		{"pct", func() pulse.Strategy { return PCT(PCTOptions{Depth: 4}) }, func() pulse.Strategy {
			return &slowPCT{pct: pct{changes: pointsFor(4)}}
		}},
		{"pctcp", func() pulse.Strategy { return PCTCP(PCTOptions{Depth: 4}) }, func() pulse.Strategy {
			return &slowPCTCP{pctcp: pctcp{changes: pointsFor(4)}}
		}},
		{"urw", func() pulse.Strategy { return URW(URWOptions{Relearn: 3}) }, func() pulse.Strategy {
			return &slowURW{*URW(URWOptions{Relearn: 3}).(*urw)}
		}},
	}
	for _, p := range pairs {
		for name, program := range crowds() {
			for setting, o := range trial.Settings() {
				t.Run(fmt.Sprintf("%s/%s/%s", p.name, name, setting), func(t *testing.T) {
					fast, slow := runsOf(t, p.fast(), o, program), runsOf(t, p.slow(), o, program)
					for seed := range fast {
						if fast[seed] != slow[seed] {
							t.Fatalf("seed %d: another run than by looking at all", seed)
						}
					}
				})
			}
		}
	}
}

// crowds are programs in which many messages can be delivered.
func crowds() map[string]func(*pulse.System) {
	build := func(l load.Load) func(*pulse.System) {
		return func(sys *pulse.System) {
			l.Build(sys)
			sys.Run()
		}
	}
	return map[string]func(*pulse.System){
		"rich":      trial.Rich,
		"ring":      build(load.Ring(60, 60, 2)),
		"lap":       build(load.Ring(5, 70, 6)),
		"processes": build(load.Processes(40, 30, 2)),
		"senders":   build(load.Senders(50, 4)),
		"settled": func(sys *pulse.System) {
			load.Ring(30, 30, 1).Build(sys)
			sys.Settle()
			load.AllToAll(9, 3).Build(sys)
			sys.Run()
			load.Ring(70, 70, 1).Build(sys)
			sys.RunFor(1)
		},
	}
}

// runsOf returns the hashes of a few runs under one strategy.
func runsOf(t *testing.T, s pulse.Strategy, o pulse.Options, program func(*pulse.System)) (list []uint64) {
	o.Strategy, o.Record = s, true
	sys := pulse.New(o)
	defer sys.Close()
	seeds := uint64(3)
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		seeds = 12
	}
	for seed := range seeds {
		sys.Reset(seed)
		program(sys)
		list = append(list, sys.Trace().Hash)
	}
	return list
}

type slowPlain struct{ plain }

func (s *slowPlain) Pick(e *pulse.Enabled) int { return oldest(e) }

func oldest(e *pulse.Enabled) (best int) {
	for i := range e.Len() {
		if e.Seq(i) < e.Seq(best) {
			best = i
		}
	}
	return best
}

type slowPOS struct {
	source // of choices
	key    uint64
	// by message slot; a recorded run reuses no slot
	lots []slowLot
	// taken counts, for each actor, the steps of the actor that Pick has chosen.
	taken []int32
}

// A slowLot is the priority drawn for a message. Invariant: it is valid while
// age is the receiver's count in slowPOS.taken; otherwise it must be drawn
// again.
type slowLot struct {
	priority uint64
	draws    uint64
	to       int32 // the receiver
	age      int32 // the receiver's count in slowPOS.taken at the time of the draw; none if nothing was drawn
}

func (p *slowPOS) Begin(seed uint64) {
	p.seed(seed)
	p.key = p.next()
	p.lots, p.taken = p.lots[:0], p.taken[:0]
}

// Needs requests identities.
func (p *slowPOS) Needs() pulse.Needs { return pulse.Needs{Record: true} }

func (p *slowPOS) Pick(e *pulse.Enabled) int {
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

// grow makes room for messages and actors that are new since the last pick.
func (p *slowPOS) grow(t *trace.Trace) {
	for range len(t.Sends) - len(p.lots) {
		p.lots = append(p.lots, slowLot{age: none})
	}
	for range len(t.Actors) - len(p.taken) {
		p.taken = append(p.taken, 0)
	}
}

func (p *slowPOS) draw(l *slowLot, e *pulse.Enabled, i int) {
	l.to = int32(e.Receiver(i))
	l.age = p.taken[l.to]
	l.draws++
	l.priority = hash.Mix(p.key^e.ID(i)+l.draws*hash.Gamma) | 1
}

func (p *slowPOS) Choose(k choice.Kind, n int) int { return p.choose(k, n) }

type slowPCT struct{ pct }

func (p *slowPCT) Pick(e *pulse.Enabled) int {
	for len(p.priority) <= e.Channels() {
		p.priority = append(p.priority, p.order.next()|drawn)
	}
	best, channel, top := 0, 0, uint64(0)
	for i := range e.Len() {
		c := e.Channel(i)
		if v := p.priority[c]; v > top {
			best, channel, top = i, c, v
		}
	}
	p.steps.counted++
	if v := p.changes.at(p.steps.counted); v != 0 {
		p.priority[channel] = v
	}
	return best
}

type slowPCTCP struct{ pctcp }

func (p *slowPCTCP) Pick(e *pulse.Enabled) int {
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

func (p *slowPCTCP) highest(e *pulse.Enabled) int {
	best, top := 0, uint64(0)
	for i := range e.Len() {
		if v := p.priority[p.known[e.Slot(i)].chain]; v > top {
			best, top = i, v
		}
	}
	return best
}

type slowURW struct{ urw }

func (u *slowURW) Pick(e *pulse.Enabled) int {
	if u.trial {
		return u.below(e.Len())
	}
	t := e.Trace()
	u.follow(t)
	return u.scan(t, e)
}
