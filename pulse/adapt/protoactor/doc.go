// Package protoactor runs programs that are written for proto.actor
// (github.com/asynkron/protoactor-go) under jostle: unchanged actors and props, in
// every order in which their messages can be received.
//
// A test gets its actor system from New instead of actor.NewActorSystem, and uses it in the
// same way. Run takes the steps:
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
// Each message that an actor receives is a step of its own: the user's messages, and the
// system messages of proto.actor, by which actors start, stop, restart and are watched. In a
// step, proto.actor's own code runs. Messages from one actor to another keep their order,
// except that system messages may overtake the user's, as in proto.actor. Stop comes before
// what waits in the mailbox, and Terminated before what the stopped actor had sent. Only
// messages order the steps of different actors, as if all actors were on different machines.
//
// # What is controlled
//
// Spawning, children, Send, Request, Respond, Forward, Watch, Stop, Poison, supervision
// by all of proto.actor's strategies and by the user's own, Behavior, Stash,
// middleware for receivers, senders and spawning, decorators of contexts, the event
// stream, dead letters, and persistence with the provider in memory.
//
// Futures: an actor that waits for one, by Result or Wait, is parked in the middle of
// its handler. Until then it receives only what fulfills futures. If the test waits,
// the actors take steps meanwhile. PipeTo and ReenterAfter work as well. An answer is
// a message to the actor that made the future, and may overtake other messages of its
// sender to that actor. If the future is piped to another actor, the answer may come
// in the middle of a handler, before the handler sends anything to that actor.
//
// Time is virtual for futures of an actor's Context, for SetReceiveTimeout, and for
// the exponential back-off strategy, which here adds no random nanoseconds.
// Strategies that count failures within a time count virtual time. The timeout of a
// future of a RootContext or of actor.NewFuture cannot be read. It is ten seconds, as
// proto.actor has it for StopFuture.
//
// Routers take steps like actors: they receive a message and then send it on. The strategy
// chooses the routee of a random router.
//
// An actor's ids are the same in every order. Each actor numbers its own children: $1, $2.
//
// # Tests that sleep or wait
//
// Actors take their steps only in Run, RunFor, and while the test waits for a future. Change
// a test that was written for real time as follows:
//
//   - time.Sleep(d) becomes sys.RunFor(d): the actors take all their steps of that virtual time.
//   - WaitGroup.Wait, or a receive from a channel that an actor sends to, becomes sys.Run(),
//     which returns when there is nothing left to do. Before sys.Run the wait would never end.
//     After it, the wait returns at once, or a check such as len(ch) shows what is missing. An
//     actor may send only to a channel that has room.
//   - A loop that polls becomes sys.Run() and one check.
//   - A test in stages calls Run, or RunFor, after each. What it sends next then comes after all
//     steps of the stages before. Without Run in between they race.
//
// Run returns when nothing is left to do. With a timer that repeats forever, use RunFor, which
// returns at a time. Use props.T.Always for what must hold after each step.
//
// To configure the actor system by an actor.Config, as with actor.NewActorSystemWithConfig, use
// an option. Keep the logger of New, which writes into the trace:
//
//	protoactor.New(sys, func(c *actor.Config) {
//		logger := c.LoggerFactory
//		*c = *config
//		c.LoggerFactory = logger
//	})
//
// # Panics
//
// A panic goes to the supervisor that the user chose: by WithSupervisor, by WithGuardian, or
// because the parent is a SupervisorStrategy itself. If there is none, the run fails:
// proto.actor would restart the actor, which hides the bug. Config.Restarts lets it do so.
//
// # What is refused
//
// These fail the run, with a text that says what to do instead:
//
//   - a message, an answer, a spawn or a wait for a future by a goroutine that is neither the
//     test's nor an actor's;
//   - a mailbox with another order or with a bound;
//   - a RootContext of the test's own without SpawnMiddleware;
//   - a message of an actor's Context to another actor system;
//   - a remote or a cluster;
//   - pulse.Options.Isolation, since proto.actor writes into PIDs;
//   - an actor that keeps a real timer of proto.actor: of package scheduler, or of the plugin
//     for passivation.
//
// A goroutine that waits for a future ends by runtime.Goexit, so that its deferred functions
// run. A handler that blocks other than in a future, or waits for such a goroutine, never ends
// its step. The search names that step, and what was refused.
//
// # What is not controlled
//
// A consistent-hash router lists its routees in map order, when it is asked for them or they
// change: a search reports that such a program does not repeat itself.
//
// The timers of package scheduler are real: use the TimerScheduler of this package, which has
// the same methods. Use the PassivationHolder for the plugin for passivation.
//
// Other real time is not controlled. time.Sleep makes a run slow. If time.AfterFunc, or a
// scheduler that no actor keeps, sends from its own goroutine, the run that is current then
// fails. If there is none any more, a line on standard error says so. After the process has
// ended, nothing does.
//
// Dispatchers and the throughput have no effect. A second actor system, made by
// actor.NewActorSystem, runs by itself: what it sends to this one fails the run, and what a
// RootContext sends to it is not seen. An actor may send by a RootContext to a PID that it made
// from an id. But Explore's reductions do not see whether an actor has that id by then: use the
// actor's Context, or explore.Everything. Faults of pulse.Options do not affect hosted actors.
//
// # Known differences
//
// The ProcessRegistry may show an entry for an actor that has stopped, until time passes. It
// does so if the caller is an actor that cannot know of the end, or if more than 32 actors
// stopped at one time.
//
// Fewer senders meet dead letters, see below. And since only messages order steps, there are
// runs that proto.actor has only with actors on different machines. Suppose that A sends to C,
// and then to B, which sends to C. The second message to C may come before the first.
//
// # Dead letters
//
// In proto.actor a sender looks up in a table whether the receiver has stopped. If so, the
// message is a dead letter; else it is dropped with the mailbox. Here the sender finds the
// receiver stopped only if it knows: a message has led from the end to it, or time has passed
// since. So the outcome does not depend on the order of steps that no message connects, and
// proto.actor has each of these runs, too.
package protoactor
