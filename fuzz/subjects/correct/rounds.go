package correct

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	round  struct{ n int }
	ready  struct{ n int }
	giveIn struct{ n int }
)

// A chair begins a round when all workers are done with the previous round. A round
// that takes longer than 30 ms is late.
type chair struct {
	t       *props.T
	workers []pulse.Ref
	n, last int
	done    int
	late    int
}

func (c *chair) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case ready:
		if m.n != c.n {
			c.t.Errorf("a worker is done with round %d in round %d", m.n, c.n)
		}
		if c.done++; c.done < len(c.workers) {
			return
		}
	case giveIn:
		if m.n == c.n {
			c.late++
		}
		return
	}
	if c.n++; c.n > c.last {
		return
	}
	c.done = 0
	for _, w := range c.workers {
		ctx.Send(w, round{c.n})
	}
	ctx.After(30*ms, giveIn{c.n})
}

// rounds returns a property that always holds. A worker answers each round once, and the
// next round begins when all workers have answered. So each answer belongs to the current
// round. During a round some message can be delivered, so under NeverEarly no round is late.
func rounds(s shape) func(*props.T) {
	workers, hops := 2+s.below(3), s.below(2)
	return func(t *props.T) {
		sys := s.system(t)
		c := &chair{t: t, last: props.Draw(t, rapid.IntRange(1, 3), "rounds")}
		ref := sys.Spawn("chair", c)
		to := relayed(sys, hops, ref)
		for range workers {
			c.workers = append(c.workers, sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.Send(to, ready{msg.(round).n})
			})))
		}
		sys.Send(ref, begin{})
		sys.Run()
		if c.n != c.last+1 {
			t.Errorf("%d of %d rounds", c.n, c.last)
		}
		if s.strict() && c.late > 0 {
			t.Errorf("%d rounds were late", c.late)
		}
	}
}
