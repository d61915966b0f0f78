package bank

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

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

func TestAllDrawnOut(t *testing.T)  { fuzz.Check(t, allDrawnOut) }   // two seconds in every go test, ten for a package
func TestInEveryOrder(t *testing.T) { fuzz.Explore(t, allDrawnOut) } // every order, for each combination of OneOf values
func FuzzAllDrawnOut(f *testing.F)  { fuzz.Target(f, allDrawnOut) }  // go test -fuzz
