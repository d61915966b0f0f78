// Package closing is an example program with a known bug. Its property: money that
// is paid into an account is not lost.
//
// Many programs that clean up have this bug: they close something that seems to be
// used up, although a message to it is in transit. The program is ours.
//
// One branch deposits money, and another withdraws it. An empty account closes. If a withdrawal
// empties the account before the deposit comes, the deposit is lost.
//
// Subject.Depth is 1: the withdrawal comes before the deposit. Inputs matter: it must empty the account.
package closing

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// an account that is emptied.
type Config struct {
	Held, Out int // the initial balance, and the sum withdrawn; zero means 1
	In        int // the sum deposited; zero means 1
	Mended    bool
}

type (
	deposit  struct{ sum int }
	withdraw struct{ sum int }
	order    struct{ action any }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	a := &account{balance: max(c.Held, 1), stays: c.Mended}
	before := a.balance
	ref := sys.Spawn("account", a)
	branch := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ref, msg.(order).action) })
	sys.Send(sys.Spawn("north", branch), order{deposit{max(c.In, 1)}})
	sys.Send(sys.Spawn("south", branch), order{withdraw{max(c.Out, 1)}})
	return func() error {
		if want := before + max(c.In, 1) - a.drawn; a.balance != want {
			return fmt.Errorf("the account holds %d, and should hold %d", a.balance, want)
		}
		return nil
	}
}

// An account refuses withdrawals that exceed its balance.
type account struct {
	balance, drawn int
	stays          bool
}

func (a *account) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case deposit:
		a.balance += msg.sum
	case withdraw:
		if msg.sum > a.balance {
			return
		}
		a.balance -= msg.sum
		a.drawn += msg.sum
		if a.balance == 0 && !a.stays {
			ctx.Stop()
		}
	}
}
