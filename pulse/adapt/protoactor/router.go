package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"
)

// gate makes a process that is not an actor, such as a router, receive each message
// in a step of its own.
func (w *world) gate(c *cell) {
	p, there := w.as.ProcessRegistry.GetLocal(c.id)
	if _, is := p.(*actor.ActorProcess); !there || is {
		return
	}
	c.process = p
	w.as.ProcessRegistry.Remove(c.pid)
	w.as.ProcessRegistry.Add(&gate{c}, c.id)
	c.born()
}

// A gate replaces a process that is not an actor in the process registry.
type gate struct{ *cell }

// SendUserMessage sends a message to the process.
func (g *gate) SendUserMessage(_ *actor.PID, message any) { g.PostUserMessage(message) }

// SendSystemMessage sends a system message to the process.
func (g *gate) SendSystemMessage(_ *actor.PID, message any) { g.PostSystemMessage(message) }

// Stop stops the process by a message.
func (g *gate) Stop(*actor.PID) { g.PostSystemMessage(stopping{}) }

// route has the process handle a message. The search strategy chooses the routee of a
// random router.
func (c *cell) route(message any) {
	_, poison := actor.UnwrapEnvelopeMessage(message).(*actor.PoisonPill)
	_, managed := actor.UnwrapEnvelopeMessage(message).(interface{ ManagementMessage() })
	if set := randomRoutees(c.process); set != nil && set.Len() > 0 && !poison && !managed {
		pid := set.Get(c.ctx.Choose(set.Len()))
		p, _ := c.as.ProcessRegistry.Get(pid)
		p.SendUserMessage(pid, message)
		return
	}
	c.guarded(message, func(m any) { c.process.SendUserMessage(c.pid, m) })
}

// control has the process handle a system message.
func (c *cell) control(message any) {
	c.guarded(message, func(m any) {
		if _, stop := m.(stopping); stop {
			c.process.Stop(c.pid)
			return
		}
		c.process.SendSystemMessage(c.pid, m)
	})
}
