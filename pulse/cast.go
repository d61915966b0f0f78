package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A cast is the actors of a run: their spawning, their ends, and who is told
// of them. It takes no steps.
//
// Invariants: actors[i] has index i in its mailbox, its Ctx and the trace; the
// mailroom has its mailbox. The slice's capacity holds actors of older runs. A
// parent comes before its children. An actor has a process only while that
// process's code has not returned, and then the process's coroutine is in use.
type cast struct {
	traffic
	actors    []*actor
	walk      *stateWalk // over values and states
	states    *stateWalk // walk, or nil unless the strategy compares states
	pool      coroutines
	processes []*Process         // those not in use
	inUse     int                // how many others there are
	places    map[uintptr]string // of method values, by their code; see placeOf
}

// An actor is a spawned actor's place in the cast. It outlives the run: the
// next run uses it again.
type actor struct {
	handler Actor
	track
	mailbox
	process  *Process
	ctx      Ctx
	asks     int32 // numbers Asks and waits for timers; none is used twice, by a restarted process neither
	parent   int32
	restarts int
	waits    wait // what a stuck report says of it
	watchers []int32
	special  bool // spec is not zero
	spec     Spec
	history  uint64 // see stateWalk.historyOf
	lifetime
}

// join connects the parts of a system.
func (c *cast) join(owner *System) {
	c.owner = owner
	c.mail.clock = &c.clock
	c.pool.calls = &c.calls
}

// add puts an actor into the run and into the trace.
func (c *cast) add(name string, handler Actor, info *typeInfo, parent int32) *actor {
	if len(c.actors) > int(c.mail.limit) {
		c.bound(int(c.mail.limit), "actors", "actors", "spawns")
	}
	a := c.place()
	a.handler, a.parent = handler, parent
	a.id = c.rec.addActor(name, info, parent)
	if threaded {
		makeThread(c, a)
	}
	if c.states != nil && a.actor != trace.Test { // its handler may hold what the spawner knows
		c.states.happened(event{kind: eventSpawned, actor: a.actor, step: none, spawner: c.rec.cur})
	}
	return a
}

// place takes the next actor of an older run into use, or makes one.
func (c *cast) place() *actor {
	n := len(c.actors)
	if n < cap(c.actors) {
		c.actors = c.actors[:n+1]
	} else {
		c.actors = append(c.actors, nil)
	}
	a := c.actors[n]
	if a == nil {
		a = &actor{}
		c.actors[n] = a
	}
	a.ctx = Ctx{sys: c.owner, actor: int32(n)}
	a.last = none
	if a.process != nil || a.waits.text != "" {
		a.process, a.waits.text = nil, ""
	}
	a.asks, a.restarts = 0, 0
	if a.used {
		a.forget()
	}
	a.watchers, a.history = a.watchers[:0], 0
	if a.special {
		a.spec, a.special = Spec{}, false
	}
	c.mail.admit(&a.mailbox)
	return a
}

// spawnPlain spawns an actor that is only a handler.
func (c *cast) spawnPlain(name string, handler Actor, parent int32) Ref {
	if isNil(handler) {
		c.noHandler(name)
	}
	info := c.rec.types.of(handler)
	a := c.add(name, handler, info, parent)
	if info.starts != untold {
		c.startActor(a, info, c.rec.cur)
	}
	return c.ref(a.actor)
}

// spawn spawns what a Spec describes.
func (c *cast) spawn(spec *Spec, parent int32) Ref {
	if text := spec.refusal(); text != "" {
		c.misuse("actor %q: %s", spec.Name, text)
	}
	handler := c.handlerOf(spec)
	info := c.rec.types.of(handler)
	if spec.Process != nil {
		info = c.rec.types.of(spec.Process)
	}
	a := c.add(spec.Name, handler, info, parent)
	a.spec, a.special, a.safe = *spec, true, spec.Safe
	if spec.Mailbox > 0 {
		c.bind(&a.mailbox, spec)
	}
	c.start(a, info, c.rec.cur)
	return c.ref(a.actor)
}

