package explore_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// A register stores the last value that was put. The register and its clients are the program of stateright's
// examples/single-copy-register.rs.
type register struct{ value int }

func (r *register) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case put:
		r.value = m.value
		ctx.Send(m.from, putDone{})
	case get:
		ctx.Send(m.from, got{r.value})
	}
}

type (
	put struct {
		from  pulse.Ref
		value int
	}
	get     struct{ from pulse.Ref }
	putDone struct{}
	got     struct{ value int }
)

// A client puts its value, then gets a value and stores it.
type client struct {
	at     pulse.Ref
	phase  int
	number int
	read   int
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	c.phase++
	switch m := msg.(type) {
	case begin:
		ctx.Send(c.at, put{ctx.Self(), c.number})
	case putDone:
		ctx.Send(c.at, get{ctx.Self()})
	case got:
		c.read = m.value
	}
}

type begin struct{}

// registered builds a register with n clients, each of which has already put a
// value.
func registered(clients int) func(*pulse.System) func() error {
	names := make([]string, clients)
	for i := range names {
		names[i] = fmt.Sprint("client ", i+1)
	}
	return func(s *pulse.System) func() error {
		at := s.Spawn("register", &register{})
		for i := range clients {
			c := s.Spawn(names[i], &client{at: at, number: i + 1})
			s.Host().Enqueue(c, at, put{c, i + 1})
		}
		return func() error { return nil }
	}
}

// TestRegisterStates checks that a register has as many states as stateright counts, with and
// without sleep sets. With 5 clients it has 406,101 states, which only the benchmark checks.
func TestRegisterStates(t *testing.T) {
	for _, c := range []struct {
		clients, states int
		how             explore.States
	}{{2, 57, explore.Checked}, {3, 877, explore.Checked}, {3, 877, explore.ByHash}, {4, 17_009, explore.ByHash}} {
		for _, sleep := range []bool{false, true} {
			v, err := explore.Explore(comparing(c.how, sleep), on(pulse.Options{}, registered(c.clients)))
			if err != nil || !v.Complete || v.States != c.states {
				t.Errorf("%d clients, sleep %t, states %v: want %d states: %+v %v", c.clients, sleep, c.how, c.states, v, err)
			}
		}
	}
}

func comparing(how explore.States, sleep bool) explore.Options {
	return explore.Options{Method: explore.Method{Reduction: explore.Everything, States: how, Sleep: sleep, DepthFirst: true}}
}

// BenchmarkStates measures a search that visits all states of a register, on one core.
// Its floor runs the program in plain order until it has taken as many steps as there
// are states. The benchmark also reports how much longer the search takes without
// snapshots. A search with five clients takes seconds.
func BenchmarkStates(b *testing.B) {
	for _, c := range []struct{ clients, states int }{{3, 877}, {4, 17_009}, {5, 406_101}} {
		if c.clients == 5 && !nightly() {
			continue
		}
		for _, sleep := range []bool{false, true} {
			b.Run(fmt.Sprintf("clients=%d/sleep=%t", c.clients, sleep), func(b *testing.B) {
				whole := 0
				program := runsOf(on(pulse.Options{}, registered(c.clients)), &whole)
				plain := plainRuns(registered(c.clients), c.states/(4*c.clients))
				var took, ratios, gains []float64
				var v explore.Result
				o, again := comparing(explore.ByHash, sleep), comparing(explore.ByHash, sleep)
				again.CopyNothing()
				for b.Loop() {
					base := timed(plain)
					slow := timed(func() { explore.Explore(again, program) })
					whole = 0
					took = append(took, timed(func() { v, _ = explore.Explore(o, program) }))
					gains = append(gains, slow/took[len(took)-1])
					if ratios = append(ratios, took[len(took)-1]/base); v.States != c.states {
						b.Fatalf("%+v", v)
					}
				}
				n := float64(c.states)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(n/median(took)*1e9, "states/s")
				b.ReportMetric(median(ratios), "x-floor")
				b.ReportMetric(median(gains), "gain")
				b.ReportMetric(float64(whole)/n, "program-runs/state")
				b.ReportMetric(float64(v.Steps)/n, "new-steps/state")
				b.ReportMetric(float64(v.Runs+v.Cut+v.Wasted)/n, "runs/state")
			})
		}
	}
}

// plainRuns returns a function that runs a program n times, in plain order.
func plainRuns(build func(*pulse.System) func() error, n int) func() {
	sys := pulse.New(pulse.Options{})
	return func() {
		for range n {
			sys.Reset(0)
			build(sys)
			sys.Run()
		}
	}
}
