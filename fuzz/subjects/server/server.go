// Package server is an example program with a known bug. Its property: a client that
// reads a value twice gets the same answer.
//
// It comes from Basset (Lauterburg et al., ASE 2009; Figure 3.1 of the thesis), which
// took it from a tutorial on Scala's wiki.
//
// A client sends a value to a server, asks for the value twice and shuts the server down.
// Delivery is Unordered: the value may arrive between the two questions, which then have
// different answers. If it arrives before both, after both, or after the shutdown, the
// answers are the same. In the mended form the client waits until the value is stored.
//
// Subject.Depth is 1: at the server, get comes before set. With FIFO delivery there is no bug.
package server

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form in
// which the client asks twice.
type Config struct {
	Gets   int // the number of questions of the client; 0 means 2
	Mended bool
}

// Options returns the options of a system in which the bug can occur.
func Options() pulse.Options {
	return pulse.Options{Delivery: pulse.DeliveryUnordered, Environment: pulse.EnvironmentClosed}
}

type (
	set      struct{ value int }
	get      struct{}
	shutdown struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	gets := c.Gets
	if gets == 0 {
		gets = 2
	}
	server := sys.Spawn("server", &server{acknowledges: c.Mended})
	var values []int
	sys.Go("client", func(p *pulse.Process) {
		if c.Mended {
			p.Ask(server, set{5})
		} else {
			p.Send(server, set{5})
		}
		for range gets {
			values = append(values, p.Ask(server, get{}).(int))
		}
		p.Send(server, shutdown{})
	})
	return func() error {
		for _, v := range values {
			if v != values[0] {
				return fmt.Errorf("the client read %v", values)
			}
		}
		return nil
	}
}

// A server stores a value.
type server struct {
	value        int
	acknowledges bool
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case set:
		s.value = msg.value
		if s.acknowledges {
			ctx.Reply(s.value)
		}
	case get:
		ctx.Reply(s.value)
	case shutdown:
		ctx.Stop()
	}
}
