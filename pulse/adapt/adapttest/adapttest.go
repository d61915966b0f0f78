// Package adapttest tests an adapter: that actors of another runtime, which are hosted
// by a pulse.Host, take their steps as actors of package pulse do.
//
// The author of an adapter says how his runtime spawns and sends, and calls Test:
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
// Test runs five programs on the runtime: senders, pingpong, pi, family and philosophers,
// and a sixth, askers, if its Contexts are Askers. It runs them by chance, and
// in every distinct order, and holds them against the same programs for processes of
// package pulse. How to write an adapter says package adapt.
//
// # Rules
//
// The error of Test names each rule that is broken, the first program that shows it, and
// what to do:
//
//   - steps: a handler is called in a step of its own actor, once in each step, and not
//     before the last call of it has returned.
//   - runs: no run fails.
//   - names: the actor that takes a step has in the trace the name that it was given.
//   - delivery: each message is received once, by the actor that it was sent to, and the
//     messages from one actor to another come in the order of sending.
//   - ids: an actor's address has the same text in every run.
//   - replay: the same decisions make the same run, byte for byte.
//   - orders: the distinct orders are those that the program for pulse has, and as many.
//   - handlers: the step in which an actor changes its behaviour says so, if Contexts are
//     Becomers.
//   - panics: a handler that panics fails the run, and the failure names the actor.
//   - stuck: the report of a run that cannot go on names the actors that wait.
//   - foreign: a message that a goroutine of the user's sends fails the run. The handler
//     waits for that goroutine: if the adapter has it wait for the end of the step, Test does
//     not return, and where both wait is in what go test -timeout prints.
//   - goroutines: when its systems are closed, the adapter has left none.
//
// What a runtime has beside these operations, such as timers, supervision and names that
// are looked up, is for the author's own tests.
package adapttest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse"
)

// An Adapter is what is tested.
type Adapter struct {
	// New makes the runtime in a system, as a test of its users does, for one run. The
	// system is new or was reset.
	New func(sys *pulse.System) Runtime
	// Blind says that the adapter does not notice a message that is sent by a goroutine
	// of the user's, or has that goroutine wait: none is sent then. The adapter's documents
	// should tell.
	Blind bool
	// Seeds is how many runs by chance are made of each program, and as many of all its
	// orders; zero means 100. All distinct orders are run in any case.
	Seeds int
}

// A Runtime is what the test itself does by the adapter: it starts actors and sends
// them messages, between steps.
type Runtime interface {
	// Spawn starts an actor with a name that no other actor of the run has, and returns
	// its address. The handler is called for each message that Send has sent, and for
	// nothing else that the runtime tells its actors.
	Spawn(name string, handler Handler) Address
	// Send sends a message to an address.
	Send(to Address, msg string)
}

// An Address is what the runtime sends to: its own reference, identifier or handle.
type Address any

// A Handler is the code of an actor.
type Handler func(ctx Context, msg string)

// A Context is what an actor does by the runtime. Spawn and Send are in its own name;
// what it spawns is its child, if the runtime has children.
type Context interface {
	Runtime
	// Sender returns where the answer goes to the message that is being received. It is
	// asked within the call of the handler, and is good after that too.
	Sender() Address
	// Stop ends the actor. It is called as the last thing that a handler does, when no
	// message is on its way to the actor.
	Stop()
}

// An Asker is a Context of a runtime whose actors can wait in the middle of a handler.
type Asker interface {
	Context
	// Ask sends a message, waits for what is sent to the Sender of that message, and
	// returns it. The actor receives nothing else until then.
	Ask(to Address, msg string) string
}

// A Becomer is a Context of a runtime whose actors can change their behaviour.
type Becomer interface {
	Context
	// Become has another handler called for the messages that come after this one.
	Become(handler Handler)
}

// Test returns an error that lists the rules that the adapter breaks, and nil if it
// breaks none.
func (a Adapter) Test() error {
	switch {
	case a.New == nil:
		return errors.New("adapttest: Adapter.New is nil: it makes the runtime that is tested")
	case a.Seeds < 0:
		return fmt.Errorf("adapttest: Adapter.Seeds is %d: give it a number from 1 on, or zero for 100", a.Seeds)
	case a.makesNone():
		return errors.New("adapttest: Adapter.New has returned nil: it makes the runtime that is tested")
	}
	s := &suite{adapter: a, seeds: cmp.Or(a.Seeds, 100), broken: map[rule]string{}, ids: map[string]string{}}
	for s.mark = fmt.Sprintf("%p", s); labelled(s.mark) != ""; { // by a suite that stood there before
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

// A rule is one thing that adapters must hold.
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

// rules are all of them with what to do about each, in the order in which they are told:
// those first of which the others follow.
var rules = []struct {
	rule
	do string
}{
	{steps, "Give each message to Host.Enqueue, and call the handler in the Receive of its actor, for the message that Receive was given. An actor that waits in a handler is parked in a Host.Coroutine, and limits what it takes by Host.Accept."},
	{runs, "The programs have no bug: look at what the run fails with. Of one run nothing is good for the next, neither the runtime nor its addresses."},
	{names, "Spawn a pulse.Spec whose Name is the actor's own for each actor of the runtime."},
	{delivery, "Call the handler for the message that Receive was given and for no other, once. Host.Enqueue keeps the order from one actor to another, if the first argument is who sends."},
	{ids, "Make an address from its parent's and from how many children that had before, not from a counter that all share, a clock, a pointer or a random number."},
	{replay, "Let nothing decide what happens but pulse: no order of a map, no clock, no random number, no goroutine, and nothing that is kept from one run to the next."},
	{orders, "Enqueue each message when it is sent, in the name of who sends, and handle the one that Receive was given: no queue of the runtime's own decides what comes next, and no message of its own races with those of the user. What waits for an answer takes that answer and nothing else. Touch only what steps of several actors read or change without a message."},
	{handlers, "Call Host.HandlersChanged in the step in which an actor changes its behaviour, and in no other."},
	{panics, "Let a panic of a handler go on to pulse, or end the run by System.Fail with a failure of KindPanic."},
	{stuck, "Limit what a waiting actor takes by Host.Accept, and say by Host.Waits what it waits for; take both away when it goes on."},
	{foreign, "Call the Host on the goroutine that sends: it knows whose step is running. Else set Adapter.Blind, and tell it to the users of the adapter."},
	{goroutines, "Use Host.Coroutine in place of goroutines, and start no other: those of a Host end with the run."},
}

// A suite is one call of Test.
type suite struct {
	adapter Adapter
	seeds   int
	broken  map[rule]string   // the first that shows each
	ids     map[string]string // by program and actor
	mark    string            // of the goroutines that it starts
	asks    bool              // the runtime's actors can wait
	becomes bool              // and change their behaviour
}

// run goes through all programs, up to the first that shows a broken rule: what comes
// after mostly follows from that.
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

// breaks notes that a rule is broken, unless that is known. It returns false.
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

// err returns all that is broken.
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
