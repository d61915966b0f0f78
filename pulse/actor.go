package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Actor receives messages one at a time. Receive runs to its end before
// anything else happens; it must not block.
type Actor interface {
	Receive(ctx *Ctx, msg any)
}

// Func is an actor that is only a function.
type Func func(ctx *Ctx, msg any)

// Receive calls f.
func (f Func) Receive(ctx *Ctx, msg any) { f(ctx, msg) }

// A Ref is where messages are sent. The zero Ref is nobody. References can be
// compared, put into messages and used as keys of maps.
type Ref struct {
	sys   *System
	run   int32
	actor int32
	ask   int32 // the Ask that a message to this reference answers; 0 for none
}

// String returns the actor's name as traces and failures show it.
func (r Ref) String() string {
	switch {
	case r.sys == nil:
		return "nobody"
	case r.run != r.sys.run:
		return "an actor of an earlier run"
	}
	return r.sys.trace.Name(r.actor)
}

// IsZero says whether r is nobody.
func (r Ref) IsZero() bool { return r.sys == nil }

// Actor returns the plain reference of the actor: that of the sender of an
// Ask also says which Ask an answer is for, and so is not equal to others.
func (r Ref) Actor() Ref {
	r.ask = 0
	return r
}

// Index returns the place of the actor in the order of spawning, as traces
// count it.
func (r Ref) Index() int { return int(r.actor) }

// A Spec says all that can be said of an actor that is to be spawned. Spawn
// and Go are short for the common cases.
type Spec struct {
	// Name is a label for people. It need not be unique.
	Name string
	// Actor handles the messages. It may be nil when New or Process is set.
	Actor Actor
	// New makes the actor, now and at each restart that loses the state.
	New func() Actor
	// Process makes the actor a process that runs this function.
	Process func(*Process)
	// OnPanic says what follows when the actor panics.
	OnPanic Directive
	// Restarts is how many restarts a panicking actor is allowed before its
	// panic is escalated; zero means 10.
	Restarts int
	// Safe keeps faults away from the actor and from its messages.
	Safe bool
}

// Down is the message that a watcher receives when an actor has ended.
type Down struct {
	Actor  Ref
	Reason string // "stopped", "killed", "crashed", "panicked", "returned" or "gone" when it had ended before
}

// life is where an actor is between its spawning and its end.
type life uint8

const (
	alive life = iota
	down       // crashed by a fault; may be restarted by one
	ended
)

// An actor is a spawned actor's place in the system. It outlives the run: the
// next run uses it again.
type actor struct {
	handler Actor
	id      uint64
	process *Process
	last    int32 // its previous step
	inward  int32 // the first of the channels to it, linked by sibling
	accept  acceptance
	open    bool // alive and accepts anything, so that every channel may be open
	life    life
	ctx     Ctx

	match    func(any) bool // what it accepts when accept is matching
	await    int32          // the Ask or wake whose message it accepts
	answered int32          // the last Ask to which an answer is on its way
	asks     int32          // numbers Asks and wakes; none is used twice, by a restarted process neither
	waits    wait           // what a stuck report says of it
	watchers []int32
	parent   int32
	restarts int
	special  bool // spec is not zero
	spec     Spec
	history  uint64 // all that it has received, while there are states
}

// Spawn adds an actor and returns where to send to it. The name is a label;
// it need not be unique.
func (s *System) Spawn(name string, a Actor) Ref {
	if !s.mayCall("Spawn") {
		return Ref{}
	}
	return s.spawnActor(name, a, s.cur)
}

// Go adds a process: an actor written as straight-line code that blocks. It
// begins with a step of its own.
func (s *System) Go(name string, body func(*Process)) Ref {
	return s.SpawnSpec(Spec{Name: name, Process: body})
}

// SpawnSpec adds an actor of which more is to be said.
func (s *System) SpawnSpec(spec Spec) Ref {
	if !s.mayCall("Spawn") {
		return Ref{}
	}
	return s.spawn(&spec, s.cur)
}

func (s *System) spawnActor(name string, handler Actor, parent int32) Ref {
	if handler == nil {
		s.noHandler(name)
	}
	return s.ref(s.add(name, handler, s.types.of(handler), parent).ctx.actor)
}

func (s *System) spawn(spec *Spec, parent int32) Ref {
	handler := s.handlerOf(spec)
	info := s.types.of(handler)
	if spec.Process != nil {
		info = s.types.of(spec.Process)
	}
	a := s.add(spec.Name, handler, info, parent)
	a.spec, a.special = *spec, true
	if spec.Process != nil {
		s.startProcess(a)
	}
	return s.ref(a.ctx.actor)
}

