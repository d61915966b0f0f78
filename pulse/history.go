package pulse

import (
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// While states are compared, each actor has a history: a hash of all that it
// has received. It is the state of an actor that cannot be read.
//
// Most actors can be read, and then nobody asks for histories. So what they are
// made of is only noted, and the hashes are made when one is asked for.

// An event is what a history is made of.
type event struct {
	kind     eventKind
	steady   bool   // of a receipt: the message still holds what it held, and v is not known
	actor    int32  // whose history it is part of
	step     int32  // in which it happened; none outside of steps
	spawner  int32  // of a spawned actor
	restarts int32  // of a receipt
	v        uint64 // what the actor was told, or the hash of what it received
}

type eventKind uint8

const (
	eventReceipt eventKind = iota
	eventSpawned           // the actor begins with what its spawner knows
	eventLearned           // the system told the actor v
	eventStruck            // a Nemesis has struck the actor, which is no step of it
)

// remember notes that a step begins in which an actor receives a message. What the
// message holds counts as it is now, before anybody changes it.
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

// learned notes that the code that runs was told a number by the system.
func (c *cast) learned(v uint64) {
	if c.states != nil {
		c.states.happened(event{kind: eventLearned, actor: c.rec.cur, step: c.rec.step, v: v})
	}
}

// wasStruck notes that a Nemesis has struck an actor.
func (c *cast) wasStruck(a *actor, x trace.Strike) {
	if c.states != nil {
		c.states.happened(event{kind: eventStruck, actor: a.actor, step: none, v: faultName(x.Kind, x.Lost)})
	}
}

// happened adds an event. Until the first other one nobody has a history, so that
// what is spawned begins with none.
func (w *stateWalk) happened(e event) {
	if w.renew(); e.kind == eventSpawned && len(w.events) == 0 {
		return
	}
	w.events = append(w.events, e)
}

// historyOf returns the history of an actor up to now.
func (w *stateWalk) historyOf(a *actor) uint64 {
	w.catchUp()
	return a.history
}

// historyAt returns the history that an actor had in a step of its, or that of
// the test, which has no steps.
func (w *stateWalk) historyAt(step int32) uint64 {
	w.catchUp()
	if step < 0 || int(step) >= len(w.histories) {
		return w.sys.actors[trace.Test].history
	}
	return w.histories[step]
}

// catchUp makes the histories what follows from the events so far.
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

// received returns the history of an actor after it has received a message. Faults
// are steps too: the step before is how they come into the history, and so do
// restarts by their number.
func (w *stateWalk) received(e *event, before uint64) uint64 {
	st := &w.sys.rec.trace.Steps[e.step]
	h := hash.Fold(before, w.sys.rec.stepID(st.Prev))
	if e.steady {
		e.v = w.SteadySum(w.sys.mail.sends[st.Send].Body)
	}
	return hash.Fold(hash.Fold(h, uint64(st.Time)), hash.Fold(e.v, uint64(e.restarts)))
}

// keep notes the history of an actor in a step. Faults have none.
func (w *stateWalk) keep(step int32, history uint64) {
	for len(w.histories) <= int(step) {
		w.histories = append(w.histories, 0)
	}
	w.histories[step] = history
}
