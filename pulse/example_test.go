package pulse_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

type (
	deposit  int
	withdraw int
)

// account takes deposits and withdrawals from whoever sends them.
type account struct{ balance int }

func (a *account) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case deposit:
		a.balance += int(m)
	case withdraw:
		if a.balance < int(m) {
			panic("overdrawn")
		}
		a.balance -= int(m)
	}
}

// order is a message that tells its receiver, a branch, to act for a customer.
type order struct {
	to   pulse.Ref
	what any
}

func branch(ctx *pulse.Ctx, msg any) {
	o := msg.(order)
	ctx.Send(o.to, o.what)
}

// The customer pays in at one branch and draws out at another. Nothing ensures
// that the deposit arrives first.
func Example() {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	for seed := uint64(1); seed <= 100; seed++ {
		sys.Reset(seed)
		acc := sys.Spawn("account", &account{})
		north := sys.Spawn("north", pulse.Func(branch))
		south := sys.Spawn("south", pulse.Func(branch))
		sys.Send(north, order{acc, deposit(50)})
		sys.Send(south, order{acc, withdraw(20)})
		sys.Run()
		if f := sys.Failure(); f != nil {
			fmt.Printf("seed %d: %v\n\n%s", seed, f.Text, sys.Trace().Chart())
			return
		}
	}
	// Output:
	// seed 2: panic in account#1 ← withdraw(20): overdrawn
	//
	// 0  test ──order(to: account, what: deposit(50))──▶ north
	// 1  test ──order(to: account, what: withdraw(20))──▶ south
	// 2  south ──withdraw(20)──▶ account
	//    north ──deposit(50)──▶ account                              (never received)
}

// A process is straight-line code that waits in the middle.
func Example_process() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Reply(msg.(int) * 2)
	}))
	sys.Go("client", func(p *pulse.Process) {
		fmt.Println("answer:", p.Ask(server, 21))
	})
	sys.Run()
	if f := sys.Failure(); f != nil {
		fmt.Println(f)
	}
	// Output: answer: 42
}
