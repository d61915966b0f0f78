package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Pipesort is pipesort of the thesis on Basset. The thesis says that pipesort is a
// changed spinsort, but does not describe the change. Here each number comes from its
// own source, which must be started first. So the last numbers may enter the line
// after the first have left it.
//
// Because delivery is Unordered, the sources race at the first stage, and the numbers
// race at each other stage. There are as many distinct orders as in Spinsort (288 for
// 4 numbers, as in tables 4.1 and 4.2). But there are many more orders in all.
func Pipesort(size int) Program {
	return Program{
		Name:    fmt.Sprintf("pipesort(%d)", size),
		Options: pulse.Options{Delivery: pulse.DeliveryUnordered},
		Build: func(sys *pulse.System) func() error {
			line, first := newLine(sys, size)
			list := shuffled(size)
			for _, v := range list {
				sys.Send(sys.Spawn("source", &source{first, v}), start{})
			}
			return func() error { return expectSorted(held(line), list) }
		},
	}
}

// A source has one number.
type source struct {
	first pulse.Ref
	value int
}

func (s *source) Receive(ctx *pulse.Ctx, _ any) { ctx.Send(s.first, value{s.value}) }
