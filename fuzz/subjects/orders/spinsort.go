package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Spinsort is spinsort of the thesis on Basset, a simple distributed sorting
// algorithm. It is a line of stages, each of which stores the smallest number
// that it has seen and passes on the others. All numbers are in transit to the
// first stage when the run begins.
//
// Delivery is Unordered, as in ActorFoundry, so that all numbers race at each
// stage. There are n! orders at the first stage times (n-1)! at the second, and
// so on. So 4 numbers have 4!·3!·2!·1! = 288 distinct orders, and 1,152 runs,
// as in table 3.2. The thesis does not show the code.
func Spinsort(size int) Program {
	return Program{
		Name:    fmt.Sprintf("spinsort(%d)", size),
		Options: pulse.Options{Delivery: pulse.DeliveryUnordered},
		Build: func(sys *pulse.System) func() error {
			line, first := newLine(sys, size)
			list := shuffled(size)
			for _, v := range list {
				sys.Send(first, value{v})
			}
			return func() error { return expectSorted(held(line), list) }
		},
	}
}

// newLine adds a line of stages to a system. It returns the stages from last to
// first, and the Ref of the first stage.
func newLine(sys *pulse.System, size int) (line []*stage, first pulse.Ref) {
	line = make([]*stage, size)
	for i := range line {
		line[i] = &stage{next: first}
		first = sys.Spawn("stage", line[i])
	}
	return line, first
}

// held returns the numbers that the stages of a line hold, from the first stage to the last.
func held(line []*stage) []int {
	list := make([]int, len(line))
	for i, st := range line {
		list[len(line)-1-i] = st.held
	}
	return list
}

// A stage stores the smallest number that it has seen.
type stage struct {
	next pulse.Ref
	full bool
	held int
}

func (s *stage) Receive(ctx *pulse.Ctx, msg any) {
	v := msg.(value).value
	if !s.full {
		s.full, s.held = true, v
		return
	}
	ctx.Send(s.next, value{max(s.held, v)})
	s.held = min(s.held, v)
}
