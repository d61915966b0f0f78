package pulse

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Actor receives messages one at a time. Receive runs to its end before
// anything else happens; it must not block.
type Actor interface {
	Receive(ctx *Ctx, msg any)
}

// Func is an actor that is only a function.
type Func func(ctx *Ctx, msg any)

// Receive calls f.
func (f Func) Receive(ctx *Ctx, msg any) { f(ctx, msg) }

// A Ref is where messages are sent. The zero Ref is nobody. References can be
// compared, put into messages and used as keys of maps.
type Ref struct {
	sys   *System
	run   int32
	actor int32
	ask   int32 // the Ask that a message to this reference answers; 0 for none
}

// String returns the actor's name as traces and failures show it.
func (r Ref) String() string {
	if r.sys == nil {
		return "nobody"
	}
	r.looked(trace.ItsName)
	return r.sys.nameOf(r)
}

// IsZero reports whether r is nobody.
func (r Ref) IsZero() bool { return r.sys == nil }

// Actor returns the plain reference of the actor. The reference to the sender
// of an Ask also holds which Ask an answer is for, and so is not equal to it.
func (r Ref) Actor() Ref {
	r.ask = 0
	return r
}

// Index returns the place of the actor in the order of spawning, as traces
// count it.
func (r Ref) Index() int {
	if r.sys != nil {
		r.looked(trace.ItsPlace)
	}
	return int(r.actor)
}

// looked notes that the running step depends on the order in which steps have
// spawned actors.
func (r Ref) looked(what trace.Touched) {
	if s := r.sys; r.run == s.run && s.rec.on && s.calls.running && s.calls.mine() {
		s.rec.look(r.actor, what)
	}
}

// A Spec describes an actor that is to be spawned. Spawn and Go are short for
// the common cases.
type Spec struct {
	// Name is a label for people. It need not be unique.
	Name string
	// Actor handles the messages. It may be nil when New or Process is set.
	Actor Actor
	// New makes the actor, now and at each restart that loses the state.
	New func() Actor
	// Process makes the actor a process that runs this function.
	Process func(*Process)
	// OnPanic is what follows when the actor panics.
	OnPanic Directive
	// Restarts is how many restarts a panicking actor is allowed before its
	// panic is escalated; zero means 10.
	Restarts int
	// Safe keeps the faults of Options away from the actor and from its messages.
	// A Nemesis strikes it all the same.
	Safe bool
	// Mailbox is how many messages may wait for the actor, zero for any number. A
	// message waits from when it is sent, also by the test, until it is received.
	// Timers, Downs, answers to an Ask and whatever starts or ends the actor have
	// room always, and take none.
	Mailbox int
	// OnFull is what follows when a message finds the mailbox full.
	OnFull Overflow
}

// refusal returns what is wrong with the numbers of a Spec, "" when nothing is.
func (spec *Spec) refusal() string {
	switch {
	case spec.OnPanic > OnPanicEscalate:
		return fmt.Sprintf("Spec.OnPanic is %d, which is no Directive", spec.OnPanic)
	case spec.Restarts < 0:
		return negative("Spec.Restarts", spec.Restarts, "the default")
	case spec.Mailbox < 0:
		return negative("Spec.Mailbox", spec.Mailbox, "no bound")
	case spec.OnFull > OnFullFail:
		return fmt.Sprintf("Spec.OnFull is %d, which is no Overflow", spec.OnFull)
	case spec.OnFull != OnFullDropNewest && spec.Mailbox == 0:
		return "Spec.OnFull is set, and Spec.Mailbox is zero: a mailbox without a bound is never full"
	}
	return ""
}

// An Overflow is what follows when a message is sent to an actor whose mailbox is
// full. Its sender is told nothing.
type Overflow uint8

const (
	// OnFullDropNewest loses the message.
	OnFullDropNewest Overflow = iota
	// OnFullDropOldest loses the message that has waited longest. With Unordered
	// delivery a message that a fault delays waits from when it arrives.
	OnFullDropOldest
	// OnFullFail lets the run fail.
	OnFullFail
)

// A Directive is what follows when an actor panics.
type Directive uint8

const (
	// OnPanicFail lets the run fail.
	OnPanicFail Directive = iota
	// OnPanicRestart starts the actor again: with a new state if its Spec has New or
	// Process, else with the one that it has. The message that it panicked on
	// is gone, those that wait stay. Its children, timers and watches end.
	OnPanicRestart
	// OnPanicStop ends the actor and its children.
	OnPanicStop
	// OnPanicEscalate treats the panic as one of the actor that spawned it.
	OnPanicEscalate
)

// Down is the message that a watcher receives when an actor has ended.
type Down struct {
	Actor  Ref
	Reason string // "stopped", "killed", "crashed", "panicked", "returned" or "gone" when it had ended before
}
