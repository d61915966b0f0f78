// Package adapttest explains how to write an adapter for an actor runtime, and tests the
// adapter. Programs for that Go runtime then run unchanged under jostle, in every order in
// which their messages can be received.
//
// The folders next to this one contain adapters for known runtimes: protoactor hosts actors
// of proto.actor, and etcdraft hosts raft nodes of etcd. Package machine hosts nodes that
// are pure state machines, which need no adapter. For any other runtime, an adapter is a few
// hundred lines between the runtime and a pulse.Host.
//
// # How to write an adapter
//
// The example of pulse.Host is a complete adapter for a small runtime: read it next to this
// list. Find the code that puts a message into a mailbox, and the code that takes a message
// from a mailbox for an actor. Pulse stands between these two:
//
//  1. A user's test makes the runtime on a pulse.System instead of the real one, once for
//     each run, as in protoactor.New(t.System()).
//  2. When the runtime spawns an actor, the adapter calls Host.Spawn with a pulse.Spec.
//     Its Actor is a type of the adapter, and its Name is what people call the actor.
//  3. When the runtime sends, the adapter calls Host.Enqueue in the name of Host.Running.
//     There is no other queue: a strategy chooses which message is received next.
//  4. The Receive of that Actor has the runtime handle this one message to the end, on
//     this goroutine.
//  5. If actors can wait in the middle of a handler, the handler runs on a Host.Coroutine,
//     which parks. Host.Accept says what the actor takes meanwhile. Host.Waits gives the
//     text for it in the report of a stuck run.
//  6. Timers use Host.After and virtual time. Random decisions of the runtime, such as a
//     router's choice of a receiver, use Ctx.Choose of the Ctx of Receive.
//  7. When an actor ends, the adapter calls Host.End.
//
// # What must hold
//
// Ids are stable. The program may see the ids of actors, requests and timers. Each id must
// be the same in every run and every order. Derive an id from its parent's id and from the
// number of ids that the parent made before. A counter that all actors share depends on the
// order of steps, and so does every id computed from it.
//
// Nothing escapes. Nothing outside pulse decides what happens: no goroutine of the runtime,
// no channel between actors, no timer of package time, no clock and no random number. No
// global variable survives a run. A Host notices a call by a goroutine that does not run the
// step, and fails the run. An adapter that has its own state calls Host.Caller before
// changing that state. The adapter refuses what it cannot control by System.Fail, with a
// failure of KindMisuse that says what to do instead. Otherwise its documentation names what
// is not controlled.
//
// Changed handlers are reported. The step in which an actor changes its behavior matters for
// the coverage of orders and for reports of failures. Call Host.HandlersChanged in that
// step. An Actor that is a pulse.Placed says where the code of its behavior is.
//
// Waiting actors are parked. A handler that blocks in any other way never ends its step, and
// a search reports the step. A coroutine that is parked when the run ends is killed.
// Deferred functions of the user then run. Deferred functions of the adapter do nothing if
// Host.Caller returns pulse.CallerDying. A panic passes through Resume and through Receive,
// so that pulse names the actor. An adapter whose runtime supervises actors recovers the
// user's panics, and passes on a *pulse.Failure.
//
// Messages are all that actors share. A reduction, as in fuzz.Explore, skips orders of steps
// that no message connects. A step may also access state that steps of other actors use,
// such as a table of names or a list of subscribers. Then the adapter calls Host.Touch: with
// trace.TheTest for anything like a shared variable, with trace.AllSteps if all earlier
// steps matter. Sending, spawning or setting a timer in the name of an actor other than
// Host.Running is recorded without a Touch. Each Touch adds orders to explore: use a message
// wherever one is possible.
//
// Nothing is left. When the system is closed, no goroutine of the adapter remains, and the
// memory of a run can be freed.
//
// # How to test it
//
// Say how the runtime spawns and sends, and call Test:
//
//	func TestAdapter(t *testing.T) {
//		adapter := adapttest.Adapter{New: func(sys *pulse.System) adapttest.Runtime {
//			return &bridge{myadapter.New(sys)}
//		}}
//		if err := adapter.Test(); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// Test runs five programs on the runtime: senders, pingpong, pi, family and philosophers. A
// sixth, askers, runs if the runtime's Contexts are Askers. Test runs each program in random
// orders and in every distinct order, and compares it with the same program for processes of
// package pulse. The error of Test names each broken rule, the first program that breaks it,
// and what to do:
//
//   - steps: a handler is called in a step of its own actor, once in each step, and not
//     before its previous call has returned.
//   - runs: no run fails.
//   - names: in the trace, the actor of a step has the name given to Spawn.
//   - delivery: each message is received once, by the actor it was sent to. Messages from
//     one actor to another come in the order of sending.
//   - ids: an actor's address has the same text in every run.
//   - replay: the same decisions lead to the same run, byte for byte.
//   - orders: the program has the same distinct orders as with processes of package pulse.
//   - handlers: the step in which an actor changes its behavior is marked, if Contexts are
//     Becomers.
//   - panics: a handler that panics fails the run, and the failure names the actor.
//   - stuck: the report of a stuck run names the actors that wait.
//   - foreign: a message that a user's goroutine sends fails the run. The handler waits for
//     that goroutine. If the adapter makes the goroutine wait for the end of the step, Test
//     does not return, and go test -timeout prints where both wait.
//   - goroutines: when all systems are closed, no goroutine of the adapter remains.
//
// The adapter's own tests cover everything else, such as timers, supervision and lookups
// of names. To test that a reduction skips nothing that matters, explore a program also
// with explore.Everything: the outcomes must be the same.
package adapttest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse"
)