// handlerOf returns the first handler of what spec describes.
func (c *cast) handlerOf(spec *Spec) Actor {
	switch {
	case spec.Process != nil:
		return processActor{}
	case !isNil(spec.Actor):
		return spec.Actor
	case spec.New != nil:
		if a := spec.New(); !isNil(a) {
			return a
		}
	}
	c.noHandler(spec.Name)
	return nil
}

// isNil reports whether an Actor is none: nil, or a Func that is.
func isNil(a Actor) bool {
	f, is := a.(Func)
	return a == nil || is && f == nil
}

func (c *cast) noHandler(name string) {
	c.misuse("actor %q is nil: it needs an Actor, a New that returns one, or the function of a process", name)
}

// end takes an actor out of the run: what waits for it is orphaned, those who
// watch it are told.
func (c *cast) end(a *actor, reason string) {
	if a.life == ended {
		return
	}
	i := a.actor
	c.rec.touchOther(i)
	c.rec.touch(i, trace.ItsLife, 0)
	wasDown := a.life == down
	a.life = ended
	c.shut(a, trace.Orphaned)
	c.rec.endActor(i)
	if !wasDown {
		c.tellWatchers(a, reason)
	}
}

// endChildren ends all that an actor has spawned, and theirs. Of one that has ended
// already the running step depends on that: before, it would have ended it.
func (c *cast) endChildren(parent int32, reason string) {
	for i := int(parent) + 1; i < len(c.actors); i++ {
		switch a := c.actors[i]; {
		case a.parent != parent:
		case a.life == ended:
			c.rec.read(int32(i))
		default:
			c.endChildren(int32(i), reason)
			c.end(a, reason)
		}
	}
}

// descends reports whether an actor is another one, or a child of it or of its
// children.
func (c *cast) descends(actor, from int32) bool {
	for ; actor >= 0; actor = c.actors[actor].parent {
		if actor == from {
			return true
		}
	}
	return false
}

// crash takes an actor down by a fault.
func (c *cast) crash(a *actor) {
	c.unwatchAll(a.actor)
	c.endChildren(a.actor, "crashed")
	a.life = down
	c.shut(a, trace.Dropped)
	c.mail.forgetWait(&a.mailbox)
	c.tellWatchers(a, "crashed")
	c.loseWrites(a)
}

// loseNews notes that a step loses what tells an actor of ends: before those, nobody
// would have told it.
func (c *cast) loseNews(a *actor) {
	if !c.rec.on {
		return
	}
	for _, m := range c.mail.sentTo(&a.mailbox) {
		if d := &c.mail.sends[m]; d.Kind == trace.Down {
			c.rec.read(d.From)
		}
	}
}

// shut closes an actor's mailbox, stops its timers and its code. What was
// waiting in the mailbox meets the given fate.
func (c *cast) shut(a *actor, fate trace.Fate) {
	a.accept = acceptNothing
	if a.room > 0 {
		c.rec.touch(a.actor, trace.ItsRoom, 0)
	}
	c.mail.setOpen(&a.mailbox, false)
	c.stopTimersOf(a.actor)
	c.mail.empty(&a.mailbox, fate)
	c.killProcess(a)
}

// listStrikes lists what could strike now, in a fixed order.
func (c *cast) listStrikes() []strike {
	f := &c.faults
	f.list = f.list[:0]
	if c.mail.cut >= 0 {
		f.list = append(f.list, strike{kind: trace.Heal, actor: c.mail.cut})
	}
	for _, a := range c.actors {
		if c.mayStrike(a) {
			f.listFor(a, c.mail.cut >= 0)
		}
	}
	return f.list
}

