package strategy_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// ring is a program in which tokens go around among ten actors. What it needs
// is made once, so that its runs allocate nothing themselves.
type ring struct {
	tokens, steps int
	left          int
	refs          [10]pulse.Ref
	passers       [10]passer
	run           func(*pulse.System)
}

type passer struct {
	ring *ring
	next int
}

func (p *passer) Receive(ctx *pulse.Ctx, msg any) {
	if p.ring.left > 0 {
		p.ring.left--
		ctx.Send(p.ring.refs[p.next], msg)
	}
}

var token any = &kick{}

func newRing(tokens, steps int) *ring {
	r := &ring{tokens: tokens, steps: steps}
	for i := range r.passers {
		r.passers[i] = passer{r, (i + 1) % len(r.passers)}
	}
	r.run = func(sys *pulse.System) {
		r.left = r.steps - r.tokens
		for i := range r.refs {
			r.refs[i] = sys.Spawn("passer", &r.passers[i])
		}
		for i := range r.tokens {
			sys.Send(r.refs[i%len(r.refs)], token)
		}
		sys.Run()
	}
	return r
}

// TestNoAllocations holds that a run on a system and a strategy that have
// seen runs as large allocates nothing.
func TestNoAllocations(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		r := newRing(30, 200)
		check := func(name string, s pulse.Strategy) {
			sys := pulse.New(pulse.Options{Strategy: s, Delivery: delivery})
			defer sys.Close()
			seed := uint64(0)
			run := func() {
				seed++
				sys.Reset(seed % 10)
				r.run(sys)
			}
			for range 40 {
				run()
			}
			must(t, sys.Failure())
			if sys.Steps() != r.steps {
				t.Fatalf("%s took %d steps", name, sys.Steps())
			}
			if n := testing.AllocsPerRun(50, run); n != 0 {
				t.Errorf("%s, delivery %d: %v allocations a run", name, delivery, n)
			}
		}
		for _, s := range all() {
			check(s.name, s.make())
		}
		check("urw that relearns", strategy.URW(strategy.URWOptions{Relearn: 1}))
		check("deep pct", strategy.PCT(strategy.PCTOptions{Depth: 8}))

		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Delivery: delivery, Record: true})
		r.run(sys)
		check("replay", strategy.Replay(sys.Record(), strategy.ReplayOptions{}))
		check("lenient replay", strategy.Replay(sys.Record(), strategy.ReplayOptions{Lenient: true}))
		sys.Close()
	}
}
