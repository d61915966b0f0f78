// Package bank is an example program with a known bug. Its property: an account is never
// overdrawn.
//
// It comes from TAP (Li, Hariri and Agha, ECOOP 2018), Figure 1.
//
// A client passes deposits and withdrawals on to the server. The client keeps its own
// balance to decide whether money can be withdrawn. Delivery is Unordered: a withdrawal may
// overtake the deposit that covers it, and then the server panics. In the mended form the
// client adds a deposit to its balance only after the server has confirmed the deposit.
//
// Subject.Depth is 1: at the server, withdraw comes before deposit. With FIFO delivery
// there is no bug.
package bank

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one deposit and one withdrawal that needs it.
type Config struct {
	// Requests are the client's requests, in order: a positive number is
	// deposited, a negative one withdrawn. Nil means 100, -150.
	Requests []int
	Mended   bool
}

// Options returns the options of a system in which the bug can occur.
func Options() pulse.Options { return pulse.Options{Delivery: pulse.DeliveryUnordered} }

const initial = 100 // the balance at the start

type (
	deposit   struct{ amount int }
	deposited struct{ amount int }
	withdraw  struct{ amount int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	s := &server{balance: initial, acknowledges: c.Mended}
	cl := &client{balance: initial, server: sys.Spawn("server", s), waits: c.Mended}
	client := sys.Spawn("client", cl)
	requests := c.Requests
	if requests == nil {
		requests = []int{100, -150}
	}
	for _, amount := range requests {
		if amount < 0 {
			sys.Send(client, withdraw{-amount})
		} else {
			sys.Send(client, deposit{amount})
		}
	}
	return func() error {
		if s.balance != cl.balance {
			return fmt.Errorf("the client's balance is %d, the server's %d", cl.balance, s.balance)
		}
		return nil
	}
}

// A client uses its own balance to decide about requests.
type client struct {
	balance int
	server  pulse.Ref
	waits   bool // set if the client adds a deposit only after the server has confirmed it
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case withdraw:
		if msg.amount <= c.balance {
			c.balance -= msg.amount
			ctx.Send(c.server, msg)
		}
	case deposit:
		if !c.waits {
			c.balance += msg.amount
		}
		ctx.Send(c.server, msg)
	case deposited:
		c.balance += msg.amount
	}
}

// A server keeps the account, and relies on the client's decisions.
type server struct {
	balance      int
	acknowledges bool
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case withdraw:
		if msg.amount > s.balance {
			panic(fmt.Sprintf("overdrawn: withdraws %d of %d", msg.amount, s.balance))
		}
		s.balance -= msg.amount
	case deposit:
		s.balance += msg.amount
		if s.acknowledges {
			ctx.Reply(deposited(msg))
		}
	}
}
