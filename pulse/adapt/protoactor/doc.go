// Package protoactor runs programs that are written for proto.actor
// (github.com/asynkron/protoactor-go) under jostle: unchanged actors and props, in
// every order in which their messages can be received.
//
// A test takes an actor system from New in place of actor.NewActorSystem, and uses it as
// it would the other. Run takes the steps:
//
//	func allIsPaid(t *props.T) {
//		sys := t.System()
//		as := protoactor.New(sys)
//		account := as.Root.Spawn(actor.PropsFromProducer(newAccount))
//		as.Root.Send(account, deposit(10))
//		sys.Run()
//	}
//
//	func TestAllIsPaid(t *testing.T) { fuzz.Check(t, allIsPaid) }
//
// Each message that an actor receives is a step of its own: those of the user, and those
// of proto.actor itself, by which actors start, stop, restart and are watched. What the
// actor then does is done by proto.actor's own code. Messages from one actor to another
// keep their order, but for system messages, which may overtake those of the user, as
// they do in proto.actor: Stop comes before what waits in the mailbox, Terminated before
// what the actor that has stopped had sent. Between different actors there is no order
// that messages do not make, as if all of them were on different machines.
//
// # What is controlled
//
// Spawning, children, Send, Request, Respond, Forward, Watch, Stop, Poison, supervision
// by all of proto.actor's strategies and by the user's own, Behavior, Stash,
// middleware for receivers, senders and spawning, decorators of contexts, the event
// stream, dead letters, and persistence with the provider in memory.
//
// Futures: an actor that waits for one, by Result or Wait, is parked in the middle of its
// handler, and until then receives only what fulfils futures. If the test waits, steps
// are taken meanwhile. PipeTo and ReenterAfter work as well. An answer is a message to the
// actor that made the future, and may overtake others that its sender had sent there. If the
// future is piped on, the actor can receive the answer also in the middle of a handler,
// before it sends anything to where the answer goes.
//
// Time is virtual: of a future that an actor's Context has made, of SetReceiveTimeout,
// and of the exponential back-off strategy, but for the 500 nanoseconds that it adds at
// random. Strategies that count failures within a time count virtual time. Of a future
// that was made by a RootContext or by actor.NewFuture the time cannot be seen, and it is
// ten seconds, as proto.actor has it for StopFuture.
//
// Routers take their steps like actors: what is sent to one is received, and then sent
// on. Whom a random router takes is a choice of the strategy.
//
// An actor's ids are the same in every order. Its children are numbered by itself: $1, $2.
//
// # Tests that sleep or wait
//
// Actors take their steps only in Run, RunFor, and while the test waits for a future. A test
// that was written for real time changes so:
//
//   - time.Sleep(d) becomes sys.RunFor(d): the actors take all their steps of that virtual time.
//   - WaitGroup.Wait, or a receive from a channel that an actor sends to, becomes sys.Run(),
//     which returns when there is nothing left to do. Before that it would wait for ever; afterwards
//     it returns at once, or shows with a check such as len(ch) that something is missing.
//     An actor may send only to a channel that has room.
//   - A loop that polls becomes sys.Run() and one check.
//   - A test in stages calls Run, or RunFor, after each: what it sends next comes after all
//     steps of the stages before. Without Run in between they race.
//
// RunFor ends at a time and Run does not: with a timer that repeats for ever it is RunFor. What
// must hold at all times is for props.T.Always, which is asked after each step.
//
// A system that is configured by an actor.Config, as by actor.NewActorSystemWithConfig, is given
// it by an option, here but for the logger, since that of New writes into the trace:
//
//	protoactor.New(sys, func(c *actor.Config) {
//		logger := c.LoggerFactory
//		*c = *config
//		c.LoggerFactory = logger
//	})
//
// # Panics
//
// A panic goes to the supervisor that somebody has chosen: by WithSupervisor, by
// WithGuardian, or because the parent is a SupervisorStrategy itself. If nobody has, the
// run fails, since what proto.actor does by itself, to restart the actor, hides the fault.
// Config.Restarts has it do so.
//
// # What is refused
//
// These fail the run, and say what to do instead: a message, an answer or a spawn by a
// goroutine that is neither the test's nor an actor's, a mailbox with another order or
// with a bound, a RootContext of the test's own without SpawnMiddleware, what an actor's
// Context sends to another actor system, a remote or a cluster, and
// pulse.Options.Isolation, since proto.actor writes into PIDs; and an actor that keeps a real
// timer of proto.actor's, which are those of the package scheduler and of the plugin for passivation. A
// handler that blocks other than in a future never ends its step, and the search names it.
//
// A wait for a future by a goroutine of a handler's own fails the run too. That goroutine ends
// by runtime.Goexit, so that its deferred functions run. If the handler waits for
// something else of it, the search names the step and what was refused.
//
// # What is not controlled
//
// A consistent-hash router lists its routees in the order of a map, when it is asked for
// them or they change: a search tells that such a program does not repeat itself.
//
// The timers of package scheduler are real: take the TimerScheduler of this package,
// which has the same methods, and for the plugin for passivation the PassivationHolder. Other real
// time is not seen: time.Sleep makes a run slow, and what time.AfterFunc, or a scheduler that no
// actor keeps, sends from a goroutine of its own fails the run that is on by then. If there is none
// any more, a line on standard error says so; if the process has ended by then, nobody does.
// Dispatchers are not asked, nor is the
// throughput. A second actor system, made by actor.NewActorSystem, runs by itself; what it
// sends into this one fails the run, and what a RootContext sends to it is not seen. What an
// actor sends by a RootContext to a PID that it has made from an id is received, but whether
// somebody is there by then is not seen by Explore's reductions: take the actor's Context,
// or explore.Everything. Faults of pulse.Options strike no hosted actor.
//
// # What is known to differ
//
// The ProcessRegistry shows an entry for an actor that has stopped, until time passes, if who
// looks is an actor that cannot know of its end, or if more than 32 have stopped at one time.
//
// Dead letters, of which the next section tells, are found by fewer senders. And since
// there is no order but that of messages, there are runs that proto.actor has only if its
// actors are on different machines: of what A sends to C, and then to B, who tells C, the
// second may reach C before the first.
//
// # Dead letters
//
// In proto.actor a sender looks into a table whether the receiver has stopped: its message
// is then a dead letter, or else is dropped with the mailbox. Here the sender finds that
// out if it knows: because a message has led from the end to it, or because time has
// passed since. So which of the two happens does not depend on the order of steps that no
// message connects, and each run is one that proto.actor has too.
package protoactor
