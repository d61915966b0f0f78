package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An actor that is notified of its start accepts nothing else before it. The
// start is a message from the actor that spawns or restarts it. Until it
// arrives, a startingActor is the handler in place of the Starter, so that
// other actors cost nothing extra.

// A lifetime is the state of an actor that outlives a restart, and how it was
// started.
//
// Invariant: it is zero, apart from an empty disk, unless used is set.
type lifetime struct {
	used    bool
	toStart bool  // its start, or the start of its code, is still to come
	how     Start // its last start
	pending Actor // the Starter while its start has not come; else nil
	disk    *disk // nil until an actor at this index has used its disk
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

// start starts a spawned or renewed actor, if it is a process or a Starter.
// info describes its handler; starter sends the start message.
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

// starts says whether actors of a type are notified of their starts.
type starts uint8

const (
	untold starts = iota
	told
	mistold // has a method Started that does not match Starter
)

// startsOf returns whether actors like v, of type typ, are notified of their
// starts.
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

// startActor sends a Starter its start message.
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

// behind returns the handler of an actor, even before its start message.
func (a *actor) behind() Actor {
	if a.pending != nil {
		return a.pending
	}
	return a.handler
}
