package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"
)

// gate makes the cell's process receive each message in a separate step, if the
// process is not an actor. A router is such a process.
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

// A gate stands in the process registry for a process that is not an actor, such as a
// router. It sends each message for the process through pulse.
type gate struct{ *cell }

// SendUserMessage sends a message through pulse to the process behind the gate.
func (g *gate) SendUserMessage(_ *actor.PID, message any) { g.PostUserMessage(message) }

// SendSystemMessage sends a system message through pulse to the process behind the
// gate.
func (g *gate) SendSystemMessage(_ *actor.PID, message any) { g.PostSystemMessage(message) }

// Stop sends the process behind the gate a message that stops it.
func (g *gate) Stop(*actor.PID) { g.PostSystemMessage(stopping{}) }

// route passes a message to the cell's process, such as a router. If the process is a
// random router, the search strategy chooses the routee.
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

// control passes a system message to the cell's process, such as a router.
func (c *cell) control(message any) {
	c.guarded(message, func(m any) {
		if _, stop := m.(stopping); stop {
			c.process.Stop(c.pid)
			return
		}
		c.process.SendSystemMessage(c.pid, m)
	})
}
