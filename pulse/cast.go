package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// A cast holds the actors of a run. It spawns and ends actors and notifies
// their watchers. It takes no steps.
//
// Invariants: actors[i] has index i in its mailbox, its Ctx, the mailroom and
// the trace. The spare capacity of the slice actors holds actors of earlier
// runs. A parent comes before its children. The field process of an actor is
// nil unless the actor is a process whose code has not returned.
type cast struct {
	traffic
	actors    []*actor
	walk      *stateWalk // walks over values and states
	states    *stateWalk // equal to walk if the strategy compares states, else nil
	pool      coroutines
	processes []*Process        // unused Process values, for reuse
	inUse     int               // number of Process values in use
	places    map[uintptr]Frame // the lines at which methods begin, by code pointer; a cache for placeOf
}

// An actor is one actor of a run. The next run reuses its memory.
type actor struct {
	handler Actor
	track
	mailbox
	process  *Process
	ctx      Ctx
	asks     int32 // number of Asks, polls and timed waits so far; a restart does not reset the number
	parent   int32
	restarts int
	waits    wait // what the actor waits for, as a stuck report says it
	watchers []int32
	special  bool // set if spec is not zero
	spec     Spec
	history  uint64 // see stateWalk.historyOf
	lifetime
}

// join sets the pointers between the parts of a system.
func (c *cast) join(owner *System) {
	c.owner = owner
	c.mail.clock = &c.clock
	c.pool.calls = &c.calls
}

// add puts an actor into the run and into the trace.
func (c *cast) add(name string, handler Actor, info *typeInfo, parent int32) *actor {
	if len(c.actors) > int(c.mail.limit) {
		c.bound(int(c.mail.limit), "actors", "actors", "spawn")
	}
	a := c.place()
	a.handler, a.parent = handler, parent
	a.id = c.rec.addActor(name, info, parent)
	if threaded {
		makeThread(c, a)
	}
	if c.mail.onSend&workObserve != 0 {
		tell(c.owner, SendObserver.Spawned, a.actor)
	}
	if c.states != nil && a.actor != trace.Test { // the spawner may have put data into the handler, so the new actor's history starts as a copy of the spawner's history
		c.states.happened(event{kind: eventSpawned, actor: a.actor, step: none, spawner: c.rec.cur})
	}
	return a
}

// place returns the next actor of the run: a reset actor of an earlier run, or
// a new one.
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

// spawnPlain spawns an actor that consists only of a handler.
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

// spawn spawns the actor that a Spec describes.
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

// handlerOf returns the initial handler of the actor that spec describes. If
// there is none, the run fails.
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

// isNil reports whether an Actor is nil or a nil Func.
func isNil(a Actor) bool {
	f, is := a.(Func)
	return a == nil || is && f == nil
}

func (c *cast) noHandler(name string) {
	c.misuse("actor %q is nil: it needs an Actor, a New that returns one, or the function of a process", name)
}

// end ends an actor. Its waiting messages become orphans, and its watchers
// receive a Down with the reason.
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

// endChildren ends all descendants of an actor. If a child has already ended,
// endChildren records a dependency on the child: in an earlier position, the
// running step would have ended it.
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

// descends reports whether an actor is ancestor itself or a descendant of
// ancestor.
func (c *cast) descends(actor, ancestor int32) bool {
	for ; actor >= 0; actor = c.actors[actor].parent {
		if actor == ancestor {
			return true
		}
	}
	return false
}

// crash applies a crash to an actor. The actor loses its messages, timers,
// children and watches, and may lose unsynced writes.
func (c *cast) crash(a *actor) {
	c.unwatchAll(a.actor)
	c.endChildren(a.actor, "crashed")
	a.life = down
	c.shut(a, trace.Dropped)
	c.mail.forgetWait(&a.mailbox)
	c.tellWatchers(a, "crashed")
	c.loseWrites(a)
}

// loseNews records a dependency on each actor whose Down message is lost in
// the crash of actor a. No Down would be lost if a crashed before that actor
// ended.
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

