package protoactor

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// In proto.actor a sender looks up in a table whether the receiver has stopped. If
// so, the message becomes a dead letter. Otherwise the receiver drops the message
// later. The result may depend on the order of two steps that no message connects.
// This package avoids that, so that messages show all dependencies of a step. Here a
// sender knows that an actor has stopped if a chain of messages leads from the stop
// to the sender, or if virtual time has passed since the stop. All runs that this
// allows are also possible in proto.actor.

// A grave represents a stopped actor. While a grave is in the process registry, it
// receives the messages to its actor.
type grave struct {
	*cell
	number int
	at     time.Duration // the virtual time of the stop
}

// graves is an immutable set of stopped actors. Bit i stands for the stopped actor
// whose grave has number i.
type graves struct{ set []uint64 }

func (k *graves) has(n int) bool {
	return k != nil && n/64 < len(k.set) && k.set[n/64]&(1<<(n%64)) != 0
}

// with returns the union of the sets k and other. A nil set is empty.
func (k *graves) with(other *graves) *graves {
	switch {
	case k == other || other == nil || k != nil && k.covers(other):
		return k
	case k == nil || other.covers(k):
		return other
	}
	set := make([]uint64, max(len(k.set), len(other.set)))
	copy(set, k.set)
	for i, w := range other.set {
		set[i] |= w
	}
	return &graves{set}
}

func (k *graves) covers(other *graves) bool {
	for i, w := range other.set {
		if i >= len(k.set) && w != 0 || i < len(k.set) && w&^k.set[i] != 0 {
			return false
		}
	}
	return true
}

// bury records that the cell's actor has stopped. Messages that the cell sends
// from now on carry this knowledge.
func (c *cell) bury() {
	if c.grave != nil {
		return
	}
	c.grave = &grave{c, c.buried, c.sys.Now()}
	c.buried++
	if c.fresh = append(c.fresh, c.grave); len(c.fresh) > mostFresh {
		c.as.ProcessRegistry.Add(c.grave, c.id)
	}
	only := &graves{make([]uint64, c.grave.number/64+1)}
	only.set[c.grave.number/64] = 1 << (c.grave.number % 64)
	c.learn(only)
	c.test.known = c.test.known.with(only) // messages that the test sends later also carry the fact that the actor has stopped
	c.host.Note(func() string { return "stopped" })
}

// learn adds a set of stopped actors to those that the cell's actor knows
// about. If a step of the cell is running, it removes the added actors from the
// process registry.
func (c *cell) learn(of *graves) {
	before := c.known
	if c.known = before.with(of); c.known == before || c.current != c {
		return
	}
	for _, g := range c.shown() {
		if c.known.has(g.number) {
			g.leaveRegistry()
		}
	}
}

// isKnown reports whether the running actor knows that g's actor has stopped. The test
// knows of every stop.
func (g *grave) isKnown() bool {
	me := g.me()
	if me == g.test || g.sys.Now() > g.at {
		return true
	}
	return me.known.has(g.number)
}

// mostFresh limits the number of stopped actors that haunt adds to the process
// registry in each step, because each of them costs time. If more actors stop at
// the same virtual time, they stay registered until time passes.
const mostFresh = 32

// haunt prepares the process registry for a step of cell c. It adds each actor that
// stopped at the current virtual time, unless c's actor knows of the stop.
func (w *world) haunt(c *cell) {
	for len(w.fresh) > 0 && w.fresh[0].at < w.sys.Now() { // time has passed since the stop, so all actors know of it
		w.fresh[0].leaveRegistry()
		w.fresh = w.fresh[1:]
	}
	for _, g := range w.shown() {
		if !c.known.has(g.number) {
			w.as.ProcessRegistry.Add(g, g.id)
		}
	}
}

// rest undoes haunt after a step. It removes all stopped actors from the process
// registry, because the test knows of every stop.
func (w *world) rest() {
	for _, g := range w.shown() {
		g.leaveRegistry()
	}
}

func (w *world) shown() []*grave { return w.fresh[:min(len(w.fresh), mostFresh)] }

// dig frees the id of a stopped actor for a new actor, if the spawner knows of the stop.
// c is the cell of the actor that has the id, or nil.
func (w *world) dig(c *cell) {
	if c != nil && c.grave != nil && c.grave.isKnown() {
		c.grave.leaveRegistry()
	}
}

// leaveRegistry removes the stopped actor from the process registry, unless a new
// actor has taken its id.
func (g *grave) leaveRegistry() {
	if p, _ := g.as.ProcessRegistry.GetLocal(g.id); p == actor.Process(g) {
		g.as.ProcessRegistry.Remove(g.pid)
	}
}

// to returns the process that gets a message to a stopped actor. The process is a new
// actor with the same id if there is one, else dead letters. The result here is true
// if the stopped actor gets the message, because the sender does not know of the
// stop.
func (g *grave) to(pid *actor.PID) (p actor.Process, here bool) {
	if p, there := g.as.ProcessRegistry.GetLocal(pid.Id); there && p != actor.Process(g) {
		return p, false
	}
	return g.as.DeadLetter, !g.isKnown()
}

// SendUserMessage passes a message for a stopped actor to the process that grave.to
// returns, or else to the stopped actor, which drops it.
func (g *grave) SendUserMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendUserMessage(pid, message)
		return
	}
	g.PostUserMessage(message)
}

// SendSystemMessage passes a message for a stopped actor to the process that
// grave.to returns, or else to the stopped actor's mailbox.
func (g *grave) SendSystemMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendSystemMessage(pid, message)
		return
	}
	g.PostSystemMessage(message)
}

// Stop sends a Stop message, which has no effect on a stopped actor.
func (g *grave) Stop(pid *actor.PID) { g.SendSystemMessage(pid, &actor.Stop{}) }

// buryLetter handles a dead letter as proto.actor does, but without proto.actor's
// goroutine that counts logged dead letters. It ignores all other events.
func (w *world) buryLetter(event any) {
	dead, ok := event.(*actor.DeadLetterEvent)
	if !ok {
		return
	}
	if dead.Sender != nil {
		w.as.Root.Send(dead.Sender, &actor.DeadLetterResponse{})
	}
	if watch, ok := dead.Message.(*actor.Watch); ok {
		p, _ := w.as.ProcessRegistry.Get(watch.Watcher)
		p.SendSystemMessage(watch.Watcher, &actor.Terminated{Who: dead.PID, Why: actor.TerminatedReason_NotFound})
	}
	if _, quiet := dead.Message.(actor.IgnoreDeadLetterLogging); !quiet && (dead.Sender == nil || w.as.Config.DeadLetterRequestLogging) {
		w.as.Logger().Info("[DeadLetter]", "pid", dead.PID, "message", dead.Message)
	}
}
