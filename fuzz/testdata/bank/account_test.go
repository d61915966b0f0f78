package bank

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	deposit  int
	withdraw int
)

// account keeps a balance. Anyone may send it deposits and withdrawals.
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

// order tells a branch what to send for a customer, and to whom.
type order struct {
	to   pulse.Ref
	what any
}

func branch(ctx *pulse.Ctx, msg any) {
	o := msg.(order)
	ctx.Send(o.to, o.what)
}

// neverOverdrawn pays a sum in at one branch and draws it out at another.
func neverOverdrawn(t *props.T) {
	sum := props.Draw(t, rapid.IntRange(1, 100), "sum")
	sys := t.System()
	acc := sys.Spawn("account", &account{})
	north := sys.Spawn("north", pulse.Func(branch))
	south := sys.Spawn("south", pulse.Func(branch))
	sys.Send(north, order{acc, deposit(sum)})
	sys.Send(south, order{acc, withdraw(sum)})
	sys.Run()
}

func TestNeverOverdrawn(t *testing.T) { fuzz.Check(t, neverOverdrawn) }
