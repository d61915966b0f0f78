package pulse

import (
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// While states are compared, each actor has a history: a hash of everything it
// has received. The history stands in for the state of an actor whose state
// cannot be read.
//
// Most actors can be read, so histories are computed lazily from recorded
// events.

// An event is one element of a history.
type event struct {
	kind     eventKind
	steady   bool   // of a receipt: the hash of the message cannot change, and v is computed later
	actor    int32  // the actor whose history it belongs to
	step     int32  // the step in which it happened, or none
	spawner  int32  // of a spawned actor
	restarts int32  // of a receipt
	v        uint64 // what the actor learned, or the hash of what it received
}

type eventKind uint8

const (
	eventReceipt eventKind = iota
	eventSpawned           // the actor starts with the history of its spawner
	eventLearned           // the actor learned v from the system
	eventStruck            // a Nemesis struck the actor outside the actor's own steps
)

// remember records the receipt of a message at the beginning of a step. It
// hashes the message now, before anybody can change it.
func (c *cast) remember(d *trace.Send, a *actor) {
	w := c.states
	e := event{kind: eventReceipt, actor: a.actor, step: c.rec.step, restarts: int32(a.restarts)}
	if e.steady = w.Steady(d.Body); !e.steady {
		w.begin(false)
		w.body(d)
		e.v = w.Sum()
	}
	w.happened(e)
}

// learned records that the running code learned v from the system.
func (c *cast) learned(v uint64) {
	if c.states != nil {
		c.states.happened(event{kind: eventLearned, actor: c.rec.cur, step: c.rec.step, v: v})
	}
}

// wasStruck records that a Nemesis has struck an actor.
func (c *cast) wasStruck(a *actor, x trace.Strike) {
	if c.states != nil {
		c.states.happened(event{kind: eventStruck, actor: a.actor, step: none, v: faultName(x.Kind, x.Lost)})
	}
}

// happened adds an event. Spawns before the first other event are left out:
// nobody has a history yet.
func (w *stateWalk) happened(e event) {
	if w.renew(); e.kind == eventSpawned && len(w.events) == 0 {
		return
	}
	w.events = append(w.events, e)
}

// historyOf returns the current history of an actor.
func (w *stateWalk) historyOf(a *actor) uint64 {
	w.catchUp()
	return a.history
}

// historyAt returns the history that an actor had in one of its steps. Without
// a step it returns the history of the test.
func (w *stateWalk) historyAt(step int32) uint64 {
	w.catchUp()
	if step < 0 || int(step) >= len(w.histories) {
		return w.sys.actors[trace.Test].history
	}
	return w.histories[step]
}

// catchUp applies the new events to the histories.
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

// received returns the history of an actor after a receipt. Faults are steps,
// so they enter the history through the previous step; restarts enter it by
// their number.
func (w *stateWalk) received(e *event, before uint64) uint64 {
	st := &w.sys.rec.trace.Steps[e.step]
	h := hash.Fold(before, w.sys.rec.stepID(st.Prev))
	if e.steady {
		e.v = w.SteadySum(w.sys.mail.sends[st.Send].Body)
	}
	return hash.Fold(hash.Fold(h, uint64(st.Time)), hash.Fold(e.v, uint64(e.restarts)))
}

// keep stores the history of an actor at a step. Faults have none.
func (w *stateWalk) keep(step int32, history uint64) {
	for len(w.histories) <= int(step) {
		w.histories = append(w.histories, 0)
	}
	w.histories[step] = history
}
