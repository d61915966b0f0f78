// Package adapt says how to host your own runtime: how programs for another Go actor
// runtime run unchanged under jostle, in every order in which their messages can be
// received. It has no code.
//
// The folders below it host known runtimes: protoactor hosts actors of proto.actor, and
// etcdraft raft nodes of etcd. Package machine hosts nodes that are pure state machines,
// which need no adapter. For any other runtime, an adapter is a few hundred lines between
// the runtime and a pulse.Host.
//
// # How to host your own runtime
//
// The example of pulse.Host is a whole adapter for a small runtime: read it next to this
// list. Find the place where the runtime puts a message into a mailbox, and the one where
// a mailbox gives a message to an actor. Pulse stands between these two:
//
//  1. A user's test makes the runtime on a pulse.System instead of the real one, once for
//     each run, as in protoactor.New(t.System()).
//  2. Where the runtime spawns an actor, the adapter calls Host.Spawn with a pulse.Spec.
//     Its Actor is a type of the adapter, and its Name is what people call the actor.
//  3. Where the runtime sends, the adapter calls Host.Enqueue in the name of Host.Running.
//     There is no other queue: a strategy chooses which message is received next.
//  4. The Receive of that Actor has the runtime handle this one message to the end, on
//     this goroutine.
//  5. If actors can wait in the middle of a handler, the handler runs on a Host.Coroutine,
//     which parks. Host.Accept says what the actor takes meanwhile. Host.Waits gives the
//     text for it in the report of a stuck run.
//  6. Timers use Host.After and virtual time. Random decisions of the runtime, such as a
//     router's choice of a receiver, use Ctx.Choose of the Ctx of Receive.
//  7. Where an actor ends, the adapter calls Host.End.
//
// # What must hold
//
// Ids are stable. The program may see the ids of actors, requests and timers. Each
// must be the same in every run and every order. Derive it from its parent's id and
// from how many the parent made before it. A counter that all actors share depends on
// the order of steps, and so does whatever is computed from it.
//
// Nothing escapes. Nothing outside pulse decides what happens: no goroutine of the
// runtime, no channel between actors, no timer of package time, no clock and no random
// number. No global variable survives a run. A Host notices a call by a goroutine that
// does not run the step, and fails the run. An adapter with state of its own calls
// Host.Caller before it changes it. What the adapter cannot control, it refuses by
// System.Fail, with a failure of KindMisuse that says what to do instead. Otherwise its
// documentation says so.
//
// Changed handlers are reported. The step in which an actor changes its behavior matters
// for the coverage of orders and for reports of failures: call Host.HandlersChanged in
// it. An Actor that is a pulse.Placed says where the code of its behavior is.
//
// What waits is parked. A handler that blocks in any other way never ends its step, and a
// search reports it. A coroutine that is parked when the run ends is killed. Deferred
// functions of the user then run. Those of the adapter do nothing if Host.Caller returns
// pulse.CallerDying. A panic passes through Resume and through Receive, so that pulse
// names the actor. An adapter whose runtime supervises actors recovers the user's panics,
// and passes on a *pulse.Failure.
//
// Messages are all that actors share. A reduction, as in fuzz.Explore, skips orders
// of steps that no message connects. A step may also read or change what steps of
// other actors do, by a table of names or a list of subscribers. Then the adapter
// calls Host.Touch: trace.TheTest for anything like a shared variable, trace.AllSteps
// if it matters which steps came before at all. Sending, spawning or setting a timer
// in the name of an actor other than Host.Running is recorded without a Touch.
// Touches cost orders: use a message wherever one is possible.
//
// Nothing is left. When the system is closed, no goroutine of the adapter is left, and
// the memory of a run can be freed.
//
// # How to test it
//
// Package adapttest runs programs of its own on an adapter and on pulse. It reports which
// of these rules does not hold, in which program, and what to do:
//
//	if err := (adapttest.Adapter{New: newRuntime}).Test(); err != nil {
//		t.Fatal(err)
//	}
//
// The adapter's own tests cover what a runtime has in addition to spawning, sending,
// answering and stopping. To test that a reduction skips nothing that matters, explore a
// program also with explore.Everything: the outcomes must be the same.
package adapt
