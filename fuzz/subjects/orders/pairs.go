package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Pairs has k pairs of actors. Each pair sends one ball back and forth until
// the ball was received m times. The first balls are sent before the run
// begins.
//
// Nothing races, since the pairs are independent. There are (km)! / (m!)^k
// orders, but only one distinct order, which every reduction must find.
func Pairs(k, m int) Program {
	return Program{
		Name: fmt.Sprintf("pairs(%d,%d)", k, m),
		Build: func(sys *pulse.System) func() error {
			list := make([]*player, 0, 2*k)
			for range k {
				a, b := &player{}, &player{}
				list = append(list, a, b)
				from, to := sys.Spawn("player", a), sys.Spawn("player", b)
				sys.Host().Enqueue(from, to, ball{m - 1})
			}
			return func() error {
				for i := 0; i < len(list); i += 2 {
					if err := expect("the number of receipts of a ball", list[i].received+list[i+1].received, m); err != nil {
						return err
					}
				}
				return nil
			}
		},
	}
}

// A ball is a message. The field left is the number of times that it may still be returned.
type ball struct{ left int }

// A player returns the ball.
type player struct{ received int }

func (p *player) Receive(ctx *pulse.Ctx, msg any) {
	p.received++
	if left := msg.(ball).left; left > 0 {
		ctx.Reply(ball{left - 1})
	}
}
