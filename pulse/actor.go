package pulse

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Actor receives messages one at a time. Receive must not block: it runs to
// its end before anything else happens.
type Actor interface {
	Receive(ctx *Ctx, msg any)
}

// A Starter is an actor that is notified when it starts. Started runs in a step
// of its own, before the actor receives any message. There the actor can read
// its disk, set timers and send its first messages. Started runs again after
// each restart, which follows a crash or a panic; all timers are gone then. A
// process does not need it, since its code runs from the beginning: see
// Process.Started.
//
// The system checks for a Starter when an actor is spawned and when it is
// restarted. Become does not start the handler that it sets.
type Starter interface {
	Actor
	Started(ctx *Ctx, how Start)
}

// A Start is the way in which an actor starts. An actor that crashes before its
// first start still receives that first start when it is restarted.
type Start uint8

const (
	// StartNew: the actor was spawned.
	StartNew Start = iota
	// StartKept: the actor was restarted with the state it had.
	StartKept
	// StartLost: the actor was restarted with a new state. Its disk is still
	// there.
	StartLost
)

func (s Start) String() string {
	switch s {
	case StartNew:
		return "start"
	case StartKept:
		return "restart kept"
	case StartLost:
		return "restart lost"
	}
	return fmt.Sprintf("pulse.Start(%d)", uint8(s))
}

// Func is an actor that consists of one function.
type Func func(ctx *Ctx, msg any)

// Receive calls f.
func (f Func) Receive(ctx *Ctx, msg any) { f(ctx, msg) }

// A Ref is a reference to an actor. The zero Ref refers to nobody. References
// can be compared, sent in messages and used as map keys.
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

// IsZero reports whether r is the zero Ref.
func (r Ref) IsZero() bool { return r.sys == nil }

// Actor returns the plain reference to the actor. The reference to the sender
// of an Ask also identifies that Ask, so the two are not equal.
func (r Ref) Actor() Ref {
	r.ask = 0
	return r
}

// Index returns the index of the actor in a trace: actors count in the order of
// spawning.
func (r Ref) Index() int {
	if r.sys != nil {
		r.looked(trace.ItsPlace)
	}
	return int(r.actor)
}

// looked notes that the running step depends on the order in which actors are
// spawned.
func (r Ref) looked(what trace.Touched) {
	if s := r.sys; r.run == s.run && s.rec.on && s.calls.running && s.calls.mine() {
		s.rec.look(r.actor, what)
	}
}

// A Spec describes an actor to spawn. Spawn and Go are shorthand for common
// cases.
type Spec struct {
	// Name is a label for people. It need not be unique.
	Name string
	// Actor handles the messages. It may be nil when New or Process is set.
	Actor Actor
	// New makes the actor, now and after each restart that loses its state.
	New func() Actor
	// Process makes the actor a process that runs this function.
	Process func(*Process)
	// OnPanic says what happens when the actor panics.
	OnPanic Directive
	// Restarts is how often the actor may be restarted after a panic before the
	// panic is escalated; zero means 10.
	Restarts int
	// Safe protects the actor and its messages from the faults of Options. A
	// Nemesis can still strike it.
	Safe bool
	// Mailbox is how many messages may wait for the actor; zero means any
	// number. A message waits from when it is sent, also by the test, until it
	// is received. Timers, Downs, answers to an Ask, starts and kills always
	// have room and take none.
	Mailbox int
	// OnFull says what happens to a message sent to a full mailbox.
	OnFull Overflow
}

// refusal returns what is wrong with the spec, or "".
func (spec *Spec) refusal() string {
	switch {
	case spec.OnPanic > OnPanicEscalate:
		return fmt.Sprintf("Spec.OnPanic is %d, which is not a Directive", spec.OnPanic)
	case spec.Restarts < 0:
		return negative("Spec.Restarts", spec.Restarts, "the default")
	case spec.Mailbox < 0:
		return negative("Spec.Mailbox", spec.Mailbox, "no bound")
	case spec.OnFull > OnFullFail:
		return fmt.Sprintf("Spec.OnFull is %d, which is not an Overflow", spec.OnFull)
	case spec.OnFull != OnFullDropNewest && spec.Mailbox == 0:
		return "Spec.OnFull is set, but Spec.Mailbox is zero: a mailbox without a bound is never full"
	}
	return ""
}

// An Overflow says what happens when a message is sent to an actor whose
// mailbox is full. The sender is not notified.
type Overflow uint8

const (
	// OnFullDropNewest loses the message.
	OnFullDropNewest Overflow = iota
	// OnFullDropOldest loses the message that has waited longest. With
	// Unordered delivery a delayed message waits from its arrival on.
	OnFullDropOldest
	// OnFullFail fails the run.
	OnFullFail
)

// A Directive says what happens when an actor panics.
type Directive uint8

const (
	// OnPanicFail fails the run.
	OnPanicFail Directive = iota
	// OnPanicRestart restarts the actor. Its state is new if its Spec has New
	// or Process; otherwise the actor keeps it. The message that it panicked on
	// is gone; waiting messages stay. Its children, timers and watches end.
	OnPanicRestart
	// OnPanicStop ends the actor and its children.
	OnPanicStop
	// OnPanicEscalate treats the panic as a panic of the actor that spawned
	// this one.
	OnPanicEscalate
)

// Down is the message that a watcher receives when an actor ends.
type Down struct {
	Actor  Ref
	Reason string // "stopped", "killed", "crashed", "panicked", "returned", or "gone" if it had ended before the watch
}
