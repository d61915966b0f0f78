package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A spread counts the runs of an input, over all orders and answers. It also counts the runs in which some actor
// receives something else than in the first run.
type spread struct {
	runs, others int
	whole        bool // set if these are all runs of the input
}

func spreadOf(r *props.Runner, seed, first uint64) (out spread) {
	out.whole = trial.EachOrder(r, props.Plan{Seed: seed}, 2000, func(res *props.Result, _ float64) {
		if out.runs++; orderOf(res) != first {
			out.others++
		}
	})
	return out
}

// TestSpentAgainstAllOrders compares isSpent with all orders of random small programs. Every answer must be true, and
// isSpent must recognize all inputs that have one order.
func TestSpentAgainstAllOrders(t *testing.T) {
	trial.Long(t)
	programs := uint64(400)
	if nightly() {
		programs = 100_000
	}
	one, alone, several := 0, 0, 0
	for seed := range programs {
		p := trial.NewTable(rand.New(rand.NewPCG(seed, 20)))
		p.AtOnce = false // otherwise a panic may end an order before another step
		r := props.NewRunner(t.Name(), p.Property(nil, 0))
		res := r.Run(props.Plan{Seed: seed})
		spent, sequence := isSpent(&res), res.System.Trace().Sequential()
		all := spreadOf(r, seed, orderOf(&res))
		r.Close()
		if all.others == 0 && !all.whole {
			continue
		}
		if spent != (all.others == 0) || sequence != (all.runs == 1) {
			t.Errorf("program %d: spent %v, a sequence %v, and its input has %+v", seed, spent, sequence, all)
		}
		switch {
		case all.runs == 1:
			alone++
		case all.others == 0:
			one++
		default:
			several++
		}
	}
	t.Logf("inputs with one run: %d; with one order, in several runs: %d; with several orders: %d", alone, one, several)
	if least := int(programs) / 10; alone < least || one < least || several < least {
		t.Error("there are too few of a kind")
	}
}

// TestSpentSubjects counts the spent runs of the example programs. These have timers, processes, and properties
// that observe each step. In them, isSpent does not recognize every input with one order.
func TestSpentSubjects(t *testing.T) {
	got := ""
	for _, s := range subjects.Easy() {
		r := props.NewRunner(s.Name, s.Property(true))
		spent, watched := 0, false
		for seed := range uint64(40) {
			res := r.Run(props.Plan{Seed: seed})
			if watched = res.Watches; !isSpent(&res) {
				continue
			}
			spent++
			if all := spreadOf(r, seed, orderOf(&res)); all.others > 0 || watched && all.runs > 1 {
				t.Errorf("%s, seed %d: a run was spent, and its input has %+v", s.Name, seed, all)
			}
		}
		r.Close()
		if spent > 0 {
			got += fmt.Sprintf("%s: %d, watched %v\n", s.Name, spent, watched)
		}
	}
	golden.File(t, "testdata/spent.txt", got)
}

// TestInputsOfSpentRuns: if each input of a program has one order, each run has an input of its own. In other
// programs, the first two runs share an input, the next two share another, and so on. These inputs are the same
// for all such programs.
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
	watched := func(t *props.T, n int) {
		sys := t.System()
		t.Always("fine", func() error { return nil })
		for i := range n {
			sys.Send(sys.Spawn(fmt.Sprint("who", i), pulse.Func(func(*pulse.Ctx, any) {})), "go")
		}
		sys.Run()
	}
	two := func(t *props.T, o pulse.Options) {
		sys := t.SystemWith(o)
		who := sys.Spawn("who", pulse.Func(func(*pulse.Ctx, any) {}))
		t.Always("fine", func() error { return nil })
		sys.Send(who, "one")
		sys.Send(who, "two")
		sys.Run()
	}
	timers := func(t *props.T, n int) {
		sys := t.System()
		t.Always("fine", func() error { return nil })
		sys.Send(sys.Spawn("who", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "go" {
				for i := range n {
					ctx.After(time.Second, i)
				}
			} else if msg == 0 { // one more timer makes no choice either
				ctx.After(time.Second, "last")
			}
		})), "go")
		sys.Run()
	}
	never, ever := func(int) bool { return false }, func(int) bool { return true }
	for name, c := range map[string]struct {
		arms string
		f    func(*props.T, uint64)
		own  func(pair int) bool // reports whether the second of two consecutive runs must have a new input
	}{
		"races":               {"", func(t *props.T, _ uint64) { send(t, 3) }, never},
		"one message":         {"", func(t *props.T, _ uint64) { send(t, 1) }, ever},
		"one message, by pct": {"pct,pos", func(t *props.T, _ uint64) { send(t, 1) }, ever},
		"skipped":             {"", func(t *props.T, _ uint64) { t.Skip() }, ever},
		"a race of the even":  {"", func(t *props.T, n uint64) { send(t, 2-n%2) }, func(pair int) bool { return paired[2*pair]%2 == 1 }},
		"a choice":            {"", asked, never},
		"looks at each step":  {"", func(t *props.T, _ uint64) { watched(t, 2) }, never},
		"looks at one step":   {"", func(t *props.T, _ uint64) { watched(t, 1) }, ever},
		"of one sender":       {"", func(t *props.T, _ uint64) { two(t, pulse.Options{}) }, ever},
		"of one, unordered":   {"", func(t *props.T, _ uint64) { two(t, pulse.Options{Delivery: pulse.DeliveryUnordered}) }, never},
		"a timer":             {"", func(t *props.T, _ uint64) { timers(t, 1) }, ever},
		"two timers":          {"", func(t *props.T, _ uint64) { timers(t, 2) }, never},
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