// mayStrike reports whether faults may strike an actor.
func (c *cast) mayStrike(a *actor) bool {
	may := c.options.Faults.Actors
	switch {
	case a.actor == trace.Test || a.safe:
		return false
	case may == nil:
		return true
	}
	c.rec.callOut()
	is := may(c.ref(a.actor))
	c.rec.callOver()
	return is
}

// anew returns the handler with which an actor starts that loses its state; nil
// when it keeps that.
func (c *cast) anew(a *actor, lose bool) Actor {
	switch {
	case a.spec.Process != nil:
		return processActor{}
	case lose && a.spec.New != nil:
		return c.handlerOf(&Spec{Name: a.spec.Name, New: a.spec.New})
	}
	return nil
}

// renew makes an actor ready to receive from the beginning, with a new handler
// unless that is nil. Its channels are still to be looked at. If it is told of its
// start, starter sends it that.
func (c *cast) renew(a *actor, handler Actor, starter int32) {
	a.accept, a.await, a.answered, a.used = acceptAll, 0, 0, true
	switch {
	case handler == nil && !a.toStart:
		a.how = StartKept
	case handler != nil && !(a.toStart && a.how == StartNew): // else it is told now what it has not been told
		a.how = StartLost
	}
	if handler != nil {
		a.handler, a.pending = handler, nil
	}
	c.start(a, c.rec.types.of(a.behind()), starter)
}

// lives reports whether an actor is alive. The running step now depends on it.
func (c *cast) lives(actor int32) bool {
	c.rec.read(actor)
	now := c.actors[actor].life
	c.learned(uint64(now))
	return now == alive
}

// become changes the handler of an actor.
func (c *cast) become(actor int32, handler Actor) {
	if isNil(handler) {
		c.misuse("Become(nil): give it the actor that handles what comes next")
	}
	if c.actors[actor].process != nil {
		c.misuse("Become in a process: it has no handler, its code goes on where it waits")
	}
	c.actors[actor].handler = handler
	c.rec.changed()
}

// watch makes an actor one that is told when another ends: at once, when it
// has ended already.
func (c *cast) watch(watcher, other int32) {
	if a := c.actors[other]; a.life == alive {
		c.rec.touch(other, trace.ItsLife, 0) // in which order its watchers are told is seen in the names of what tells them
		a.watchers = append(a.watchers, watcher)
		if len(a.watchers) > int(c.mail.limit) {
			c.bound(int(c.mail.limit), "watchers", "watches of one actor", "watches")
		}
		return
	}
	c.rec.read(other)
	c.postDown(other, watcher, "gone")
}

// unwatch makes an actor one that is not told of the end of another: what would
// tell it is taken back.
func (c *cast) unwatch(watcher, other int32) {
	c.rec.touch(other, trace.ItsLife, 0)
	a := c.actors[other]
	a.watchers = deleteFunc(a.watchers, func(w int32) bool { return w == watcher })
	for _, m := range c.mail.sentTo(&c.actors[watcher].mailbox) {
		if d := &c.mail.sends[m]; d.Kind == trace.Down && d.From == other {
			c.mail.withdraw(m)
			c.todo.afterStep |= workFilter // it may have kept another from being received
		}
	}
}

// unwatchAll forgets all that an actor has watched: what it becomes after a
// crash, or by a restart, has not asked for it. Whoever it watched may end
// before or after that, so the running step depends on their lives.
func (c *cast) unwatchAll(watcher int32) {
	for i, a := range c.actors {
		kept := deleteFunc(a.watchers, func(w int32) bool { return w == watcher })
		if len(kept) < len(a.watchers) {
			c.rec.touch(int32(i), trace.ItsLife, 0)
		}
		a.watchers = kept
	}
}

func (c *cast) tellWatchers(a *actor, reason string) {
	for _, w := range a.watchers {
		c.postDown(a.actor, w, reason)
	}
	a.watchers = a.watchers[:0]
}

func (c *cast) postDown(from, to int32, reason string) {
	c.sendAs(from, to, Down{c.ref(from), reason}, trace.Down, 0)
}
