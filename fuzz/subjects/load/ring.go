package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Ring has actors in a ring that pass tokens on. Each token goes a number of laps
// around the ring. Token i starts at actor i.
func Ring(actors, tokens, laps int) Load {
	messages := hops(actors * laps)
	ring := make([]*passer, actors)
	for i := range ring {
		ring[i] = &passer{messages: messages}
	}
	refs := make([]pulse.Ref, actors)
	steps := actors * tokens * laps
	check := func() error {
		got := 0
		for _, p := range ring {
			got += p.received
		}
		return expect(got, steps)
	}
	return Load{
		Name:  fmt.Sprintf("ring(%d,%d,%d)", actors, tokens, laps),
		Steps: steps,
		Build: func(sys *pulse.System) func() error {
			for i, p := range ring {
				p.received = 0
				refs[i] = sys.Spawn("passer", p)
			}
			for i, p := range ring {
				p.next = refs[(i+1)%actors]
			}
			for i := range tokens {
				sys.Send(refs[i%actors], messages[len(messages)-1])
			}
			return check
		},
	}
}

// A passer passes tokens on.
type passer struct {
	tally
	next     pulse.Ref
	messages []any
}

func (p *passer) Receive(ctx *pulse.Ctx, msg any) {
	p.received++
	if left := msg.(hop); left > 0 {
		ctx.Send(p.next, p.messages[left-1])
	}
}
