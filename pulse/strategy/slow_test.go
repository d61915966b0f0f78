package strategy_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// slowChance returns a lower bound of the probability with which Slow delivers a message
// after a chain of k hops. It adds two cases. In one, the message is held for k steps,
// and each hop is not held or wins a coin toss. In the other, nothing is held, and the
// message has the lowest of k+1 priorities.
func slowChance(k int) (chance float64) {
	long := 0.0 // the fraction of holds that last for at least k steps
	for d := 2; d <= 256; d *= 2 {
		if d >= k {
			long += 1.0 / 8
		}
	}
	for _, rate := range []float64{0, 1. / 4, 1. / 8, 1. / 8, 1. / 16, 1. / 16, 1. / 32, 1. / 64} {
		held := rate * long * math.Pow(1-rate/2, float64(k))
		lowest := 3.0 / 4 / float64(k+1) * math.Pow(1-rate, float64(k+1))
		chance += (held + lowest) / 8
	}
	return chance
}

// TestSlowPromise checks the probabilities in the documentation of Slow: the probability that one
// message comes after a chain of k hops. With Random the message must lose a coin toss for each hop.
func TestSlowPromise(t *testing.T) {
	for _, c := range []struct {
		k        int
		promised float64
	}{{4, 1.0 / 7}, {16, 1.0 / 30}, {64, 1.0 / 250}} {
		t.Run(fmt.Sprint(c.k), func(t *testing.T) {
			if chance := slowChance(c.k); c.promised > chance {
				t.Errorf("the documentation promises 1/%.1f, which is more than 1/%.1f", 1/c.promised, 1/chance)
			}
			p := &hops{n: c.k}
			tries := runs(20_000)
			expectAtLeast(t, tally(t, strategy.Slow(), tries, p.run, func() bool { return p.found }), tries, c.promised)
		})
	}
	p := &hops{n: 16}
	if hits := tally(t, strategy.Random(), 2000, p.run, func() bool { return p.found }); hits > 1 {
		t.Errorf("Random finds it %d times in 2000 runs", hits)
	}
}

// TestSlowIsBlind shows a bug that Slow does not find: each of 16 pairs of messages
// must come in a certain order, which alternates.
func TestSlowIsBlind(t *testing.T) {
	const pairs = 16
	found := false
	run := func(sys *pulse.System, seed uint64) *pulse.Failure {
		sys.Reset(seed)
		right := 0
		for pair := range pairs {
			last := -1
			sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) {
				if last >= 0 && last == pair%2 {
					right++
				}
				last = msg.(int)
			}))
			for n := range 2 {
				sys.Send(sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(sink, n) })), kick{})
			}
		}
		sys.Run()
		found = right == pairs
		return sys.Failure()
	}
	if hits := tally(t, strategy.Slow(), 2000, run, func() bool { return found }); hits > 1 {
		t.Errorf("found %d times in 2000 runs", hits)
	}
}

// TestSlowFiresTimersEarly checks that Slow returns Hold only to fire a timer early,
// at most twice in a run, and only if the options allow it.
func TestSlowFiresTimersEarly(t *testing.T) {
	for _, c := range []struct{ allowed, most int }{{pulse.NeverEarly, 0}, {1, 1}, {100, 2}} {
		sys := pulse.New(pulse.Options{Strategy: onlyHolds{strategy.Slow()}, EarlyTimers: c.allowed, Record: true})
		most := 0
		for seed := range runs(4000) {
			sys.Reset(uint64(seed))
			echo := sys.Spawn("echo", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if n := msg.(int); n > 0 {
					ctx.Send(ctx.Self(), n-1)
					ctx.After(1, 0)
				}
			}))
			sys.Send(echo, 20)
			sys.Run()
			must(t, sys.Failure())
			most = max(most, sys.Record().Early())
		}
		if sys.Close(); most != c.most {
			t.Errorf("with at most %d early timers, a run had up to %d, expected %d", c.allowed, most, c.most)
		}
	}
}

// onlyHolds answers every Choose with zero. So timers fire early only because Pick returns
// Hold.
type onlyHolds struct{ pulse.Strategy }

func (onlyHolds) Choose(choice.Kind, int) int { return 0 }

func (onlyHolds) Needs() pulse.Needs { return pulse.Needs{Single: true} }