// An Adapter describes the adapter to test.
type Adapter struct {
	// New makes a runtime on the given system, for one run. The system is new or was
	// reset.
	New func(sys *pulse.System) Runtime
	// Blind is set if the adapter does not notice a message that a user's goroutine sends,
	// or makes that goroutine wait. Test then sends no such message. The adapter's
	// documentation should mention this.
	Blind bool
	// Seeds is the number of random runs of each program, and the maximum number of runs
	// when its orders are enumerated without a reduction. Zero means 100. The enumeration
	// with a reduction has no limit.
	Seeds int
}

// A Runtime lets the test start actors and send them messages through the adapter, between
// steps.
type Runtime interface {
	// Spawn starts an actor and returns its address. No other actor of the run has the same
	// name. The handler is called for each message that Send has sent, and for no other
	// message of the runtime.
	Spawn(name string, handler Handler) Address
	// Send sends a message to an address.
	Send(to Address, msg string)
}

// An Address is the runtime's own reference, identifier or handle of an actor.
type Address any

// A Handler is the code of an actor.
type Handler func(ctx Context, msg string)

// A Context lets an actor act through the runtime. Spawn and Send act in the name of that
// actor. A spawned actor is its child, if the runtime has children.
type Context interface {
	Runtime
	// Sender returns the address for answers to the current message. It is called within the
	// handler, and the address stays valid after that.
	Sender() Address
	// Stop ends the actor. It is the last call in a handler, at a time when no message to
	// the actor is in transit.
	Stop()
}

// An Asker is a Context of a runtime whose actors can wait in the middle of a handler.
type Asker interface {
	Context
	// Ask sends a message, waits for an answer to the asking actor, and returns the answer.
	// Until then the actor receives nothing else.
	Ask(to Address, msg string) string
}

// A Becomer is a Context of a runtime whose actors can change their behavior.
type Becomer interface {
	Context
	// Become sets the handler for the messages after the current message.
	Become(handler Handler)
}

// Test returns an error that lists the rules that the adapter breaks, nil if there
// are none.
func (a Adapter) Test() error {
	switch {
	case a.New == nil:
		return errors.New("adapttest: Adapter.New is nil: set it to a function that makes the runtime")
	case a.Seeds < 0:
		return fmt.Errorf("adapttest: Adapter.Seeds is %d: use a number of at least 1, or zero for 100", a.Seeds)
	case a.makesNone():
		return errors.New("adapttest: Adapter.New has returned nil: return the runtime to test")
	}
	s := &suite{adapter: a, seeds: cmp.Or(a.Seeds, 100), broken: map[rule]string{}, ids: map[string]string{}}
	for s.mark = fmt.Sprintf("%p", s); labelled(s.mark) != ""; { // an earlier suite had the same address, and its goroutines still have the mark
		s.mark += "+"
	}
	s.run()
	return s.err()
}

// makesNone reports whether New makes no runtime.
func (a Adapter) makesNone() bool {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	return a.New(sys) == nil
}

