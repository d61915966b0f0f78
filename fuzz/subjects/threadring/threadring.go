// Package threadring is an example program with a known bug. Its property: a token
// goes around a ring.
//
// It comes from the benchmarks of Savina, in which TAP (Li, Hariri and Agha,
// ECOOP 2018) found the bug that its Figure 12 shows.
//
// A coordinator sends each passer a link, which names the next passer, and then sends a token to
// the first passer. That passer has its link by then, since both messages use one channel. The
// second passer may get the token from the first passer before the link from the coordinator. Then
// it sends the token to no one. In the mended form a passer keeps a token until it has its link.
//
// Subject.Depth is 1: token before link, at any passer but the first.
package threadring

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two passers, where each passes the token once.
type Config struct {
	Passers int // the number of passers in the ring; 0 means 2
	Hops    int // the number of times the token is passed on; 0 means Passers
	Mended  bool
}

type (
	start struct{}
	link  struct{ next pulse.Ref }
	token struct{ hops int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	n := c.Passers
	if n == 0 {
		n = 2
	}
	hops := c.Hops
	if hops == 0 {
		hops = n
	}
	passers := make([]*passer, n)
	co := &coordinator{ring: make([]pulse.Ref, n), hops: hops}
	for i := range passers {
		passers[i] = &passer{keeps: c.Mended}
		co.ring[i] = sys.Spawn("passer", passers[i])
	}
	sys.Send(sys.Spawn("coordinator", co), start{})
	return func() error {
		passed := 0
		for _, p := range passers {
			passed += p.passed
		}
		if passed != hops {
			return fmt.Errorf("the token was passed on %d of %d times", passed, hops)
		}
		return nil
	}
}

// A coordinator makes a ring of passers and sends a token around it.
type coordinator struct {
	ring []pulse.Ref
	hops int
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(start); !ok {
		return
	}
	for i, r := range c.ring {
		ctx.Send(r, link{c.ring[(i+1)%len(c.ring)]})
	}
	ctx.Send(c.ring[0], token{c.hops})
}

// A passer passes tokens on to the next.
type passer struct {
	next   pulse.Ref
	passed int
	keeps  bool
	kept   []token // the tokens that came before the passer had its link
}

func (p *passer) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case link:
		p.next = msg.next
		for _, t := range p.kept {
			p.pass(ctx, t)
		}
		p.kept = nil
	case token:
		if p.keeps && p.next.IsZero() {
			p.kept = append(p.kept, msg)
			return
		}
		p.pass(ctx, msg)
	}
}

func (p *passer) pass(ctx *pulse.Ctx, t token) {
	if t.hops > 0 {
		ctx.Send(p.next, token{t.hops - 1})
		p.passed++
	}
}
