package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// What is told of its start accepts nothing else before it: the start is a
// message from who spawns or restarts it. An actor that is not told costs
// nothing by that: while a start has not come, the handler of a Starter is a
// startingActor, which gives way to it.

// A lifetime is what there is of an actor beside its present life: how that is
// to start, and what is left of those before.
//
// Invariant: it is zero, but for an empty disk, unless used is set.
type lifetime struct {
	used    bool
	toStart bool  // it is to be told of its start, or its code is to begin
	how     Start // its last start
	pending Actor // its handler while the start of a Starter has not come; else nil
	disk    *disk // nil until an actor in this place has used its disk
}

// forget makes a lifetime one of an actor that is spawned.
func (l *lifetime) forget() {
	if l.disk != nil {
		l.disk.reset()
	}
	*l = lifetime{disk: l.disk}
}

// startingActor is the handler of a Starter until its start has come.
type startingActor struct{}

func (startingActor) Receive(ctx *Ctx, _ any) {
	s := ctx.sys
	a := s.actors[ctx.actor]
	a.handler, a.pending = a.pending, nil
	a.accept, a.toStart = acceptAll, false
	s.todo.afterStep |= workFilter
	a.handler.(Starter).Started(ctx, a.how)
}

// start starts a spawned or renewed actor, of whose handler info is known, if it
// is to be told: starter sends it that.
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

// starts is whether the actors of a type are told of their starts.
type starts uint8

const (
	untold starts = iota
	told
	mistold // by a method that looks like that of a Starter, and is not
)

// startsOf returns whether actors like v, which is of type typ, are told of
// their starts.
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

// startActor tells a Starter of its start.
func (c *cast) startActor(a *actor, info *typeInfo, starter int32) {
	if info.starts == mistold {
		c.misuse("actor %q: %s has a method Started that is not the one of a Starter, which is Started(ctx *pulse.Ctx, how pulse.Start)",
			c.rec.trace.Actors[a.actor].Label, info.name)
	}
	a.pending = a.behind()
	a.handler = startingActor{}
	a.accept, a.toStart, a.used = acceptStart, true, true
	c.mail.setOpen(&a.mailbox, false)
	c.sendAs(starter, a.actor, a.how, trace.Start, 0)
}

// behind returns the handler of an actor, also while its start has not come.
func (a *actor) behind() Actor {
	if a.pending != nil {
		return a.pending
	}
	return a.handler
}
