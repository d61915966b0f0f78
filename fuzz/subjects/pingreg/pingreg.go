// Package pingreg is an example program with a known bug. Its property: a process is
// registered while it lives.
//
// It comes from Concuerror (Christakis, Gotovos and Sagonas, ICST 2013),
// Figure 1, where it stands for a mistake that many Erlang programs make.
//
// A parent spawns children and registers each under a name. A child asks the registry for its
// parent, sends it pings and ends. If a child ends before its registration, the registry refuses
// the registration, and the parent crashes. In the mended form a child registers itself.
//
// Subject.Depth is 1: at the registry, the child's question comes before the registration.
package pingreg

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one child that sends one ping.
type Config struct {
	Children int // 0 means 1
	Pings    int // the number of pings of each child; 0 means 1
	Mended   bool
}

type (
	register struct {
		name    string
		process pulse.Ref
	}
	whereIs struct{ name string }
	ping    struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	r := &registry{sys: sys, names: map[string]pulse.Ref{}}
	f := &family{registry: sys.Spawn("registry", r), children: max(c.Children, 1), pings: max(c.Pings, 1), mended: c.Mended}
	sys.Go("pong", f.parent)
	return func() error {
		if want := f.children * f.pings; f.received != want {
			return fmt.Errorf("the parent received %d of %d pings", f.received, want)
		}
		return nil
	}
}

// A family is a parent and its children.
type family struct {
	registry        pulse.Ref
	children, pings int
	received        int
	mended          bool
}

func (f *family) parent(p *pulse.Process) {
	f.register(p, "pong", p.Self())
	for i := range f.children {
		name := fmt.Sprintf("ping %d", i+1)
		child := p.Go("ping", func(p *pulse.Process) { f.child(p, name) })
		if !f.mended {
			f.register(p, name, child)
		}
	}
	for range f.children * f.pings {
		p.ReceiveMatch(isPing)
		f.received++
	}
}

func (f *family) child(p *pulse.Process, name string) {
	if f.mended {
		f.register(p, name, p.Self())
	}
	parent := p.Ask(f.registry, whereIs{"pong"}).(pulse.Ref)
	for range f.pings {
		p.Send(parent, ping{})
	}
}

func (f *family) register(p *pulse.Process, name string, process pulse.Ref) {
	if !p.Ask(f.registry, register{name, process}).(bool) {
		panic("badarg: register " + name)
	}
}

func isPing(msg any) bool {
	_, ok := msg.(ping)
	return ok
}

// A registry knows living processes by their names.
type registry struct {
	sys   *pulse.System
	names map[string]pulse.Ref
}

func (r *registry) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case register:
		alive := r.sys.Alive(msg.process)
		if alive {
			r.names[msg.name] = msg.process
		}
		ctx.Reply(alive)
	case whereIs:
		ctx.Reply(r.names[msg.name])
	}
}
