// Package attach is an example program with a known bug. Its property: a client that waits
// for a place gets one.
//
// It comes from the registration server of Concuerror (Christakis, Gotovos and Sagonas, ICST
// 2013), to which a limited number of processes may attach; the program and its bug are ours.
//
// A client attaches, detaches, and tells the next waiting client that the place is free. The
// server does not confirm that a client is detached. So the request of the next client may
// overtake the message that detaches the first, and is then refused. In the mended form a
// client waits for a confirmation.
//
// Subject.Depth is 1: at the server, attach comes before detach.
package attach

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two clients and one place.
type Config struct {
	Limit   int // the maximum number of attached clients; 0 means 1
	Clients int // 0 means 2
	Mended  bool
}

type (
	attach struct{ who pulse.Ref }
	detach struct{ who pulse.Ref }
	free   struct{} // sent from one client to the next
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	s := c.start(sys)
	return func() error {
		if err := s.withinLimit(); err != nil {
			return err
		}
		return s.noneRefused()
	}
}

// start adds the program to a system.
func (c Config) start(sys *pulse.System) *server {
	n := c.Clients
	if n == 0 {
		n = 2
	}
	s := &server{limit: max(c.Limit, 1)}
	ref := sys.Spawn("server", s)
	clients := make([]pulse.Ref, n+s.limit) // the last elements are zero, because there is no next client
	for i := range n {
		clients[i] = sys.Go("client", func(p *pulse.Process) {
			if i >= s.limit {
				p.Receive()
			}
			c.visit(p, ref)
			if next := clients[i+s.limit]; !next.IsZero() {
				p.Send(next, free{})
			}
		})
	}
	return s
}

// visit attaches a client and detaches it.
func (c Config) visit(p *pulse.Process, server pulse.Ref) {
	if !p.Ask(server, attach{p.Self()}).(bool) {
		return
	}
	if c.Mended {
		p.Ask(server, detach{p.Self()})
	} else {
		p.Send(server, detach{p.Self()})
	}
}

// A server keeps count of the attached clients.
type server struct {
	limit    int
	attached []pulse.Ref
	refused  []pulse.Ref
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case attach:
		ok := len(s.attached) < s.limit
		if ok {
			s.attached = append(s.attached, msg.who)
		} else {
			s.refused = append(s.refused, msg.who)
		}
		ctx.Reply(ok)
	case detach:
		s.attached = slices.DeleteFunc(s.attached, func(r pulse.Ref) bool { return r == msg.who })
		ctx.Reply(true)
	}
}

func (s *server) withinLimit() error {
	if n := len(s.attached); n > s.limit {
		return fmt.Errorf("%d processes are attached, the limit is %d", n, s.limit)
	}
	return nil
}

func (s *server) noneRefused() error {
	if len(s.refused) > 0 {
		return fmt.Errorf("%v was refused although a place was free", s.refused[0])
	}
	return nil
}
