package protoactor

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// In proto.actor whoever sends looks into a table whether the receiver has stopped,
// and if so the message is a dead letter; else it is dropped when the receiver comes to
// it. Which of the two happens may depend on the order of two steps that no message
// connects. Here it does not, so that all that a step depends on is in the messages: the
// sender finds that an actor has stopped if it knows, because a message led from the
// end to it, or because time has passed. Proto.actor has each such run, and its
// opposite where the sender cannot know.

// A grave stands for an actor that has stopped.
type grave struct {
	*cell
	at time.Duration // when it stopped
}

// graves are the actors that somebody knows to have stopped. They never change.
type graves struct{ list []*grave }

// bury notes that an actor has stopped: what it sends from now on tells of that.
func (c *cell) bury() {
	if c.grave != nil {
		return
	}
	c.grave = &grave{c, c.sys.Now()}
	c.as.ProcessRegistry.Add(c.grave, c.id)
	c.learn(&graves{[]*grave{c.grave}})
	c.host.Note(func() string { return "stopped" })
}

// learn adds to what a cell knows.
func (c *cell) learn(of *graves) {
	if of == nil || of == c.known {
		return
	}
	if c.known == nil {
		c.known = of
		return
	}
	var list []*grave
	for _, g := range of.list {
		if !slices.Contains(c.known.list, g) {
			list = append(list, g)
		}
	}
	if len(list) > 0 {
		c.known = &graves{append(slices.Clip(c.known.list), list...)}
	}
}

// known reports whether whoever acts knows of the end of an actor.
func (g *grave) isKnown() bool {
	me := g.me()
	if me == g.test || g.sys.Now() > g.at {
		return true
	}
	return me.known != nil && slices.Contains(me.known.list, g)
}

// dig makes room for another actor of the same id, if who spawns it knows that the
// last has stopped.
func (w *world) dig(c *cell) {
	if c != nil && c.grave != nil && c.grave.isKnown() {
		w.as.ProcessRegistry.Remove(c.pid)
	}
}

// to returns where a message goes.
func (g *grave) to(pid *actor.PID) (p actor.Process, here bool) {
	if p, there := g.as.ProcessRegistry.GetLocal(pid.Id); there && p != actor.Process(g) {
		return p, false
	}
	return g.as.DeadLetter, !g.isKnown()
}

// SendUserMessage sends a dead letter, or one that is dropped.
func (g *grave) SendUserMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendUserMessage(pid, message)
		return
	}
	g.PostUserMessage(message)
}

// SendSystemMessage sends a dead letter, or one that the stopped actor's context deals
// with.
func (g *grave) SendSystemMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendSystemMessage(pid, message)
		return
	}
	g.PostSystemMessage(message)
}

// Stop does nothing to who has stopped.
func (g *grave) Stop(pid *actor.PID) { g.SendSystemMessage(pid, &actor.Stop{}) }
