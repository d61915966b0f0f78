package strategy_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// longChain is a program with n steps in a chain at one actor, and one event at
// another actor. The field found is set if the event came last.
type longChain struct {
	n     int
	found bool
}

func (p *longChain) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.found = false
	left := p.n
	chain := sys.Spawn("chain", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if left--; left > 0 {
			ctx.Send(ctx.Self(), msg)
		}
	}))
	event := sys.Spawn("event", pulse.Func(func(*pulse.Ctx, any) { p.found = left == 0 }))
	sys.Send(chain, hop{})
	sys.Send(event, single{})
	sys.Run()
	return sys.Failure()
}

// TestURWFindsTheLastOrder is the example that motivates the paper: 25 steps race with
// one event. Each of the 26 orders has the same probability; Random would need 2^25 runs.
func TestURWFindsTheLastOrder(t *testing.T) {
	p := &longChain{n: 25}
	found := func() bool { return p.found }
	if hits := tally(t, strategy.Random(), 10_000, p.run, found); hits > 0 {
		t.Errorf("Random finds it %d times", hits)
	}
	if hits := tally(t, strategy.URW(strategy.URWOptions{}), 1000, p.run, found); hits == 0 {
		t.Error("not found in 1,000 runs; the chance of that is 1e-17")
	}
	tries := runs(10_000)
	for _, relearn := range []int{0, 1, 7} {
		s := strategy.URW(strategy.URWOptions{Relearn: relearn})
		expectChance(t, tally(t, s, tries, p.run, found), tries, 1.0/26)
	}
}

// forest is a program whose messages are a forest: message i is sent by the handler
// of message parents[i], or by the test. Each message goes to a different actor.
type forest struct {
	parents []int
	order   string
}

func (p *forest) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.order = ""
	refs := make([]pulse.Ref, len(p.parents))
	for i := range refs {
		refs[i] = sys.Spawn("node", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			p.order += fmt.Sprint(i)
			for child, parent := range p.parents {
				if parent == i {
					ctx.Send(refs[child], kick{})
				}
			}
		}))
	}
	for i, parent := range p.parents {
		if parent < 0 {
			sys.Send(refs[i], kick{})
		}
	}
	sys.Run()
	return sys.Failure()
}

// orders counts the orders of a program under a strategy, without the first
// run, in which URW learns.
func orders(t *testing.T, o pulse.Options, tries int, run func(*pulse.System, uint64) *pulse.Failure, order func() string) []int {
	t.Helper()
	sys := pulse.New(o)
	defer sys.Close()
	seen := map[string]int{}
	for seed := range tries + 1 {
		must(t, run(sys, uint64(seed)))
		if seed > 0 {
			seen[order()]++
		}
	}
	var counts []int
	for _, n := range seen {
		counts = append(counts, n)
	}
	return counts
}

// TestURWIsUniform checks that every order of a forest has the same
// probability, by Knuth's formula 7!/(4·2·2) = 315 of them here. So has every
// merge of two lanes, whose marks are queued in channels: 8!/(4!·4!) = 70.
func TestURWIsUniform(t *testing.T) {
	f := &forest{parents: []int{-1, 0, 0, 2, -1, 4, -1}}
	l := &lanes{w: 2, l: 3}
	tests := []struct {
		name   string
		number int
		run    func(*pulse.System, uint64) *pulse.Failure
		order  func() string
		o      pulse.Options
	}{
		{"forest", 315, f.run, func() string { return f.order }, pulse.Options{}},
		{"forest, unordered", 315, f.run, func() string { return f.order }, pulse.Options{Delivery: pulse.DeliveryUnordered}},
		{"lanes", 70, l.run, func() string { return string(l.steps) }, pulse.Options{}},
	}
	for _, test := range tests {
		test.o.Strategy = strategy.URW(strategy.URWOptions{})
		counts := orders(t, test.o, runs(100*test.number), test.run, test.order)
		ok, chi, bound := isUniform(counts)
		if len(counts) != test.number || !ok {
			t.Errorf("%s: %d orders, chi-square %.1f, expected %d orders and at most %.1f",
				test.name, len(counts), chi, test.number, bound)
		}
		t.Logf("%s: %d orders, chi-square %.1f, at most %.1f", test.name, len(counts), chi, bound)
		test.o.Strategy = strategy.Random()
		if ok, _, _ := isUniform(orders(t, test.o, runs(100*test.number), test.run, test.order)); ok {
			t.Errorf("%s: Random is uniform too: the test shows nothing", test.name)
		}
	}
}
