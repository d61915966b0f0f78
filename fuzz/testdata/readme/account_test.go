// Package readme is the example of the README. Its test fails, as it should.
package readme

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

// order is a message that makes its receiver, a branch, act for a customer.
type order struct {
	account pulse.Ref
	action  any
}

func branch(ctx *pulse.Ctx, msg any) {
	o := msg.(order)
	ctx.Send(o.account, o.action)
}

// What is paid in can be drawn out.
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

func TestNeverOverdrawn(t *testing.T) { fuzz.Check(t, neverOverdrawn) }  // seconds, in every go test
func FuzzNeverOverdrawn(f *testing.F) { fuzz.Target(f, neverOverdrawn) } // go test -fuzz

// patient is the account mended: it keeps a withdrawal until it is covered.
type patient struct {
	balance int
	waiting []withdraw
}

func (p *patient) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case deposit:
		p.balance += int(m)
	case withdraw:
		p.waiting = append(p.waiting, m)
	}
	for len(p.waiting) > 0 && p.balance >= int(p.waiting[0]) {
		p.balance -= int(p.waiting[0])
		p.waiting = p.waiting[1:]
	}
}

// What is paid in is drawn out in the end.
func allDrawnOut(t *props.T) {
	sum := props.OneOf(t, "sum", 1, 50, 100)
	sys := t.System()
	a := &patient{}
	acc := sys.Spawn("account", a)
	for range props.OneOf(t, "customers", 1, 2) {
		sys.Send(sys.Spawn("north", pulse.Func(branch)), order{acc, deposit(sum)})
		sys.Send(sys.Spawn("south", pulse.Func(branch)), order{acc, withdraw(sum)})
	}
	sys.Run()
	if a.balance != 0 || len(a.waiting) != 0 {
		t.Errorf("%d left, %d withdrawals wait", a.balance, len(a.waiting))
	}
}

func TestAllDrawnOut(t *testing.T)  { fuzz.Check(t, allDrawnOut) }
func TestInEveryOrder(t *testing.T) { fuzz.Explore(t, allDrawnOut) } // every order for every choice of OneOf's
