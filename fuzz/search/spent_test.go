package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestSpentAgainstAllOrders holds isSpent against all orders of random small programs: what
// it says of a run is true, and it says so of nearly all inputs that have one order.
func TestSpentAgainstAllOrders(t *testing.T) {
	programs := uint64(3000)
	if testing.Short() {
		programs = 300
	}
	one, spent, several := 0, 0, 0
	for seed := range programs {
		p := newTable(rand.New(rand.NewPCG(seed, 20)))
		p.atOnce = false // else an order may end by a panic before another step
		r := props.NewRunner(t.Name(), p.property(nil, 0))
		res := r.Run(props.Plan{Seed: seed})
		says, first, orders := isSpent(&res), orderOf(&res), 1
		all := eachOrder(r, props.Plan{Seed: seed}, 2000, func(res *props.Result) {
			if orderOf(res) != first {
				orders++
			}
		})
		r.Close()
		switch {
		case orders == 1 && !all:
		case says && orders > 1:
			t.Errorf("program %d: a run was spent, and its input has more orders", seed)
		case says:
			spent, one = spent+1, one+1
		case orders == 1:
			one++
		default:
			several++
		}
	}
	t.Logf("%d inputs with one order, %d known by their first run; %d with several", one, spent, several)
	if spent < one || one < int(programs)/2 || several < int(programs)/10 {
		t.Errorf("of %d inputs with one order %d are known; %d have several", one, spent, several)
	}
}

// TestInputsOfSpentRuns: where an input has one order each run has an input of its own. Else
// two runs share one: each pair has the inputs that it has in other programs.
func TestInputsOfSpentRuns(t *testing.T) {
	inputs := func(o Options, f func(*props.T, uint64)) (list []uint64) {
		o.Runs, o.Seed = stageRuns, 3
		o.Planned = func(_ int, p *props.Plan) { list = append(list, p.Seed) }
		Sample(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) { f(t, list[len(list)-1]) }}, o)
		return list
	}
	send := func(t *props.T, n uint64) {
		sys := t.System()
		to := sys.Spawn("to", pulse.Func(func(*pulse.Ctx, any) {}))
		for i := range n {
			sys.Send(sys.Spawn(fmt.Sprint("from", i), pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, "go") })), "go")
		}
		sys.Run()
	}
	paired := inputs(Options{}, func(t *props.T, _ uint64) { send(t, 2) })
	asked := func(t *props.T, _ uint64) {
		sys := t.System()
		sys.Send(sys.Spawn("who", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(2) })), "go")
		sys.Run()
	}
	always := func(t *props.T, _ uint64) {
		sys := t.System()
		t.Always("fine", func() error { return nil })
		sys.Send(sys.Spawn("who", pulse.Func(func(*pulse.Ctx, any) {})), "go")
		sys.Run()
	}
	never, ever := func(int) bool { return false }, func(int) bool { return true }
	for name, c := range map[string]struct {
		arms string
		f    func(*props.T, uint64)
		own  func(pair int) bool // its second run has an input of its own
	}{
		"races":               {"", func(t *props.T, _ uint64) { send(t, 3) }, never},
		"one message":         {"", func(t *props.T, _ uint64) { send(t, 1) }, ever},
		"one message, by pct": {"pct,pos", func(t *props.T, _ uint64) { send(t, 1) }, ever},
		"skipped":             {"", func(t *props.T, _ uint64) { t.Skip() }, ever},
		"a race of the even":  {"", func(t *props.T, n uint64) { send(t, 2-n%2) }, func(pair int) bool { return paired[2*pair]%2 == 1 }},
		"a choice":            {"", asked, never},
		"looks at each step":  {"", always, never},
	} {
		o := Options{}
		if c.arms != "" {
			o.Portfolio, _ = Strategies(strings.Split(c.arms, ",")...)
		}
		list := inputs(o, c.f)
		if len(list) != stageRuns {
			t.Fatalf("%s: %d runs", name, len(list))
		}
		seen := map[uint64]bool{}
		for i := range stageRuns / 2 {
			first, second := list[2*i], list[2*i+1]
			if first != paired[2*i] {
				t.Errorf("%s: pair %d has the input %x, want %x", name, i, first, paired[2*i])
			}
			if own := second != first; own != c.own(i) || seen[first] || own && seen[second] {
				t.Errorf("%s: pair %d has the inputs %x and %x", name, i, first, second)
			}
			seen[first], seen[second] = true, true
		}
	}
}
