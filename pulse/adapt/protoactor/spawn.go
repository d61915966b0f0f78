package protoactor

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/jostle-go/jostle/pulse/trace"
)

// SpawnMiddleware returns middleware for a RootContext that the test makes. With the middleware, the
// RootContext can spawn actors into the given actor system, which must come from New. Pass it as the
// last middleware:
//
//	root := actor.NewRootContext(as, nil).WithSpawnMiddleware(tracing, protoactor.SpawnMiddleware(as))
//
// The Root of the actor system already has this middleware.
func SpawnMiddleware(as *actor.ActorSystem) actor.SpawnMiddleware {
	w := worldOf(as)
	if w == nil {
		panic(misuseOf("protoactor.SpawnMiddleware of an actor system that was not made by protoactor.New"))
	}
	return w.spawning
}

// spawning is the middleware that spawns all actors that pulse runs, except the
// helper actors of routers.
func (w *world) spawning(next actor.SpawnFunc) actor.SpawnFunc {
	return func(as *actor.ActorSystem, id string, props *actor.Props, parent actor.SpawnerContext) (*actor.PID, error) {
		spawn := next
		if guardianOf(props) != nil && spawnerOf(props) == nil {
			spawn = theirs // with middleware, a RootContext ignores the guardian
		}
		return w.spawn(as, id, props, parent, spawn, false)
	}
}

// spawn spawns an actor whose steps pulse runs, and returns its PID. If atOnce is
// set, the actor starts before spawn returns. Routers rely on that for their
// helper actors.
func (w *world) spawn(as *actor.ActorSystem, id string, props *actor.Props, parent actor.SpawnerContext, by actor.SpawnFunc, atOnce bool) (*actor.PID, error) {
	if as != w.as {
		return by(as, id, props, parent)
	}
	if w.foreign("the actor", id, adviceSpawn) {
		return nil, actor.ErrNameExists
	}
	c := &cell{world: w, id: id, atOnce: atOnce, source: idBase(id), rules: rulesOf(props) != nil}
	if p := parent.Self(); p != nil {
		c.parent, c.watched = w.cells[p.Id], true
	}
	if w.current != nil && !strings.Contains(id, "$") && !strings.HasPrefix(id, w.current.id+"/") {
		w.host.Touch(trace.TheTest) // another step may spawn an actor with the same name
	}
	before, outer := w.cells[id], w.spawned
	w.dig(before)
	w.cells[id], w.spawned = c, c
	pid, err := by(as, id, w.hosted(props), parent)
	w.spawned = outer
	if err != nil {
		w.cells[id] = before
		return pid, err
	}
	c.pid = pid
	if c.invoker == nil {
		w.gate(c)
	}
	return pid, nil
}

// hosted returns a copy of props with which pulse runs the spawned actors.
func (w *world) hosted(props *actor.Props) *actor.Props {
	own := mailboxOf(props)
	if own != nil && reflect.ValueOf(own).Pointer() == reflect.ValueOf(w.newMailbox).Pointer() {
		return props // these props of a router's helper actor are a copy of such a copy
	}
	if ours := w.props[props]; ours != nil {
		return ours
	}
	w.mustBeUnbounded(own)
	options := []actor.PropsOption{actor.WithMailbox(w.newMailbox), actor.WithSpawnMiddleware(w.spawning), actor.WithContextDecorator(w.decorate)}
	if s := rulesOf(props); s != nil {
		options = append(options, actor.WithSupervisor(w.timed(s)))
	}
	if s := guardianOf(props); s != nil {
		options = append(options, actor.WithGuardian(&timedStrategy{w, w.timed(s)}))
	}
	ours := props.Clone(options...)
	w.props[props] = ours
	return ours
}

func (w *world) newMailbox() actor.Mailbox { return w.spawned }

// mustBeUnbounded fails the run if the mailboxes that own makes may reorder or lose
// messages. A nil own stands for proto.actor's default mailbox.
func (w *world) mustBeUnbounded(own actor.MailboxProducer) {
	if own == nil {
		return
	}
	queue, middleware := queueOf(own())
	switch queue {
	case "*actor.unboundedMailboxQueue", "*mpsc.Queue":
		if !middleware {
			return
		}
	}
	w.misuse("props WithMailbox(%s): the order of its messages cannot be chosen; in a test leave the mailbox out, or use actor.Unbounded() without middleware", queue)
}

// labelOf returns the actor's label for traces: its given name, or else the name of
// its type.
func (c *cell) labelOf() string {
	name := c.id[strings.LastIndexByte(c.id, '/')+1:]
	name, _, _ = strings.Cut(name, "$")
	if name != "" {
		return name
	}
	if c.process != nil {
		return "router"
	}
	if c.invoker != nil {
		return nameOf(c.invoker.Actor())
	}
	return "actor"
}

// nameOf returns the name of an actor's type. For an actor that is a function, it
// returns the function's name.
func nameOf(a actor.Actor) string {
	t := reflect.TypeOf(a)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Func {
		return t.Name()
	}
	return functionName(reflect.ValueOf(a).Pointer())
}

// idBase returns the first value of an actor's counter for ids. It depends only on
// the actor's own id, so ids are the same in every order.
func idBase(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h >> 34 << 18
}

// functionName returns the name of a function without its package. For a function
// literal it returns the name of the enclosing function.
func functionName(pc uintptr) string {
	name := runtime.FuncForPC(pc).Name()
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	name = strings.TrimSuffix(name, "-fm")
	if i := strings.LastIndexByte(name, '.'); i >= 0 && strings.HasPrefix(name[i+1:], "func") {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// nameOf returns the label of the actor with the PID. If no such actor is known,
// it returns the PID's id.
func (w *world) nameOf(pid *actor.PID) string {
	if c := w.cells[pid.Id]; c != nil && c.label != "" {
		return c.label
	}
	return pid.Id
}