// A rule is the name of a rule that adapters must follow.
type rule string

const (
	steps      rule = "steps"
	runs       rule = "runs"
	names      rule = "names"
	delivery   rule = "delivery"
	ids        rule = "ids"
	replay     rule = "replay"
	orders     rule = "orders"
	handlers   rule = "handlers"
	panics     rule = "panics"
	stuck      rule = "stuck"
	foreign    rule = "foreign"
	goroutines rule = "goroutines"
)

// rules lists all rules for adapters, with advice for each. If one rule depends on another,
// it comes after that rule.
var rules = []struct {
	rule
	do string
}{
	{steps, "Give each message to Host.Enqueue, and call the handler in the Receive of its actor, for the message that Receive was given. An actor that waits in a handler is parked in a Host.Coroutine, and limits what it takes by Host.Accept."},
	{runs, "The programs have no bug: check what the run fails with. Use nothing of one run in the next, neither the runtime nor its addresses."},
	{names, "Spawn a pulse.Spec whose Name is the actor's own for each actor of the runtime."},
	{delivery, "Call the handler for the message that Receive was given and for no other, once. Host.Enqueue keeps the order from one actor to another, if its first argument is the sender."},
	{ids, "Derive an address from the parent's address and from how many children the parent had before, not from a shared counter, a clock, a pointer or a random number."},
	{replay, "Let nothing but pulse decide what happens: no map order, no clock, no random number, no goroutine, and nothing that is kept from one run to the next."},
	{orders, "Enqueue each message when it is sent, in the name of its sender, and handle the one that Receive was given. No queue of the runtime may decide what comes next, and no message of the runtime may race with the user's. An actor that waits for an answer takes only that answer. Touch only what steps of several actors read or change without a message."},
	{handlers, "Call Host.HandlersChanged in the step in which an actor changes its behavior, and in no other."},
	{panics, "Pass a panic of a handler on to pulse, or end the run by System.Fail with a failure of KindPanic."},
	{stuck, "Limit what a waiting actor takes by Host.Accept, and say by Host.Waits what it waits for; undo both when it continues."},
	{foreign, "Call the Host on the goroutine that sends: it knows whose step is running. Otherwise set Adapter.Blind, and say so in the adapter's documentation."},
	{goroutines, "Use Host.Coroutine instead of goroutines, and start no others: those of a Host end with the run."},
}

// A suite is one call of Test.
type suite struct {
	adapter Adapter
	seeds   int
	broken  map[rule]string   // the first violation of each broken rule
	ids     map[string]string // the text of an actor's address, by program and actor
	mark    string            // the label of all goroutines that the suite starts
	asks    bool              // the runtime's actors can wait
	becomes bool              // the runtime's actors can change their behavior
}

// run runs all programs until one breaks a rule, because later violations mostly follow from
// the first.
func (s *suite) run() {
	for _, p := range programs() {
		if p.asks && !s.asks {
			continue
		}
		var seen map[string]string
		if !s.watch(func() { seen = s.chance(p) }) || !s.watch(func() { s.allOrders(p, seen) }) {
			break
		}
	}
	if s.broken[steps]+s.broken[runs]+s.broken[names]+s.broken[delivery] == "" {
		s.watch(func() {
			s.handlers()
			s.panics()
			s.stuck()
			s.foreign()
		})
	}
}

// breaks records that a rule is broken, unless a violation of the rule is already
// recorded. It returns false in any case.
func (s *suite) breaks(r rule, program, format string, args ...any) bool {
	if s.broken[r] != "" {
		return false
	}
	s.broken[r] = fmt.Sprintf(format, args...)
	if program != "" {
		s.broken[r] = "in program " + program + ", " + s.broken[r]
	}
	return false
}

// err returns an error that lists all broken rules, nil if there are none.
func (s *suite) err() error {
	var list []string
	for _, r := range rules {
		if text, is := s.broken[r.rule]; is {
			list = append(list, fmt.Sprintf("%s: %s\n    %s", r.rule, text, r.do))
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		list = slices.Insert(list, 0, "adapttest: the adapter breaks a rule")
	default:
		list = slices.Insert(list, 0, fmt.Sprintf("adapttest: the adapter breaks %d rules", len(list)))
	}
	return errors.New(strings.Join(list, "\n"))
}