// shut closes an actor's mailbox and stops its timers and its code. The
// messages that wait for the actor are discarded, and fate is recorded for
// each of them in the trace.
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

// anew returns the new handler of a restarted actor, or nil if the actor keeps
// its old handler. lose is set if the restart loses the state.
func (c *cast) anew(a *actor, lose bool) Actor {
	switch {
	case a.spec.Process != nil:
		return processActor{}
	case lose && a.spec.New != nil:
		return c.handlerOf(&Spec{Name: a.spec.Name, New: a.spec.New})
	}
	return nil
}

// renew restarts an actor, with a new handler if handler is not nil. The
// caller must then call refilter or reopen for the mailbox. starter is the
// sender of the start message, which only a process or a Starter gets.
func (c *cast) renew(a *actor, handler Actor, starter int32) {
	a.accept, a.await, a.answered, a.used = acceptAll, 0, 0, true
	switch {
	case handler == nil && !a.toStart:
		a.how = StartKept
	case handler != nil && !(a.toStart && a.how == StartNew): // an actor that has not yet received StartNew still receives StartNew
		a.how = StartLost
	}
	if handler != nil {
		a.handler, a.pending = handler, nil
	}
	c.start(a, c.rec.types.of(a.behind()), starter)
}

// restart restarts an actor within the step in which the actor or a descendant
// panicked. Messages that wait for the actor are kept.
func (c *cast) restart(a *actor) {
	c.unwatchAll(a.actor)
	c.endChildren(a.actor, "stopped")
	c.stopTimersOf(a.actor)
	if a.process != nil {
		c.killProcess(a)
		c.mail.forgetWait(&a.mailbox)
	}
	if a.pending != nil {
		return // a Starter that has not received its start message yet needs no restart
	}
	c.renew(a, c.anew(a, true), c.rec.cur)
	c.mail.reopen(&a.mailbox)
}

// lives reports whether an actor is alive, and records that the running step
// depends on it.
func (c *cast) lives(actor int32) bool {
	c.rec.read(actor)
	now := c.actors[actor].life
	c.learned(uint64(now))
	return now == alive
}

// become changes the handler of an actor.
func (c *cast) become(actor int32, handler Actor) {
	if isNil(handler) {
		c.misuse("Become(nil): pass the actor that handles the next messages")
	}
	if c.actors[actor].process != nil {
		c.misuse("Become in a process: a process has no handler that could change")
	}
	c.actors[actor].handler = handler
	c.rec.changed()
}

// watch makes actor watcher receive a Down message when actor other ends or
// crashes. If other is not alive, the Down is sent at once.
func (c *cast) watch(watcher, other int32) {
	if a := c.actors[other]; a.life == alive {
		c.rec.touch(other, trace.ItsLife, 0) // the watchers of one actor conflict, because the identities of the Downs depend on the order of the watchers
		a.watchers = append(a.watchers, watcher)
		if len(a.watchers) > int(c.mail.limit) {
			c.bound(int(c.mail.limit), "watchers", "watches of one actor", "watch")
		}
		return
	}
	c.rec.read(other)
	c.postDown(other, watcher, "gone")
}

// unwatch ends all watches of actor watcher on actor other. It withdraws the
// Down messages of other that are in flight to watcher.
func (c *cast) unwatch(watcher, other int32) {
	c.rec.touch(other, trace.ItsLife, 0)
	a := c.actors[other]
	a.watchers = deleteFunc(a.watchers, func(w int32) bool { return w == watcher })
	for _, m := range c.mail.sentTo(&c.actors[watcher].mailbox) {
		if d := &c.mail.sends[m]; d.Kind == trace.Down && d.From == other {
			c.mail.withdraw(m)
			c.todo.afterStep |= workFilter // a message behind the withdrawn Down may now be deliverable
		}
	}
}

// unwatchAll ends all watches of an actor that crashes or restarts. The
// running step depends on the lifetime of each watched actor, because that
// actor may end before or after this step.
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
