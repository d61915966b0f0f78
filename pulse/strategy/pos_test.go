package strategy_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestPOSAgainstRandom has one message come after a chain of ten hops, nine of which
// go to other actors and do not affect its priority. The message comes last if its
// priority is the lowest of eleven. With Random it must lose ten coin tosses.
func TestPOSAgainstRandom(t *testing.T) {
	p := &hops{n: 10}
	tries := runs(20_000)
	count := func(s pulse.Strategy) int { return tally(t, s, tries, p.run, func() bool { return p.found }) }
	expectChance(t, count(strategy.POS()), tries, 1.0/11)
	expectChance(t, count(strategy.Random()), tries, 1.0/1024)
}

// TestPOSRaces checks that racing messages get new priorities. A source that
// is kicked sends a and b to the sink; the test sends x. With probability
// 1/3 x comes after the kick and a. Then x gets a new priority, and loses to
// b half of the time. With the old priorities x would be the lowest of four
// a quarter of the time.
func TestPOSRaces(t *testing.T) {
	orders := map[string]int{}
	tries := runs(20_000)
	sys := pulse.New(pulse.Options{Strategy: strategy.POS()})
	defer sys.Close()
	for seed := range tries {
		sys.Reset(uint64(seed))
		order := ""
		sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) { order += msg.(string) }))
		source := pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.Send(sink, "a")
			ctx.Send(sink, "b")
		})
		sys.Send(sys.Spawn("source", source), kick{})
		sys.Send(sink, "x")
		sys.Run()
		must(t, sys.Failure())
		orders[order]++
	}
	expectChance(t, orders["xab"], tries, 2.0/3)
	expectChance(t, orders["axb"], tries, 1.0/6)
	expectChance(t, orders["abx"], tries, 1.0/6)
}

// identities runs a program in which sources send marks to a sink, and returns
// the identities of the sink's steps. If extra is set, unrelated actors send to
// themselves meanwhile. If choosy is set, the sink accepts marks of the first
// lanes only every tenth time.
func identities(t *testing.T, sys *pulse.System, lanes, marks int, choosy bool, seed uint64, extra bool) (list []uint64) {
	t.Helper()
	sys.Reset(seed)
	sink := sys.Go("sink", func(p *pulse.Process) {
		for n := range marks * lanes {
			p.ReceiveMatch(func(msg any) bool { return !choosy || (msg.(mark).lane < lanes/10) == (n%10 == 9) })
		}
	})
	for lane := range lanes {
		sys.Send(sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for n := range marks {
				ctx.Send(sink, mark{lane, n})
			}
		})), kick{})
	}
	for range 20 {
		left := 30
		chatter := sys.Spawn("chatter", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if left--; left > 0 {
				ctx.Send(ctx.Self(), msg)
			}
		}))
		if extra {
			sys.Send(chatter, kick{})
		}
	}
	sys.Run()
	must(t, sys.Failure())
	for _, s := range sys.Trace().Steps {
		if int(s.Actor) <= sink.Index()+lanes {
			list = append(list, s.ID)
		}
	}
	return list
}

// TestPOSIsStable checks that a seed gives the same order of existing messages after
// actors were added, even if racing messages form a crowd. With Random the order changes.
func TestPOSIsStable(t *testing.T) {
	trial.Long(t)
	seeds := byDay(40, 10)
	changed := func(s pulse.Strategy, lanes, marks int, choosy bool, d pulse.Delivery) (n int) {
		sys := pulse.New(pulse.Options{Strategy: s, Record: true, Delivery: d})
		defer sys.Close()
		for seed := range uint64(seeds) {
			if !slices.Equal(identities(t, sys, lanes, marks, choosy, seed, false), identities(t, sys, lanes, marks, choosy, seed, true)) {
				n++
			}
		}
		return n
	}
	for _, x := range []struct {
		lanes, marks int
		choosy       bool
	}{{3, 3, false}, {3, 40, false}, {60, 3, false}, {60, 3, true}, {150, 3, true}} {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			if n := changed(strategy.POS(), x.lanes, x.marks, x.choosy, d); n > 0 {
				t.Errorf("%+v, delivery %d: the order changes for %d of %d seeds", x, d, n, seeds)
			}
		}
	}
	if n := changed(strategy.Random(), 3, 3, false, pulse.DeliveryFIFO); 4*n < 3*seeds {
		t.Errorf("Random's order changes for %d of %d seeds only: the test shows nothing", n, seeds)
	}
}
