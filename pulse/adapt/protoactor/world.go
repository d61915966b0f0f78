package protoactor

import (
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/asynkron/protoactor-go/extensions"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
	cmap "github.com/orcaman/concurrent-map"
)

// A Config sets how pulse runs the actors of an actor system. The function New
// uses the zero value.
type Config struct {
	// Restarts lets proto.actor's default strategy handle a panic, as in production.
	// That strategy restarts the actor, which hides the bug. If Restarts is false, a
	// panic fails the run unless the user chose a strategy.
	Restarts bool
}

// New returns an actor system whose actors run in a pulse.System. It replaces
// actor.NewActorSystem and takes the same options. Call New in the test itself, once
// for each run, and use the result only in that run.
func New(sys *pulse.System, options ...actor.ConfigOption) *actor.ActorSystem {
	return Config{}.New(sys, options...)
}

// New is like the function New, but uses the settings of c.
func (c Config) New(sys *pulse.System, options ...actor.ConfigOption) *actor.ActorSystem {
	if sys == nil {
		panic(misuseOf("protoactor.New(nil): it needs the system of the run, as props.T.System returns it"))
	}
	w := &world{Config: c, sys: sys, host: sys.Host(), cells: map[string]*cell{}, props: map[*actor.Props]*actor.Props{}}
	if text := fields().missing; text != "" {
		w.misuse("protoactor.New: this release of proto.actor is not supported: %s", text)
	}
	if sys.Running() {
		w.misuse("protoactor.New in a step: a test makes its actor system before the run")
	}
	if sys.Options().Isolation {
		w.misuse("protoactor.New: Options.Isolation cannot be used with hosted actors: proto.actor itself writes into the PIDs of messages that are on their way")
	}
	hook()
	w.home = w.host.Goroutine()
	w.test = &cell{world: w, ref: w.host.Running(), label: "test"}
	w.begin(actor.Configure(append([]actor.ConfigOption{actor.WithLoggerFactory(w.logger)}, options...)...))
	return w.as
}

// Ref returns the pulse.Ref of the actor with the PID, for use in monitors and
// charts. It returns the zero Ref if the actor system has no such actor.
func Ref(as *actor.ActorSystem, pid *actor.PID) pulse.Ref {
	w := worldOf(as)
	if w == nil || pid == nil {
		return pulse.Ref{}
	}
	if c := w.cells[pid.Id]; c != nil {
		return c.born()
	}
	return pulse.Ref{}
}

// A world is an actor system that New has made, in one run.
//
// Invariant: current is the cell whose step is running, nil while the test's own code
// runs.
type world struct {
	Config
	sys     *pulse.System
	host    pulse.Host
	as      *actor.ActorSystem
	cells   map[string]*cell // the cells of all actors, by the ids of their PIDs
	props   map[*actor.Props]*actor.Props
	times   map[*actor.RestartStatistics][]time.Duration // the virtual times of an actor's failures; the key is proto.actor's record of its failures
	test    *cell
	current *cell
	home    uintptr  // the goroutine of the test
	desk    *cell    // the cell that receives answers to futures of the test; nil until needed
	spawned *cell    // the cell being spawned, whose mailbox is not made yet
	seen    uint64   // the last id number that adoptNew has checked
	asking  bool     // set while hosted.RequestFuture makes a future, which adoptNew must not adopt
	buried  int      // the number of actors that have stopped
	fresh   []*grave // the actors that stopped at the current virtual time
	streams int32    // the number of subscriptions to the event stream
	ownSubs int32    // the number of subscriptions that method begin has made
}

// begin makes the actor system, including the parts that refer to the system itself.
func (w *world) begin(config *actor.Config) {
	as := newActorSystem(config)
	w.as = as
	as.ProcessRegistry = &actor.ProcessRegistryValue{ActorSystem: as, Address: "nonhost",
		LocalPIDs: &actor.SliceMap{LocalPIDs: []cmap.ConcurrentMap{cmap.New()}}}
	as.Root = actor.NewRootContext(as, actor.EmptyMessageHeader).WithSpawnMiddleware(w.spawning)
	as.Guardians = actor.NewGuardians(as)
	as.EventStream = eventstream.NewEventStream() // NewDeadLetter subscribes to this stream, which is then replaced
	as.DeadLetter = actor.NewDeadLetter(as)
	as.EventStream = eventstream.NewEventStream()
	as.EventStream.Subscribe(w.published)
	as.EventStream.Subscribe(w.buryLetter)
	as.Extensions = extensions.NewExtensions()
	actor.SubscribeSupervision(as)
	as.Extensions.Register(actor.NewMetrics(as, config.MetricsProvider))
	as.Extensions.Register(&extension{w})
	as.ProcessRegistry.Add(actor.NewEventStreamProcess(as), "eventstream")
	w.ownSubs = as.EventStream.Length()
	w.streams = w.ownSubs
}

// me returns the cell of the actor whose step is running. If no step is running, it
// returns the cell that stands for the test.
func (w *world) me() *cell {
	if w.current != nil {
		return w.current
	}
	return w.test
}

// misuse fails the run with a message that says what is not allowed.
func (w *world) misuse(format string, args ...any) { w.fail(misuseOf(format, args...)) }

// published is called for each published event. It makes all steps that publish
// events conflict, because subscribers handle an event without receiving a message.
func (w *world) published(any) {
	if w.current != nil && w.as.EventStream.Length() > w.ownSubs {
		w.host.Touch(trace.TheTest)
	}
}

// An extension stores the world of an actor system in that actor system.
type extension struct{ *world }

var extensionID = extensions.NextExtensionID()

// ExtensionID returns the index of the extension in an actor system.
func (*extension) ExtensionID() extensions.ExtensionID { return extensionID }

// worldOf returns the world that belongs to an actor system. It returns nil if New did
// not make the actor system.
func worldOf(as *actor.ActorSystem) *world {
	if x, ok := as.Extensions.Get(extensionID).(*extension); ok {
		return x.world
	}
	return nil
}

// hook replaces actor.DefaultSpawner, the function by which routers spawn their
// helper actors. In an actor system made by New, pulse then runs these helpers. In
// all other actor systems the function spawns as before.
var hook = sync.OnceFunc(func() {
	actor.DefaultSpawner = func(as *actor.ActorSystem, id string, props *actor.Props, parent actor.SpawnerContext) (*actor.PID, error) {
		if w := worldOf(as); w != nil {
			return w.spawn(as, id, props, parent, theirs, true)
		}
		return theirs(as, id, props, parent)
	}
})

// theirs spawns an actor as proto.actor does.
var theirs = actor.DefaultSpawner

// fail ends the run.
func (w *world) fail(f *pulse.Failure) {
	if !w.sys.Running() {
		panic(f)
	}
	w.current = nil
	w.sys.Fail(f)
}
