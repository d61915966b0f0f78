package protoactor

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// In proto.actor a sender looks up in a table whether the receiver has stopped. If
// so, the message is a dead letter; else the receiver drops it later. This may depend
// on the order of two steps that no message connects. Here it does not, so that
// messages have all that a step depends on. A sender knows that an actor has stopped
// if a message led from the end to it, or if time has passed since. Proto.actor has
// each such run, and also the opposite one where the sender cannot know.

// A grave represents an actor that has stopped.
type grave struct {
	*cell
	number int
	at     time.Duration // when it stopped
}

// graves are stopped actors that a cell knows about, as an immutable set of their
// numbers.
type graves struct{ set []uint64 }

func (k *graves) has(n int) bool {
	return k != nil && n/64 < len(k.set) && k.set[n/64]&(1<<(n%64)) != 0
}

// with returns the union of two sets.
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

// bury records that an actor has stopped. Its later messages carry this knowledge.
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
	c.test.known = c.test.known.with(only) // the test's later messages carry it, too
	c.host.Note(func() string { return "stopped" })
}

// learn adds to what a cell knows.
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

// isKnown reports whether the acting cell knows of the end of an actor.
func (g *grave) isKnown() bool {
	me := g.me()
	if me == g.test || g.sys.Now() > g.at {
		return true
	}
	return me.known.has(g.number)
}

// mostFresh is for how many actors that stopped at the current time the process
// registry shows each cell what it may know. Others stay in the registry until time
// passes: each costs time in every step.
const mostFresh = 32

// haunt makes the process registry show what an actor may know in its step. Actors
// that stopped at the current time are still there for a cell that does not know of
// it.
func (w *world) haunt(c *cell) {
	for len(w.fresh) > 0 && w.fresh[0].at < w.sys.Now() { // all cells know of it
		w.fresh[0].leaveRegistry()
		w.fresh = w.fresh[1:]
	}
	for _, g := range w.shown() {
		if !c.known.has(g.number) {
			w.as.ProcessRegistry.Add(g, g.id)
		}
	}
}

// rest undoes haunt: the test knows of all ends.
func (w *world) rest() {
	for _, g := range w.shown() {
		g.leaveRegistry()
	}
}

func (w *world) shown() []*grave { return w.fresh[:min(len(w.fresh), mostFresh)] }

// dig makes room for another actor of the same id, if its spawner knows that the last
// has stopped.
func (w *world) dig(c *cell) {
	if c != nil && c.grave != nil && c.grave.isKnown() {
		c.grave.leaveRegistry()
	}
}

// leaveRegistry removes a grave from the process registry, but no other actor of its
// id.
func (g *grave) leaveRegistry() {
	if p, _ := g.as.ProcessRegistry.GetLocal(g.id); p == actor.Process(g) {
		g.as.ProcessRegistry.Remove(g.pid)
	}
}

// to returns where a message goes.
func (g *grave) to(pid *actor.PID) (p actor.Process, here bool) {
	if p, there := g.as.ProcessRegistry.GetLocal(pid.Id); there && p != actor.Process(g) {
		return p, false
	}
	return g.as.DeadLetter, !g.isKnown()
}

// SendUserMessage makes the message a dead letter, or passes it to the stopped actor,
// which drops it.
func (g *grave) SendUserMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendUserMessage(pid, message)
		return
	}
	g.PostUserMessage(message)
}

// SendSystemMessage makes the message a dead letter, or passes it to the stopped
// actor's context.
func (g *grave) SendSystemMessage(pid *actor.PID, message any) {
	if p, here := g.to(pid); !here {
		p.SendSystemMessage(pid, message)
		return
	}
	g.PostSystemMessage(message)
}

// Stop passes on the Stop, which has no effect on a stopped actor.
func (g *grave) Stop(pid *actor.PID) { g.SendSystemMessage(pid, &actor.Stop{}) }
