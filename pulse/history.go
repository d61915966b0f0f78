package pulse

import (
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// If the strategy compares states, each actor has a history: a hash of
// everything that the actor has received or learned. The history replaces the
// state of an actor whose state cannot be read.
//
// The state of most actors can be read, so histories are computed only when
// they are needed, from the recorded events.

// An event is one input to an actor's history.
type event struct {
	kind     eventKind
	steady   bool   // for a receipt, set if the message cannot change; v is then computed when the history is needed
	actor    int32  // the actor whose history the event belongs to
	step     int32  // the step in which the event happened, or none
	spawner  int32  // for eventSpawned, the spawner, whose history the new actor starts with
	restarts int32  // for a receipt, the number of restarts of the receiver so far
	v        uint64 // what the actor learned, or a hash of the received message
}

type eventKind uint8

const (
	eventReceipt eventKind = iota
	eventSpawned           // the actor starts with the history of its spawner
	eventLearned           // the system returned v to the actor
	eventStruck            // a Nemesis has crashed or restarted the actor; the event belongs to no step
)

// remember records the receipt of message d at the beginning of a step of a. A
// message that can change is hashed now, before the handler runs.
func (c *cast) remember(d *trace.Send, a *actor) {
	w := c.states
	e := event{kind: eventReceipt, actor: a.actor, step: c.rec.step, restarts: int32(a.restarts)}
	if e.steady = w.Steady(d.Body); !e.steady {
		w.begin(false)
		w.unsteady(d)
		e.v = w.Sum()
	}
	w.happened(e)
}

// learned records that a call to the system returned v to the running code.
func (c *cast) learned(v uint64) {
	if c.states != nil {
		c.states.happened(event{kind: eventLearned, actor: c.rec.cur, step: c.rec.step, v: v})
	}
}

// wasStruck records that a Nemesis has crashed or restarted an actor.
func (c *cast) wasStruck(a *actor, x trace.Strike) {
	if c.states != nil {
		c.states.happened(event{kind: eventStruck, actor: a.actor, step: none, v: faultName(x.Kind, x.Lost)})
	}
}

// happened adds event e. It drops the spawn of an actor if all earlier events
// are spawns too, because all histories are then zero and the new actor
// inherits zero.
func (w *stateWalk) happened(e event) {
	if w.renew(); e.kind == eventSpawned && len(w.events) == 0 {
		return
	}
	w.events = append(w.events, e)
}

// historyOf returns an actor's history so far: a hash of what the actor has
// received or learned.
func (w *stateWalk) historyOf(a *actor) uint64 {
	w.catchUp()
	return a.history
}

// historyAt returns the history that the actor of a step had in that step. If
// step is negative, it returns the history of the test.
func (w *stateWalk) historyAt(step int32) uint64 {
	w.catchUp()
	if step < 0 || int(step) >= len(w.histories) {
		return w.sys.actors[trace.Test].history
	}
	return w.histories[step]
}

// catchUp updates the histories of all actors by the events that have happened
// since the last catchUp.
func (w *stateWalk) catchUp() {
	for ; w.known < len(w.events); w.known++ {
		e := &w.events[w.known]
		a := w.sys.actors[e.actor]
		switch e.kind {
		case eventReceipt:
			a.history = w.received(e, a.history)
		case eventSpawned:
			a.history = w.sys.actors[e.spawner].history
		case eventLearned:
			a.history = hash.Fold(a.history, e.v)
		case eventStruck:
			a.history = hash.Fold(a.history^faultSalt, e.v)
		}
		if e.step >= 0 && e.kind != eventSpawned && e.actor != trace.Test {
			w.keep(e.step, a.history)
		}
	}
}

// received returns the history of an actor after receipt e. before is the
// actor's history before the receipt. The new history also covers the number
// of restarts, and the identity of the actor's previous step, which may be a
// fault.
func (w *stateWalk) received(e *event, before uint64) uint64 {
	st := &w.sys.rec.trace.Steps[e.step]
	h := hash.Fold(before, w.sys.rec.stepID(st.Prev))
	if e.steady {
		e.v = w.SteadySum(w.sys.mail.sends[st.Send].Body)
	}
	return hash.Fold(hash.Fold(h, uint64(st.Time)), hash.Fold(e.v, uint64(e.restarts)))
}

// keep stores the history that the actor of a step has in that step. Steps
// that are faults keep the history zero.
func (w *stateWalk) keep(step int32, history uint64) {
	for len(w.histories) <= int(step) {
		w.histories = append(w.histories, 0)
	}
	w.histories[step] = history
}
