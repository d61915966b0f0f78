package pulse

import (
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// While states are compared, each actor has a history: a hash of all that it
// has received. It is the state of an actor that cannot be read.

// remember adds to an actor's history that a step begins in which it receives
// a message. prev is the actor's step before. Faults are steps too: prev is
// how they come into the history, and so do restarts by their number.
func (c *cast) remember(d *trace.Send, a *actor, prev int32) {
	w := c.states
	w.begin(false)
	w.body(d)
	h := hash.Fold(a.history, c.rec.stepID(prev))
	a.history = hash.Fold(hash.Fold(h, uint64(c.clock.now)), hash.Fold(w.Sum(), uint64(a.restarts)))
	w.keep(c.rec.step, a.history)
}

// wasStruck adds to an actor's history that a Nemesis has struck it, which is no
// step of the actor.
func (a *actor) wasStruck(x trace.Strike) {
	a.history = hash.Fold(a.history^faultSalt, faultName(x.Kind, x.Lost))
}

// learn adds to the history of who is running what the system told it.
func (c *cast) learn(v uint64) {
	a := c.actors[c.rec.cur]
	a.history = hash.Fold(a.history, v)
	if c.rec.cur != trace.Test {
		c.states.keep(c.rec.step, a.history)
	}
}

// keep notes the history of an actor in a step. Faults have none.
func (w *stateWalk) keep(step int32, history uint64) {
	for len(w.histories) <= int(step) {
		w.histories = append(w.histories, 0)
	}
	w.histories[step] = history
}

// historyAt returns the history that an actor had in a step of its, or that of
// the test, which has no steps.
func (w *stateWalk) historyAt(step int32) uint64 {
	if step < 0 || int(step) >= len(w.histories) {
		return w.sys.actors[trace.Test].history
	}
	return w.histories[step]
}
