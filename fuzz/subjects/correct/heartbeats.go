package correct

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	beat    struct{ from, number int }
	pulseIn struct{}
	silence struct{ of, after int }
)

// A heart is an actor that sends a beat every 10 ms. Its last beat has number 0.
type heart struct {
	to       pulse.Ref
	id, left int
	number   int
}

func (h *heart) Receive(ctx *pulse.Ctx, msg any) {
	if h.left == 0 {
		ctx.Send(h.to, beat{h.id, 0})
		return
	}
	h.left--
	h.number++
	ctx.Send(h.to, beat{h.id, h.number})
	ctx.After(10*ms, pulseIn{})
}

// A detector suspects a heart that has not beaten for 25 ms.
type detector struct {
	last      map[int]int // the greatest number received from each heart; -1 after the last beat
	suspected int
	over      int
}

func (d *detector) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case beat:
		switch {
		case d.last[m.from] < 0:
		case m.number == 0:
			d.last[m.from] = -1
			d.over++
		case m.number > d.last[m.from]:
			d.last[m.from] = m.number
			ctx.After(25*ms, silence{m.from, m.number})
		}
	case silence:
		if d.last[m.of] == m.after {
			d.suspected++
		}
	}
}

// heartbeats returns a property that always holds. Under NeverEarly no time passes while a beat
// can be delivered. So the next beat is received 10 ms after the last, before the 25 ms are
// over, and no heart is suspected. Under all options, the last beat of each heart is received.
func heartbeats(s shape) func(*props.T) {
	hearts, beats, hops := 1+s.below(3), 1+s.below(3), s.below(3)
	return func(t *props.T) {
		sys := s.system(t)
		d := &detector{last: map[int]int{}}
		to := relayed(sys, hops, sys.Spawn("detector", d))
		for i := range hearts {
			sys.Send(sys.Spawn("heart", &heart{to: to, id: i, left: beats}), begin{})
		}
		sys.Run()
		if d.over != hearts {
			t.Errorf("%d of %d last beats", d.over, hearts)
		}
		if s.strict() && d.suspected > 0 {
			t.Errorf("%d hearts that beat were suspected", d.suspected)
		}
	}
}
