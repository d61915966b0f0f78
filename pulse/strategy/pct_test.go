package strategy_test

import (
	"math"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A deepBug is an order in which marks of the program lanes must arrive. The
// number of marks in that order is the bug's depth.
type deepBug struct {
	depth int
	found func(*lanes) bool
}

var deepBugs = []deepBug{
	{1, func(p *lanes) bool { return p.after(0, 0, mark{1, 2}, mark{2, 2}) }},
	{2, func(p *lanes) bool {
		return p.after(0, 1, mark{2, 2}, mark{1, 0}) && p.after(1, 1, mark{0, 2})
	}},
	{3, func(p *lanes) bool {
		return p.after(0, 1, mark{1, 0}, mark{2, 0}) && p.after(1, 1, mark{0, 2}) && p.after(2, 1, mark{1, 2})
	}},
}

// TestPCTFindsDeepBugs checks the bound of the paper, 1/(n·k^(d-1)), for n
// channels and k steps, and the bound of PCTCP, 1/(w²·n^(d-1)), for n
// messages of which w are pairwise unordered.
func TestPCTFindsDeepBugs(t *testing.T) {
	const (
		width, length = 3, 3
		channels      = 2 * width
		steps         = width * (length + 1)
	)
	for _, bug := range deepBugs {
		further := math.Pow(steps, float64(bug.depth-1))
		o := strategy.PCTOptions{Depth: bug.depth, Steps: steps}
		p := &lanes{w: width, l: length}
		count := func(s pulse.Strategy, tries int) int {
			return tally(t, s, tries, p.run, func() bool { return bug.found(p) })
		}
		tries := runs(40_000)
		expectAtLeast(t, count(strategy.PCT(o), tries), tries, 1/(channels*further))
		expectAtLeast(t, count(strategy.PCTCP(o), tries), tries, 1/(width*width*further))
		if hits := count(strategy.Plain(), 1000); hits > 0 {
			t.Errorf("plain order finds the bug of depth %d", bug.depth)
		}
	}
}

// TestPCTDepthMatters checks that without change points the deeper bugs of
// lanes are not found: a strategy that always found them would prove nothing.
func TestPCTDepthMatters(t *testing.T) {
	for _, s := range []pulse.Strategy{
		strategy.PCT(strategy.PCTOptions{Depth: 1}), strategy.PCTCP(strategy.PCTOptions{Depth: 1}),
	} {
		for _, bug := range deepBugs[1:] {
			p := &lanes{w: 3, l: 3}
			if hits := tally(t, s, 2000, p.run, func() bool { return bug.found(p) }); hits > 0 {
				t.Errorf("%T with depth 1 finds the bug of depth %d", s, bug.depth)
			}
		}
	}
}

// TestChainsBeatChannels checks the benefit of chains: a causal chain over ten
// channels is ten threads to PCT and one to PCTCP. With PCT the single message
// comes last if its channel has the lowest priority of eleven.
func TestChainsBeatChannels(t *testing.T) {
	p := &hops{n: 10}
	tries := runs(10_000)
	count := func(s pulse.Strategy) int { return tally(t, s, tries, p.run, func() bool { return p.found }) }
	o := strategy.PCTOptions{Depth: 1}
	expectChance(t, count(strategy.PCT(o)), tries, 1.0/11)
	expectChance(t, count(strategy.PCTCP(o)), tries, 1.0/2)
}

// TestPCTUnordered checks the probability of each order of the last two of
// four messages, with Unordered delivery.
func TestPCTUnordered(t *testing.T) {
	for _, s := range []pulse.Strategy{strategy.PCT(strategy.PCTOptions{}), strategy.PCTCP(strategy.PCTOptions{})} {
		var order []int
		sys := pulse.New(pulse.Options{Strategy: s, Delivery: pulse.DeliveryUnordered})
		hits, tries := 0, runs(10_000)
		for seed := range tries {
			sys.Reset(uint64(seed))
			order = order[:0]
			sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) { order = append(order, msg.(int)) }))
			for i := range 4 {
				sys.Send(sink, i)
			}
			sys.Run()
			must(t, sys.Failure())
			if order[2] == 1 && order[3] == 0 {
				hits++
			}
		}
		sys.Close()
		expectAtLeast(t, hits, tries, 1.0/16)
	}
}

// TestLengthIsLearned checks that a new strategy that makes the same runs gives
// the same answers, and that the length of one run affects the next.
func TestLengthIsLearned(t *testing.T) {
	for _, make := range []func() pulse.Strategy{
		func() pulse.Strategy { return strategy.PCT(strategy.PCTOptions{}) },
		func() pulse.Strategy { return strategy.PCTCP(strategy.PCTOptions{}) },
	} {
		hashes := func(first int) (list []uint64) {
			sys := pulse.New(pulse.Options{Strategy: make(), Record: true})
			defer sys.Close()
			for seed := range 50 {
				p := &lanes{w: 3, l: 3}
				if seed == 0 {
					p.l = first
				}
				must(t, p.run(sys, uint64(seed)))
				list = append(list, sys.Trace().Hash)
			}
			return list
		}
		a, b, c := hashes(3), hashes(3), hashes(40)
		same := 0
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%T: run %d differs in a second value", make(), i)
			}
			if a[i] == c[i] {
				same++
			}
		}
		if a[1] == c[1] && a[2] != c[2] || same < 45 {
			t.Errorf("%T: after a run of another length %d of 50 runs are the same", make(), same)
		}
	}
}
