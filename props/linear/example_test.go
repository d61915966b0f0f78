package linear_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

type (
	write int
	read  struct{}
	apply int
)

// cell is a register that answers a write before it takes effect.
type cell struct{ value int }

func (c *cell) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case write:
		ctx.Send(ctx.Self(), apply(m))
		ctx.Reply(int(m))
	case apply:
		c.value = int(m)
	case read:
		ctx.Reply(c.value)
	}
}

var cellModel = linear.Model[int, any, int]{
	Name: "register",
	Init: func() int { return 0 },
	Step: func(value int, in any, out int) (ok bool, next int) {
		if w, isWrite := in.(write); isWrite {
			return true, int(w)
		}
		return out == value, value
	},
}

func cellIsLinearizable(t *props.T) {
	sys := t.System()
	server := sys.Spawn("register", &cell{})
	h := linear.NewHistory(t, cellModel)
	for i := range 2 {
		sys.Go("client", func(p *pulse.Process) {
			for _, in := range []any{write(i + 1), read{}} {
				call := h.Call(p.Self(), in)
				call.Return(p.Ask(server, in).(int))
			}
		})
	}
	sys.Run()
	h.Check()
}

func Example() {
	r := props.NewRunner("cellIsLinearizable", cellIsLinearizable)
	defer r.Close()
	for seed := range uint64(100) {
		if res := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: seed}); res.Failure != nil {
			fmt.Println(res.Failure)
			return
		}
	}
	// Output:
	// the history of register is not linearizable: no order of its 4 calls explains what they returned
	//     called       returned      client
	//     1 in step 0  2 in step 3   client.2  write(2) → 2
	//     4 in step 5  6 in step 8   client.1  write(1) → 1
	//     7 in step 8  8 in step 11  client.1  read → 2
	//     (calls left out, because they change nothing and do not matter: 1)
	//     longest order that fits: write(2) → 2, write(1) → 1
	//     then the state is 1, and none of these calls can be next: read → 2
}
