package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"
)

// gate has a process that is no actor, such as a router, take steps like one: what is
// sent to it is a message on its way.
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

// A gate stands for such a process in the process registry.
type gate struct{ *cell }

// SendUserMessage puts a message on its way.
func (g *gate) SendUserMessage(_ *actor.PID, message any) { g.PostUserMessage(message) }

// SendSystemMessage puts a system message on its way.
func (g *gate) SendSystemMessage(_ *actor.PID, message any) { g.PostSystemMessage(message) }

// Stop has the process stopped, by a message.
func (g *gate) Stop(*actor.PID) { g.PostSystemMessage(stopping{}) }

// route has the process deal with a message. To whom a random router sends it is a
// choice.
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

// control has the process deal with a system message.
func (c *cell) control(message any) {
	c.guarded(message, func(m any) {
		if _, stop := m.(stopping); stop {
			c.process.Stop(c.pid)
			return
		}
		c.process.SendSystemMessage(c.pid, m)
	})
}
