// Package guard is an example program with a known bug. Its property: a server refuses
// only requests that it cannot grant.
//
// This bug, >= instead of >, is the most common one in collections of broken protocols.
//
// Clients ask a server for some of its tokens and give them back. The server refuses a
// request for all tokens that are left, although it could grant it. The program is ours.
//
// Subject.Depth is 0: the bug depends only on the input. The smallest input fails in every order.
package guard

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one client that wants the only token.
type Config struct {
	Tokens int   // 0 means 1
	Wants  []int // the number of tokens that each client wants; nil means 1
	Mended bool
}

type (
	request struct{ tokens int }
	grant   struct{}
	refusal struct{ free int }
	release struct{ tokens int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	s := c.start(sys)
	return func() error {
		if err := s.withinBounds(); err != nil {
			return err
		}
		return s.fair()
	}
}

// start adds the program to a system.
func (c Config) start(sys *pulse.System) *server {
	wants := c.Wants
	if wants == nil {
		wants = []int{1}
	}
	s := &server{tokens: max(c.Tokens, 1), keepsOne: !c.Mended}
	s.free = s.tokens
	ref := sys.Spawn("server", s)
	for _, n := range wants {
		sys.Go("client", func(p *pulse.Process) { s.hear(p.Ask(ref, request{n}), n, p, ref) })
	}
	return s
}

// hear handles the answer to a client's request.
func (s *server) hear(answer any, wanted int, p *pulse.Process, ref pulse.Ref) {
	switch answer := answer.(type) {
	case grant:
		p.Send(ref, release{wanted})
	case refusal:
		if wanted <= answer.free {
			s.unfair = append(s.unfair, fmt.Sprintf("%d tokens were refused when %d were free", wanted, answer.free))
		}
	}
}

// A server lends tokens to clients.
type server struct {
	tokens   int
	free     int
	keepsOne bool
	unfair   []string // wrong refusals, as described by clients
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case request:
		if msg.tokens > s.free || s.keepsOne && msg.tokens >= s.free {
			ctx.Reply(refusal{s.free})
			return
		}
		s.free -= msg.tokens
		ctx.Reply(grant{})
	case release:
		s.free += msg.tokens
	}
}

func (s *server) withinBounds() error {
	if s.free < 0 || s.free > s.tokens {
		return fmt.Errorf("%d of %d tokens are free", s.free, s.tokens)
	}
	return nil
}

func (s *server) fair() error {
	if len(s.unfair) > 0 {
		return fmt.Errorf("%s", s.unfair[0])
	}
	return nil
}
