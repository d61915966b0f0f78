package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Fib is fib of the thesis on Basset: an actor that is asked for the nth Fibonacci
// number spawns two actors to compute the two previous numbers, and adds their answers.
//
// At each actor that spawns two others, the two answers race, and nothing else
// races. So with k such actors there are 2^k distinct orders. The first two
// numbers are known, so fib(5) has k = 4 and 16 distinct orders, as in tables 4.1
// and 4.2. Fib(4) has 168 orders in all, as in table 3.1.
func Fib(n int) Program {
	return Program{
		Name: fmt.Sprintf("fib(%d)", n),
		Build: func(sys *pulse.System) func() error {
			root := &adder{}
			sys.Send(sys.Spawn("fib", root), nth{n})
			return func() error { return expect("the sum", root.sum, fibonacci(n)) }
		},
	}
}

func fibonacci(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

type (
	nth   struct{ n int }
	value struct{ value int }
)

// An adder computes one number.
type adder struct {
	child bool // set if another actor, and not the test, has asked this actor
	asker pulse.Ref
	due   int // the number of answers that the actor still waits for
	sum   int
}

func (a *adder) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case nth:
		a.asker = ctx.Sender()
		if msg.n <= 2 {
			a.add(ctx, 1)
			return
		}
		a.due = 2
		for k := 1; k <= 2; k++ {
			ctx.Send(ctx.Spawn("fib", &adder{child: true}), nth{msg.n - k})
		}
	case value:
		a.due--
		a.add(ctx, msg.value)
	}
}

// add adds one part to the sum, and answers after the last part.
func (a *adder) add(ctx *pulse.Ctx, part int) {
	a.sum += part
	if a.due == 0 && a.child {
		ctx.Send(a.asker, value{a.sum})
	}
}
