// Package closing is a subject: what is paid into an account is not lost.
//
// Many programs that tidy up have this mistake: they close what seems to be used up,
// although more is on its way to it. The program is ours.
//
// One branch pays in, another draws out. An empty account closes. If a withdrawal
// empties it before the deposit comes, the deposit is lost.
//
// Depth 1: the withdrawal before the deposit. Inputs matter: the bug needs a
// withdrawal of exactly what the account held.
package closing

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// an account that is emptied.
type Config struct {
	Held, Out int // in the account, and drawn out of it; zero means 1
	In        int // paid in; zero means 1
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

// An account refuses what it does not hold.
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
