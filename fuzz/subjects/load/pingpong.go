package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// PingPong has two actors that send a ball back and forth a number of times. At
// most one message is in transit at any time.
func PingPong(strokes int) Load {
	messages := hops(strokes)
	ping, pong := &player{messages: messages}, &player{messages: messages}
	check := func() error { return expect(ping.received+pong.received, strokes) }
	return Load{
		Name:  fmt.Sprintf("pingpong(%d)", strokes),
		Steps: 1 + strokes,
		Build: func(sys *pulse.System) func() error {
			ping.received, pong.received = 0, 0
			ping.other = sys.Spawn("pong", pong)
			sys.Send(sys.Spawn("ping", ping), start{})
			return check
		},
	}
}

// A player returns the ball.
type player struct {
	tally
	other    pulse.Ref // the second player; set only at the player who begins
	messages []any
}

func (p *player) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		ctx.Send(p.other, p.messages[len(p.messages)-1])
	case hop:
		p.received++
		if msg > 0 {
			ctx.Reply(p.messages[msg-1])
		}
	}
}
