package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// PingPong is Eta's PingPong (tables 1 and 2): communication with
// acknowledgements between two actors, of n messages. The paper gives no more
// of the protocol than its counts: 2^(n+1) orders, 2^n distinct. This one has
// them.
//
// Pong acknowledges each ping and then answers it. At the acknowledgement ping
// sends itself a note that the message need not be sent again. So the answer
// and the note are on their way to ping at the same time, by different
// channels, and nothing else is: two orders, both distinct. Only when both
// have come is the next message sent, so that n messages make 2^n. In the end
// ping tells pong and itself to stop, two deliveries at two actors: twice as
// many orders, but none that is distinct.
func PingPong(n int) Program {
	return Program{
		Name: fmt.Sprintf("pingpong(%d)", n),
		Build: func(sys *pulse.System) func() error {
			a, b := &pinger{left: n}, &ponger{}
			a.other = sys.Spawn("pong", b)
			sys.Send(sys.Spawn("ping", a), start{})
			return func() error {
				if !a.stopped || !b.stopped {
					return errors.New("not both have stopped")
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

// A pinger sends messages, one when the last is acknowledged and answered.
type pinger struct {
	other   pulse.Ref
	left    int // messages to be sent
	due     int // of the answer and the note
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

// next sends the next message, or the end of them.
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
