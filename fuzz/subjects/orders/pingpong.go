package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// PingPong is PingPong of the paper on Eta (tables 1 and 2): two actors exchange n
// messages with acknowledgments. The paper gives only the counts of its protocol:
// 2^(n+1) orders, 2^n of them distinct. This program has the same counts.
//
// Pong acknowledges each ping and then answers it. On the acknowledgment, ping
// sends itself a note that the message need not be sent again. So the answer
// and the note are in transit to ping at the same time, by different channels.
// This gives two orders, both distinct. Ping sends the next message only when
// both have come, so n messages have 2^n orders. In the end, ping tells pong
// and itself to stop. These are two deliveries at two actors, which double the
// number of orders but not the number of distinct orders.
func PingPong(n int) Program {
	return Program{
		Name: fmt.Sprintf("pingpong(%d)", n),
		Build: func(sys *pulse.System) func() error {
			a, b := &pinger{left: n}, &ponger{}
			a.other = sys.Spawn("pong", b)
			sys.Send(sys.Spawn("ping", a), start{})
			return func() error {
				if !a.stopped || !b.stopped {
					return errors.New("ping or pong has not stopped")
				}
				return errors.Join(expect("the number of pings", b.pings, n), expect("the number of pongs", a.pongs, n))
			}
		},
	}
}

type (
	ping  struct{}
	pong  struct{}
	noted struct{}
)

// A pinger sends its next message once the previous one is acknowledged and answered.
type pinger struct {
	other   pulse.Ref
	left    int // the number of messages left to send
	due     int // the number of messages that the pinger waits for: at most the answer and the note
	pongs   int
	stopped bool
}

func (p *pinger) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case start:
		p.next(ctx)
	case ack:
		ctx.Send(ctx.Self(), noted{})
	case noted:
		p.came(ctx)
	case pong:
		p.pongs++
		p.came(ctx)
	case stop:
		p.stopped = true
	}
}

func (p *pinger) came(ctx *pulse.Ctx) {
	if p.due--; p.due == 0 {
		p.next(ctx)
	}
}

// next sends the next message. After the last message, it tells both actors to stop.
func (p *pinger) next(ctx *pulse.Ctx) {
	if p.left == 0 {
		ctx.Send(p.other, stop{})
		ctx.Send(ctx.Self(), stop{})
		return
	}
	p.left--
	p.due = 2
	ctx.Send(p.other, ping{})
}

// A ponger acknowledges messages and answers them.
type ponger struct {
	pings   int
	stopped bool
}

func (p *ponger) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case ping:
		p.pings++
		ctx.Reply(ack{})
		ctx.Reply(pong{})
	case stop:
		p.stopped = true
	}
}
