package props_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A waiter leaves once its neighbor has left. Two waiters that wait for each other never leave.
func neighboursLeave(t *props.T) {
	sys := t.System()
	left := 0
	wait := func(p *pulse.Process) {
		neighbour := p.Receive().(pulse.Ref)
		p.Watch(neighbour)
		p.Receive() // receives the Down of the neighbor
		left++
	}
	a, b := sys.Go("a", wait), sys.Go("b", wait)
	t.Eventually("both have left", func() bool { return left == 2 })
	sys.Send(a, b)
	sys.Send(b, a)
	sys.Run()
}

func ExampleT_Eventually() {
	r := props.NewRunner("neighboursLeave", neighboursLeave)
	defer r.Close()
	fmt.Println(r.Run(props.Plan{}).Failure)
	// Output:
	// both have left: never came about, and nothing more can happen
}
