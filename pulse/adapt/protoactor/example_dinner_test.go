package protoactor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

type (
	grab    struct{}
	granted struct{}
	putBack struct{}
	cough   struct{}
)

// A chopstick is held by one guest at a time. The others wait, first come, first served.
type chopstick struct{ queue []*actor.PID }

func (c *chopstick) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case grab:
		if c.queue = append(c.queue, ctx.Sender()); len(c.queue) == 1 {
			ctx.Send(c.queue[0], granted{})
		}
	case putBack:
		if c.queue = c.queue[1:]; len(c.queue) > 0 {
			ctx.Send(c.queue[0], granted{})
		}
	}
}

// A guest takes two chopsticks, one after the other, eats and puts them back. A cough
// makes him panic. After the restart he has forgotten what he holds, or finds it
// noted at his seat.
type guest struct {
	chopsticks [2]*actor.PID
	seat       *seat
	ate        func()
}

// A seat notes how many chopsticks its guest has asked for and holds.
type seat struct{ asked, held int }

func (g *guest) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		if g.seat.asked == 0 {
			g.ask(ctx)
		}
	case granted:
		if g.seat.held++; g.seat.held < len(g.chopsticks) {
			g.ask(ctx)
			return
		}
		g.ate()
		for _, c := range g.chopsticks {
			ctx.Send(c, putBack{})
		}
	case cough:
		panic("a cough at the table")
	}
}

// ask asks for the next chopstick.
func (g *guest) ask(ctx actor.Context) {
	ctx.Request(g.chopsticks[g.seat.asked], grab{})
	g.seat.asked++
}

// allEat is the property: the guests eat, although one of them coughs and panics.
func allEat(mended bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		ate := map[string]bool{}
		restarting := actor.NewOneForOneStrategy(3, time.Minute, actor.DefaultDecider)
		as.Root.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); !ok {
				return
			}
			table := [2]*actor.PID{}
			for i, name := range []string{"left", "right"} {
				table[i], _ = ctx.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return &chopstick{} }), name)
			}
			for _, name := range []string{"plato", "zeno"} {
				kept := &seat{}
				pid, _ := ctx.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { // also called for each restart
					g := &guest{chopsticks: table, seat: &seat{}, ate: func() { ate[name] = true }}
					if mended {
						g.seat = kept
					}
					return g
				}), name)
				if name == "plato" {
					ctx.Send(pid, cough{})
				}
			}
		}, actor.WithSupervisor(restarting)), "table")
		sys.Run()
		for _, name := range []string{"plato", "zeno"} {
			if !ate[name] {
				t.Errorf("%s has not eaten", name)
			}
		}
	}
}

// A supervisor restarts philosophers who panic. The restart hides a bug: a restarted
// philosopher has forgotten which chopsticks he holds. In a test this is
//
//	func TestAllEat(t *testing.T) { fuzz.Explore(t, allEat(false)) }
func Example_dinner() {
	for _, mended := range []bool{false, true} {
		x, err := search.Explore(context.Background(), search.Property{Name: "allEat", Func: allEat(mended)}, search.ExploreOptions{KeepOn: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("mended:", mended, "complete:", x.Verdict.Complete, "orders:", x.Verdict.Distinct, "failing:", x.Verdict.Failing())
		for _, f := range x.Found {
			fmt.Println(f.Failure)
		}
	}
	// Output:
	// mended: false complete: true orders: 55 failing: 6
	// plato has not eaten
	// mended: true complete: true orders: 24 failing: 0
}
