package strategy_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestPOSAgainstRandom has one message come after a chain of ten hops, nine
// of which go elsewhere and leave its priority alone. It comes last when its
// priority is the lowest of eleven; with Random it must lose ten coin tosses.
func TestPOSAgainstRandom(t *testing.T) {
	p := &hops{n: 10}
	tries := runs(20_000)
	count := func(s pulse.Strategy) int { return tally(t, s, tries, p.run, func() bool { return p.found }) }
	expectChance(t, count(strategy.POS()), tries, 1.0/11)
	expectChance(t, count(strategy.Random()), tries, 1.0/1024)
}

// TestPOSRaces checks that messages which race are drawn anew. A source that is
// kicked sends a and b to the sink, the test x. With chance 1/3 x is behind
// both the kick and a; then it is drawn again, and loses to b one time in two.
// With priorities that stay, x would be the lowest of four one time in four.
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

// identities runs lanes, with or without an actor that has nothing to do with
// them but chats with itself, and returns the steps of the lanes.
func identities(t *testing.T, sys *pulse.System, seed uint64, extra bool) (list []uint64) {
	t.Helper()
	sys.Reset(seed)
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	for lane := range 3 {
		sys.Send(sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for n := range 3 {
				ctx.Send(sink, mark{lane, n})
			}
		})), kick{})
	}
	chatter := pulse.Ref{}
	if extra {
		left := 10
		chatter = sys.Spawn("chatter", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if left--; left > 0 {
				ctx.Send(ctx.Self(), msg)
			}
		}))
		sys.Send(chatter, kick{})
	}
	sys.Run()
	must(t, sys.Failure())
	for _, s := range sys.Trace().Steps {
		if !extra || int(s.Actor) != chatter.Index() {
			list = append(list, s.ID)
		}
	}
	return list
}

// TestPOSIsStable checks that a seed keeps its order when an actor is added;
// Random's does not.
func TestPOSIsStable(t *testing.T) {
	changed := func(s pulse.Strategy) (n int) {
		sys := pulse.New(pulse.Options{Strategy: s, Record: true})
		defer sys.Close()
		for seed := range uint64(200) {
			if !slices.Equal(identities(t, sys, seed, false), identities(t, sys, seed, true)) {
				n++
			}
		}
		return n
	}
	if n := changed(strategy.POS()); n > 0 {
		t.Errorf("the order changes for %d of 200 seeds", n)
	}
	if n := changed(strategy.Random()); n < 150 {
		t.Errorf("Random's order changes for %d of 200 seeds only: the test shows nothing", n)
	}
}
