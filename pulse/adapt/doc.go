// Package adapt says how to host your own runtime: how programs that are written for
// another actor runtime, in Go, run unchanged under jostle, in every order in which their
// messages can be received. It has no code.
//
// Folders below it host what is known: protoactor the actors of proto.actor, etcdraft the
// raft nodes of etcd. For nodes that are pure state machines there is machine, which needs
// no adapter. For all else, an adapter is a few hundred lines between the runtime and a
// pulse.Host.
//
// # How to host your own runtime
//
// The example of pulse.Host is a whole adapter for a small runtime: read it beside this
// list. Find the place where the runtime puts a message into a mailbox, and the one where
// a mailbox gives a message to an actor. Between these two stands pulse:
//
//  1. A user's test makes the runtime on a pulse.System in place of the real one, once for
//     each run, as in protoactor.New(t.System()).
//  2. Where the runtime spawns an actor, the adapter calls Host.Spawn, with a pulse.Spec
//     whose Actor is of the adapter's own and whose Name is what people call the actor.
//  3. Where it sends, the adapter calls Host.Enqueue in the name of Host.Running. There is no
//     other queue: which message is received next is for a strategy to choose.
//  4. In the Receive of that Actor the adapter has the runtime handle this one message, on
//     this goroutine, to the end.
//  5. If actors can wait in the middle of a handler, it runs on a Host.Coroutine, which
//     parks. Host.Accept says what it takes meanwhile, and Host.Waits in which words the
//     report of a stuck run tells of it.
//  6. Timers are Host.After, by virtual time; what the runtime decides by random
//     numbers, such as to whom a router sends, is Ctx.Choose, of the Ctx of Receive.
//  7. Where an actor ends, the adapter calls Host.End.
//
// # What must hold
//
// Ids are stable. What the runtime calls an actor, a request or a timer, if the program
// can see it, is the same in every run and in every order: made of its parent's id and of
// how many the parent made before it. A counter that all actors share differs with the
// order of steps, and so does whatever is computed from it.
//
// Nothing escapes. No goroutine of the runtime's own, no channel between actors, no timer
// of package time, no clock and no random number decides what happens; no global variable
// lives on from one run to the next. A Host notices a call by a goroutine that does not
// run the step, and fails the run. An adapter that keeps things of its own asks
// Host.Caller before it touches them. What cannot be controlled is refused, by System.Fail
// with a failure of KindMisuse that says what to do instead, or else is told in the
// adapter's documents.
//
// Changed handlers are told. In which step an actor went over to another behaviour counts
// where orders are covered and failures are shown: Host.HandlersChanged tells of it. An
// Actor that is a pulse.Placed says where the code of its behaviour is.
//
// What waits is parked. A handler that blocks in any other way never ends its step, and a
// search names it. A coroutine that is parked when the run ends is killed: deferred
// functions of the user's run, and those of the adapter ask Host.Caller for
// pulse.CallerDying, to do nothing then. A panic goes through Resume and through Receive,
// so that pulse names the actor; an adapter whose runtime supervises recovers what is the
// user's, and lets pass on a *pulse.Failure.
//
// Messages are all that actors have in common. A reduction, as in fuzz.Explore, leaves
// out orders of steps that no message connects. So if a step reads or changes what steps of
// other actors do, by a table of names or a list of subscribers, it tells Host.Touch:
// trace.TheTest for what is like a variable that some share, trace.AllSteps where it
// matters which steps came before at all. To send, to spawn or to set a timer in the name
// of an actor other than Host.Running is told by itself. Touches cost orders: what could be
// a message should be one.
//
// Nothing is left. When the system is closed there is no goroutine of the adapter's, and a
// run's memory can be freed.
//
// # How to test it
//
// Package adapttest runs programs of its own on an adapter and on pulse, and says which of
// this does not hold, in which program, and what to do:
//
//	if err := (adapttest.Adapter{New: newRuntime}).Test(); err != nil {
//		t.Fatal(err)
//	}
//
// What a runtime has beside spawning, sending, answering and stopping is for tests of
// the adapter's own. That a reduction leaves out nothing shows when a program is explored
// by explore.Everything too, and comes to the same.
package adapt