// add puts an actor into the system and into the trace.
func (s *System) add(name string, handler Actor, info *typeInfo, parent int32) *actor {
	a := s.place()
	a.handler, a.parent = handler, parent
	a.id = actorID(info.hash, s.curID, s.spawned)
	if s.states != nil {
		a.history = s.actors[s.cur].history // its handler may hold what the spawner knows
	}
	s.spawned++
	s.hash = fold(s.hash, a.id)
	list := s.trace.Actors
	n := len(list)
	if n == cap(list) {
		s.trace.Actors = append(list, trace.Actor{})
	}
	s.trace.Actors = s.trace.Actors[:n+1]
	t := &s.trace.Actors[n] // field by field: a literal would be built first and then copied
	t.ID, t.Label, t.Type = a.id, name, info.name
	t.Parent, t.Step, t.Ended = parent, s.step, none
	return a
}

// handlerOf returns the first handler that spec describes.
func (s *System) handlerOf(spec *Spec) Actor {
	switch {
	case spec.Process != nil:
		return processActor{}
	case spec.Actor != nil:
		return spec.Actor
	case spec.New != nil:
		if a := spec.New(); a != nil {
			return a
		}
	}
	s.noHandler(spec.Name)
	return nil
}

func (s *System) noHandler(name string) {
	s.misuse("actor %q is nil: it needs an Actor, a New that returns one, or the function of a process", name)
}

// place takes the next actor of an older run into use, or makes one.
func (s *System) place() *actor {
	n := len(s.actors)
	if n < cap(s.actors) {
		s.actors = s.actors[:n+1]
	} else {
		s.actors = append(s.actors, nil)
	}
	a := s.actors[n]
	if a == nil {
		a = &actor{}
		s.actors[n] = a
	}
	a.renew(s, int32(n))
	return a
}

// renew makes an actor of an older run, or of none, a new one.
func (a *actor) renew(s *System, i int32) {
	a.ctx = Ctx{sys: s, actor: i}
	a.last, a.inward = none, none
	a.open, a.life, a.accept = true, alive, anything
	a.process, a.match, a.waits.text = nil, nil, ""
	a.await, a.answered, a.asks, a.restarts = 0, 0, 0, 0
	a.watchers, a.history = a.watchers[:0], 0
	if a.special {
		a.spec, a.special = Spec{}, false
	}
}

func (s *System) ref(actor int32) Ref { return Ref{sys: s, run: s.run, actor: actor} }

// Alive says whether the actor has neither ended nor crashed.
func (s *System) Alive(r Ref) bool {
	if !s.mayCall("Alive") {
		return false
	}
	s.check(r, "Alive")
	s.touch(r.actor, trace.ItsLife, 0)
	is := s.actors[r.actor].life == alive
	if s.states != nil {
		s.learn(uint64(s.actors[r.actor].life))
	}
	return is
}

// check complains about a reference that is not of this run.
func (s *System) check(r Ref, what string) {
	switch {
	case r.sys == nil:
		s.misuse("%s: the Ref is the zero Ref, which is nobody: it was never set", what)
	case r.sys != s:
		s.misuse("%s: %s belongs to another system", what, r.String())
	case r.run != s.run:
		s.misuse("%s: the Ref belongs to a run that is over: it was kept across Reset", what)
	}
}

// end takes an actor out of the run: what waits for it is orphaned, those who
// watch it are told.
func (s *System) end(a *actor, reason string) {
	if a.life == ended {
		return
	}
	s.touchOther(a)
	s.touch(a.ctx.actor, trace.ItsLife, 0)
	wasDown := a.life == down
	a.life = ended
	s.shut(a, trace.Orphaned)
	s.trace.Actors[a.ctx.actor].Ended = s.step
	if !wasDown {
		s.tellWatchers(a, reason)
	}
}

// shut closes an actor's mailbox, stops its timers and its code. What was
// waiting in the mailbox meets the given fate.
func (s *System) shut(a *actor, fate trace.Fate) {
	a.accept = nothing
	s.setOpen(a, false)
	i := a.ctx.actor
	s.removeTimersOf(i)
	s.empty(a, fate)
	if p := a.process; p != nil {
		a.process = nil
		s.killProcess(p)
	}
}

func (s *System) tellWatchers(a *actor, reason string) {
	for _, w := range a.watchers {
		s.postDown(a.ctx.actor, w, reason)
	}
	a.watchers = a.watchers[:0]
}

func (s *System) postDown(from, to int32, reason string) {
	s.sendAs(from, to, Down{s.ref(from), reason}, trace.Down, 0)
}

// endChildren ends all that an actor has spawned, and theirs.
func (s *System) endChildren(parent int32, reason string) {
	for i := int(parent) + 1; i < len(s.actors); i++ {
		if a := s.actors[i]; a.parent == parent && a.life != ended {
			s.endChildren(int32(i), reason)
			s.end(a, reason)
		}
	}
}
