package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// AllToAll has actors that each send a message to every other actor. Each message
// goes back and forth between its two actors a number of times.
func AllToAll(actors, times int) Load {
	messages := hops(times)
	refs := make([]pulse.Ref, actors)
	all := make([]*peer, actors)
	for i := range all {
		all[i] = &peer{all: refs, messages: messages}
	}
	balls := actors * (actors - 1) * times
	check := func() error {
		got := 0
		for _, p := range all {
			got += p.received
		}
		return expect(got, balls)
	}
	return Load{
		Name:  fmt.Sprintf("alltoall(%d,%d)", actors, times),
		Steps: actors + balls,
		Build: func(sys *pulse.System) func() error {
			for i, p := range all {
				p.received = 0
				refs[i] = sys.Spawn("peer", p)
			}
			for _, r := range refs {
				sys.Send(r, start{})
			}
			return check
		},
	}
}

// A peer sends a message to all other peers and returns the messages that it receives.
type peer struct {
	tally
	all      []pulse.Ref
	messages []any
}

func (p *peer) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		for _, r := range p.all {
			if r != ctx.Self() {
				ctx.Send(r, p.messages[len(p.messages)-1])
			}
		}
	case hop:
		p.received++
		if msg > 0 {
			ctx.Reply(p.messages[msg-1])
		}
	}
}
