package adapttest

import "github.com/jostle-go/jostle/pulse"

// An own is a Runtime whose actors are processes of package pulse. Test compares
// the adapter's runtime with it.
type own struct{ sys *pulse.System }

func newOwn(sys *pulse.System) Runtime { return own{sys} }

// Spawn starts a process.
func (o own) Spawn(name string, handler Handler) Address { return o.sys.Go(name, serve(handler)) }

// Send sends a message in the name of the test.
func (o own) Send(to Address, msg string) { o.sys.Send(to.(pulse.Ref), msg) }

// serve returns the code of a process that calls a handler for its messages.
func serve(handler Handler) func(*pulse.Process) {
	return func(p *pulse.Process) {
		for c := (&ownContext{p: p}); !c.stopped; {
			msg := p.Receive().(string)
			c.sender = p.Sender()
			handler(c, msg)
		}
	}
}

// An ownContext is the Context of a process.
type ownContext struct {
	p       *pulse.Process
	sender  pulse.Ref
	stopped bool
}

func (c *ownContext) Spawn(name string, handler Handler) Address { return c.p.Go(name, serve(handler)) }
func (c *ownContext) Send(to Address, msg string)                { c.p.Send(to.(pulse.Ref), msg) }
func (c *ownContext) Sender() Address                            { return c.sender }
func (c *ownContext) Stop()                                      { c.stopped = true }
func (c *ownContext) Ask(to Address, msg string) string {
	return c.p.Ask(to.(pulse.Ref), msg).(string)
}
