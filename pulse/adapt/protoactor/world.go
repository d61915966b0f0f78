package protoactor

import (
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/asynkron/protoactor-go/extensions"
	cmap "github.com/orcaman/concurrent-map"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Config says how the actors of an actor system are hosted. The zero value is
// what New takes.
type Config struct {
	// Restarts lets proto.actor's default strategy deal with a panic, as it does in
	// production: the actor is restarted, and few notice. Without it a panic that
	// nobody chose a strategy for fails the run.
	Restarts bool
}

// New returns an actor system whose actors take their steps in a system of pulse:
// it stands in place of actor.NewActorSystem and takes the same options. It is
// called by the test itself, once for each run, and is good for that run.
func New(sys *pulse.System, options ...actor.ConfigOption) *actor.ActorSystem {
	return Config{}.New(sys, options...)
}

// New is the function New with a Config.
func (c Config) New(sys *pulse.System, options ...actor.ConfigOption) *actor.ActorSystem {
	if sys == nil {
		panic(misuseOf("protoactor.New(nil): it needs the system of the run, as props.T.System returns it"))
	}
	w := &world{Config: c, sys: sys, host: sys.Host(), cells: map[string]*cell{}, props: map[*actor.Props]*actor.Props{}}
	if text := fields().missing; text != "" {
		w.misuse("protoactor.New: this release of proto.actor is not known: %s", text)
	}
	if sys.Running() {
		w.misuse("protoactor.New in a step: a test makes its actor system before the run")
	}
	if sys.Options().Isolation {
		w.misuse("protoactor.New: Options.Isolation goes with no hosted actors, because proto.actor itself writes into the PIDs of messages that are on their way")
	}
	hook()
	w.home = w.host.Goroutine()
	w.test = &cell{world: w, ref: w.host.Running(), label: "test"}
	w.begin(actor.Configure(append([]actor.ConfigOption{actor.WithLoggerFactory(w.logger)}, options...)...))
	return w.as
}

// Ref returns what stands for an actor in the system of pulse, as monitors and
// charts know it; the zero Ref when the actor system has no such actor.
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

// A world is an actor system in one run.
//
// Invariant: current is the cell whose step is running, nil while the test's own
// code is.
type world struct {
	Config
	sys     *pulse.System
	host    pulse.Host
	as      *actor.ActorSystem
	cells   map[string]*cell // by the ids of their PIDs
	props   map[*actor.Props]*actor.Props
	times   map[*actor.RestartStatistics][]time.Duration // when actors have failed, in virtual time
	test    *cell
	current *cell
	home    uintptr  // the goroutine of the test
	desk    *cell    // answers the futures of the test; nil until it has one
	spawned *cell    // is being spawned: its mailbox is still to be made
	seen    uint64   // up to which number the ids are known that were given away
	asking  bool     // a future is being made that is adopted by who makes it
	buried  int      // how many actors have stopped
	fresh   []*grave // of those that have stopped at the present time
	streams int32    // how many subscriptions the event stream had
	ownSubs int32
}

// begin makes the parts of the actor system that refer to it.
func (w *world) begin(config *actor.Config) {
	as := newActorSystem(config)
	w.as = as
	as.ProcessRegistry = &actor.ProcessRegistryValue{ActorSystem: as, Address: "nonhost",
		LocalPIDs: &actor.SliceMap{LocalPIDs: []cmap.ConcurrentMap{cmap.New()}}}
	as.Root = actor.NewRootContext(as, actor.EmptyMessageHeader).WithSpawnMiddleware(w.spawning)
	as.Guardians = actor.NewGuardians(as)
	as.EventStream = eventstream.NewEventStream() // for what the dead letter process subscribes to
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

// me returns who acts: the cell whose step is running, or the test.
func (w *world) me() *cell {
	if w.current != nil {
		return w.current
	}
	return w.test
}

// misuse fails the run for something that an adapter cannot allow.
func (w *world) misuse(format string, args ...any) { w.fail(misuseOf(format, args...)) }

// published heeds what is told to all: what those do with it who have subscribed is no
// message, so that two steps that publish are not independent.
func (w *world) published(any) {
	if w.current != nil && w.as.EventStream.Length() > w.ownSubs {
		w.host.Touch(trace.TheTest)
	}
}

// buryLetter does what proto.actor's own dead letter process subscribes to, without
// the goroutine that counts how many were logged.
func (w *world) buryLetter(event any) {
	dead, ok := event.(*actor.DeadLetterEvent)
	if !ok {
		return
	}
	if dead.Sender != nil {
		w.as.Root.Send(dead.Sender, &actor.DeadLetterResponse{})
	}
	if watch, ok := dead.Message.(*actor.Watch); ok {
		p, _ := w.as.ProcessRegistry.Get(watch.Watcher)
		p.SendSystemMessage(watch.Watcher, &actor.Terminated{Who: dead.PID, Why: actor.TerminatedReason_NotFound})
	}
	if _, quiet := dead.Message.(actor.IgnoreDeadLetterLogging); !quiet && (dead.Sender == nil || w.as.Config.DeadLetterRequestLogging) {
		w.as.Logger().Info("[DeadLetter]", "pid", dead.PID, "message", dead.Message)
	}
}

// An extension leads from an actor system to its world.
type extension struct{ *world }

var extensionID = extensions.NextExtensionID()

// ExtensionID returns the place of the extension in an actor system.
func (*extension) ExtensionID() extensions.ExtensionID { return extensionID }

// worldOf returns the world of an actor system, nil when that is not one of ours.
func worldOf(as *actor.ActorSystem) *world {
	if x, ok := as.Extensions.Get(extensionID).(*extension); ok {
		return x.world
	}
	return nil
}

// hook has routers, which spawn by this variable what they need for themselves, do
// so in our worlds. It changes nothing for any other actor system.
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
