package correct

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	increment struct{ client pulse.Ref }
	sum       struct{ total int }
)

// A counter counts increments from clients, and acknowledges each with the count so far.
type counter struct{ total int }

func (c *counter) Receive(ctx *pulse.Ctx, msg any) {
	c.total++
	ctx.Send(msg.(increment).client, sum{c.total})
}

// An incrementer sends its next increment when the previous one is acknowledged.
type incrementer struct {
	t     *props.T
	to    pulse.Ref
	left  int
	heard int
}

func (i *incrementer) Receive(ctx *pulse.Ctx, msg any) {
	if s, is := msg.(sum); is {
		if s.total <= i.heard {
			i.t.Errorf("the sum was %d, and then %d", i.heard, s.total)
		}
		i.heard = s.total
	}
	if i.left == 0 {
		return
	}
	i.left--
	ctx.Send(i.to, increment{ctx.Self()})
}

// counters returns a property that always holds. Each increment is sent once,
// nothing is lost, and a client has one increment in transit at a time. So the
// final sum is the number of increments, and each client receives increasing sums.
func counters(s shape) func(*props.T) {
	clients, hops := 2+s.below(3), s.below(3)
	return func(t *props.T) {
		each := props.Draw(t, rapid.IntRange(1, 3), "increments")
		sys := s.system(t)
		c := &counter{}
		to := relayed(sys, hops, sys.Spawn("counter", c))
		for range clients {
			sys.Send(sys.Spawn("client", &incrementer{t: t, to: to, left: each}), begin{})
		}
		sys.Run()
		if c.total != clients*each {
			t.Errorf("%d of %d increments", c.total, clients*each)
		}
	}
}
