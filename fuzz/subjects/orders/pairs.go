package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Pairs has k pairs of actors, each of which sends one ball to and fro until
// it was received m times. The first strokes have been made before the run
// begins.
//
// Nothing races: pairs know nothing of one another. There are (km)! / (m!)^k
// orders and one distinct one, to which every reduction must come.
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
					if err := expect("the strokes of a pair", list[i].received+list[i+1].received, m); err != nil {
						return err
					}
				}
				return nil
			}
		},
	}
}

// A ball may be returned so many more times.
type ball struct{ left int }

// A player returns the ball.
type player struct{ received int }

func (p *player) Receive(ctx *pulse.Ctx, msg any) {
	p.received++
	if left := msg.(ball).left; left > 0 {
		ctx.Reply(ball{left - 1})
	}
}
