package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// The first message that a Starter accepts is its start message, which the
// actor that spawns or restarts the Starter sends. Until the start message
// arrives, a startingActor takes the place of the Starter as the handler. So
// an actor that is no Starter causes no extra cost.

// A lifetime says how an actor was started, and holds the actor's disk, which
// survives restarts.
//
// Invariant: if the field used is not set, all other fields are zero, except
// that disk may be an empty disk.
type lifetime struct {
	used    bool
	toStart bool  // set if the start message has not been delivered yet
	how     Start // the kind of the actor's last start
	pending Actor // the Starter until its start message is delivered; else nil
	disk    *disk // nil until an actor with this index has used its disk, also in an earlier run
}

// forget resets a lifetime for a newly spawned actor.
func (l *lifetime) forget() {
	if l.disk != nil {
		l.disk.reset()
	}
	*l = lifetime{disk: l.disk}
}

// startingActor is the handler of a Starter until its start message arrives.
type startingActor struct{}

func (startingActor) Receive(ctx *Ctx, _ any) {
	s := ctx.sys
	a := s.actors[ctx.actor]
	a.handler, a.pending = a.pending, nil
	a.accept, a.toStart = acceptAll, false
	s.todo.afterStep |= workFilter
	a.handler.(Starter).Started(ctx, a.how)
}

// start sends a new or restarted actor its start message, with actor starter
// as the sender. It sends nothing to an actor that is neither a process nor a
// Starter. info describes the type of the handler.
func (c *cast) start(a *actor, info *typeInfo, starter int32) {
	switch {
	case a.spec.Process != nil:
		c.startProcess(a, starter)
	case info.starts != untold:
		c.startActor(a, info, starter)
	default:
		a.toStart = false
	}
}

// starts says whether a type of handlers implements Starter.
type starts uint8

const (
	untold starts = iota
	told
	mistold // the type has a method Started with a signature that does not match Starter
)

// startsOf says whether handler v, which has type typ, implements Starter.
func startsOf(v any, typ reflect.Type) starts {
	if _, is := v.(Starter); is {
		return told
	}
	m, has := typ.MethodByName("Started")
	if has && m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[*Ctx]() {
		return mistold
	}
	return untold
}

// startActor sends a Starter its start message. The run fails if the handler
// has a method Started with a wrong signature.
func (c *cast) startActor(a *actor, info *typeInfo, starter int32) {
	if info.starts == mistold {
		c.misuse("actor %q: %s has a method Started that does not match Starter: it must be Started(ctx *pulse.Ctx, how pulse.Start)",
			c.rec.trace.Actors[a.actor].Label, info.name)
	}
	a.pending = a.behind()
	a.handler = startingActor{}
	a.accept, a.toStart, a.used = acceptStart, true, true
	c.mail.setOpen(&a.mailbox, false)
	c.sendAs(starter, a.actor, a.how, trace.Start, 0)
}

// behind returns the handler of an actor. For a Starter that has not received
// its start message, behind returns the Starter and not the startingActor.
func (a *actor) behind() Actor {
	if a.pending != nil {
		return a.pending
	}
	return a.handler
}
