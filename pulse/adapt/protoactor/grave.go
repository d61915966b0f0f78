package protoactor

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// In proto.actor a sender looks up in a table whether the receiver has stopped. If
// so, the message becomes a dead letter. Otherwise the receiver drops it later. The
// result may depend on the order of two steps that no message connects. Here it does
// not, so that messages show all dependencies of a step. A sender knows that an actor
// has stopped if a chain of messages leads from the stop to the sender, or if virtual
// time has passed since the stop. Each such run is possible in proto.actor. There, a
// sender without this knowledge may also find the receiver stopped.

// A grave represents an actor that has stopped.
type grave struct {
	*cell
	number int
	at     time.Duration // the virtual time of the stop
}

// graves is the immutable set of the stopped actors that a cell knows about. Bit i
// stands for the grave with number i.
type graves struct{ set []uint64 }

func (k *graves) has(n int) bool {
	return k != nil && n/64 < len(k.set) && k.set[n/64]&(1<<(n%64)) != 0
}

// with returns the union of k and other. Either may be nil, the empty set.
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

// bury records that the cell's actor has stopped. Later messages of the cell carry
// this knowledge.
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
	c.test.known = c.test.known.with(only) // the test's later messages carry the knowledge, too
	c.host.Note(func() string { return "stopped" })
}

// learn adds stopped actors to those that the cell knows about. If the cell is
// current, their graves leave the process registry.
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

// isKnown reports whether the current cell knows that the actor has stopped.
func (g *grave) isKnown() bool {
	me := g.me()
	if me == g.test || g.sys.Now() > g.at {
		return true
	}
	return me.known.has(g.number)
}

// mostFresh limits the number of graves that are shown or hidden according to what
// the current cell knows, because each costs time in every step. Further graves of
// the same virtual time stay in the process registry until time passes.
const mostFresh = 32

// haunt makes the process registry show what the cell may know in its step. An actor
// that stopped at the current virtual time is registered if the cell does not know of
// the stop.
func (w *world) haunt(c *cell) {
	for len(w.fresh) > 0 && w.fresh[0].at < w.sys.Now() { // all cells know of this stop
		w.fresh[0].leaveRegistry()
		w.fresh = w.fresh[1:]
	}
	for _, g := range w.shown() {
		if !c.known.has(g.number) {
			w.as.ProcessRegistry.Add(g, g.id)
		}
	}
}

// rest undoes haunt, because the test knows of all stopped actors.
func (w *world) rest() {
	for _, g := range w.shown() {
		g.leaveRegistry()
	}
}

func (w *world) shown() []*grave { return w.fresh[:min(len(w.fresh), mostFresh)] }

// dig frees the id of a stopped actor for a new actor, if the spawner knows of the
// stop.
func (w *world) dig(c *cell) {
	if c != nil && c.grave != nil && c.grave.isKnown() {
		c.grave.leaveRegistry()
	}
}

// leaveRegistry removes the grave from the process registry, unless a new actor has
// taken the id.
func (g *grave) leaveRegistry() {
	if p, _ := g.as.ProcessRegistry.GetLocal(g.id); p == actor.Process(g) {
		g.as.ProcessRegistry.Remove(g.pid)
	}
}

// to returns the process that gets a message for the PID: a new actor with the same
// id, or dead letters. It reports here if the stopped actor gets the message instead.
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

// Stop sends a Stop message, which has no effect on a stopped actor.
func (g *grave) Stop(pid *actor.PID) { g.SendSystemMessage(pid, &actor.Stop{}) }
