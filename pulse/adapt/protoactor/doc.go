// Package protoactor runs programs written for proto.actor (github.com/asynkron/protoactor-go)
// under jostle. Actors and props stay unchanged. Jostle chooses the order in which messages are
// received.
//
// A test gets its actor system from New instead of actor.NewActorSystem, and uses the system in
// the same way. Run runs the steps:
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
// Each received message is one step. This includes the system messages by which proto.actor
// starts, stops, restarts and watches actors. In a step, proto.actor's own code handles the
// message. Messages from one actor to another keep their order, except that system messages may
// overtake user messages, as in proto.actor. For example, Stop may come before messages that
// wait in the mailbox, and Terminated before messages that the stopped actor sent. Only messages
// order the steps of different actors, as if all actors were on different machines.
//
// # What is controlled
//
// Spawning, children, Send, Request, Respond, Forward, Watch, Stop, Poison, supervision by all
// strategies of proto.actor and of the user, Behavior, Stash, middleware for receivers, senders
// and spawning, decorators of contexts, the event stream, dead letters, and persistence with the
// in-memory provider.
//
// Futures: an actor that waits for a future, by Result or Wait, is parked in the middle of its
// handler. While parked, it receives only messages that concern futures, such as answers and
// timeouts. If the test waits for a future, the actors take steps meanwhile. PipeTo and
// ReenterAfter are supported. An answer is a message to the actor that made the future, and may
// overtake other messages from the same sender. If the future is piped to another actor, the
// answer may arrive in the middle of a handler, before the handler sends anything to that actor.
//
// Time is virtual for futures of an actor's Context, for SetReceiveTimeout, and for the
// exponential back-off strategy, which here adds no random nanoseconds. Strategies that count
// failures within a period use virtual time. The package cannot read the timeout of a future
// that a RootContext or actor.NewFuture makes. It uses ten seconds, as proto.actor does for
// StopFuture.
//
// Routers take steps like actors: a router receives a message in one step and sends it on. The
// search strategy chooses the routee of a random router.
//
// Ids do not depend on the order of steps. Each actor numbers its own children: $1, $2.
//
// # Tests that sleep or wait
//
// Actors take steps only in Run, in RunFor, and while the test waits for a future. Change a test
// that was written for real time as follows:
//
//   - time.Sleep(d) becomes sys.RunFor(d), which runs all steps of the next d of virtual time.
//   - WaitGroup.Wait, or a receive from a channel that an actor sends to, becomes sys.Run(),
//     which returns when nothing is left to do. Waiting before sys.Run would never end. After
//     sys.Run, WaitGroup.Wait returns at once, and len(ch) shows how many messages came. An
//     actor may send only to a channel with free buffer space.
//   - A loop that polls becomes sys.Run() and one check.
//   - A test in stages calls Run or RunFor after each stage. Messages of the next stage then
//     come after all steps of the earlier stages. Without Run in between, the stages race.
//
// Run returns when nothing is left to do. With a timer that repeats forever, use RunFor, which
// returns when its virtual time is over. Use props.T.Always for conditions that must hold after
// each step.
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
// A panic goes to the supervisor that the user chose by WithSupervisor or WithGuardian, or to a
// parent that is itself a SupervisorStrategy. Without such a supervisor the run fails, because
// proto.actor would restart the actor and thereby hide the bug. Set Config.Restarts to allow
// these restarts.
//
// # What is refused
//
// The following fail the run, with a message that says what to do instead:
//
//   - a message, an answer, a spawn or a wait for a future in a goroutine that is neither the
//     test's nor an actor's;
//   - a mailbox that is bounded or reorders messages;
//   - a RootContext that the test made without SpawnMiddleware;
//   - a message from an actor's Context to another actor system;
//   - a remote or a cluster;
//   - pulse.Options.Isolation, since proto.actor writes into PIDs;
//   - an actor with a field that holds a real timer of proto.actor, from package scheduler or
//     from the passivation plugin.
//
// If another goroutine waits for a future, that goroutine ends with runtime.Goexit, so that its
// deferred functions run. A handler that blocks on anything but a future, or waits for such a
// goroutine, never ends its step. The search reports that step and the refused call.
//
// # What is not controlled
//
// A consistent-hash router lists its routees in map order, both when the routees change and when
// a message asks for them. A search reports that such a program is not deterministic.
//
// The timers of package scheduler are real: use the TimerScheduler of this package, which has
// the same methods. For the passivation plugin, use PassivationHolder.
//
// Other real time is not controlled. time.Sleep makes a run slow. If time.AfterFunc, or a
// scheduler that is no actor's field, sends from its own goroutine, the current run fails. If no
// run is current, a line on standard error says so.
//
// Dispatchers and the throughput setting have no effect. A second actor system, made by
// actor.NewActorSystem, is not controlled. Its messages to this system fail the run. Messages
// that a RootContext sends to it are not seen. An actor may use a RootContext to send to a PID
// that it made from an id. Explore's reductions then miss that the result depends on whether
// that actor exists yet: use the actor's Context, or explore.Everything. Faults of pulse.Options
// do not affect hosted actors.
//
// # Known differences
//
// The ProcessRegistry may show an entry for a stopped actor until virtual time passes. This
// happens if no message has told the calling actor of the stop, or if more than 32 actors
// stopped at the same virtual time.
//
// Fewer messages become dead letters, see below. Because only messages order steps, some runs
// are possible in proto.actor only if the actors are on different machines. Suppose that A sends
// to C, and then to B, which sends to C. B's message to C may come before A's.
//
// # Dead letters
//
// In proto.actor a sender looks up in a table whether the receiver has stopped. If so, the
// message becomes a dead letter. Otherwise the message is dropped with the mailbox. Here the
// sender finds the receiver stopped only if a chain of messages leads from the stop to the
// sender, or if virtual time has passed since the stop. Therefore the result does not depend on
// the order of steps that no message connects. Each of these runs is also possible in
// proto.actor.
package protoactor
