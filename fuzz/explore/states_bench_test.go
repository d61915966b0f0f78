package explore_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// A register keeps the last value that was put. It and its clients are the program
// of stateright's examples/single-copy-register.rs.
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

// A client puts its value, then gets one and keeps it.
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

// registered builds a register with so many clients, each of which has put a value
// already.
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

// TestRegisterStates: a register with 3, 4 and 5 clients has as many states as
// stateright counts.
func TestRegisterStates(t *testing.T) {
	for clients, want := range map[int]int{2: 57, 3: 877, 4: 17_009} {
		for _, sleep := range []bool{false, true} {
			for _, how := range []explore.States{explore.ByHash, explore.Checked} {
				if clients == 4 && how == explore.Checked {
					continue
				}
				o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: how, Sleep: sleep}}
				v, err := explore.Explore(o, on(pulse.Options{}, registered(clients)))
				t.Logf("%+v", v)
				if err != nil || !v.Complete || v.States != want {
					t.Errorf("%d clients, sleep %t, states %v: %d states, want %d: %+v %v", clients, sleep, how, v.States, want, v, err)
				}
			}
		}
	}
}

// BenchmarkStates
func BenchmarkStates(b *testing.B) {
	for _, c := range []struct{ clients, states int }{{3, 877}, {4, 17_009}, {5, 406_101}} {
		for _, sleep := range []bool{false, true} {
			b.Run(fmt.Sprintf("clients=%d/sleep=%t", c.clients, sleep), func(b *testing.B) {
				program := on(pulse.Options{}, registered(c.clients))
				o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash, Sleep: sleep, DepthFirst: true}}
				var took []float64
				var v explore.Result
				for b.Loop() {
					took = append(took, timed(func() { v, _ = explore.Explore(o, program) }))
					if v.States != c.states {
						b.Fatalf("%+v", v)
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(c.states)/median(took)*1e9, "states/s")
				b.ReportMetric(float64(v.Steps)/float64(c.states), "steps/state")
				b.ReportMetric(float64(v.Runs+v.Cut+v.Wasted)/float64(c.states), "runs/state")
			})
		}
	}
}
