package pulse

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Actor receives messages one at a time. Receive must not block, because
// nothing else happens until it returns.
type Actor interface {
	Receive(ctx *Ctx, msg any)
}

// A Starter is an actor that is notified when it starts. Started runs in a
// separate step, before the actor receives any message. In Started the actor
// can read its disk, set timers and send its first messages. Started runs
// again after each restart. A restart follows a crash or a panic, and loses
// all timers. A process needs no Starter, because a restart runs its code from
// the beginning. See Process.Started.
//
// The system checks whether an actor is a Starter when the actor is spawned
// and when the actor is restarted. The system does not call Started of a
// handler set by Become.
type Starter interface {
	Actor
	Started(ctx *Ctx, how Start)
}

// A Start says why an actor starts: for the first time or after a restart. An
// actor that crashes before it has received StartNew receives StartNew after
// the restart.
type Start uint8

const (
	// StartNew: the actor was spawned.
	StartNew Start = iota
	// StartKept: the actor was restarted with the state it had.
	StartKept
	// StartLost: the actor was restarted with a new state. Its disk was kept.
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

// A Ref is a reference to an actor. The zero Ref refers to no actor. References
// can be compared, sent in messages and used as map keys.
type Ref struct {
	sys   *System
	run   int32
	actor int32
	ask   int32 // the number of the Ask that a message to this reference answers; 0 if none
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

// Actor returns a reference to the same actor, without the number of an Ask. A
// reference from Ctx.Sender may contain such a number, so that a message to
// that reference answers the Ask. The two references are not equal.
func (r Ref) Actor() Ref {
	r.ask = 0
	return r
}

// Index returns the index of the actor in a trace, where actors are numbered in
// the order of spawning.
func (r Ref) Index() int {
	if r.sys != nil {
		r.looked(trace.ItsPlace)
	}
	return int(r.actor)
}

// looked records that the running step read the actor's index or name, which
// depend on the order in which actors are spawned.
func (r Ref) looked(what trace.Touched) {
	if s := r.sys; r.run == s.run && s.rec.on && s.calls.running && s.calls.mine() {
		s.rec.look(r.actor, what)
	}
}

// A Spec describes an actor to spawn with SpawnSpec. Spawn and Go are shorthand
// for common cases.
type Spec struct {
	// Name is a label for people. It need not be unique.
	Name string
	// Actor handles the messages. It may be nil when New or Process is set.
	Actor Actor
	// New makes the actor when it is spawned and after each restart that loses
	// its state.
	New func() Actor
	// Process makes the actor a process that runs this function.
	Process func(*Process)
	// OnPanic says what happens when the actor panics.
	OnPanic Directive
	// Restarts is the maximum number of restarts after panics. The next panic
	// is escalated to the parent. Zero means 10.
	Restarts int
	// Safe protects the actor and its messages from Options.Faults. A Nemesis
	// still affects both.
	Safe bool
	// Mailbox is the maximum number of messages that wait for the actor; zero
	// means no limit. A message waits from when it is sent, also by the test,
	// until it is received. Messages of timers, Downs, answers to an Ask,
	// start messages and Kills do not count and are always accepted.
	Mailbox int
	// OnFull says what happens to a message sent to a full mailbox.
	OnFull Overflow
}

// refusal says why the spec is invalid. It returns "" if the spec is valid.
func (spec *Spec) refusal() string {
	switch {
	case spec.OnPanic > OnPanicEscalate:
		return fmt.Sprintf("Spec.OnPanic is %d: it must be a constant of type Directive", spec.OnPanic)
	case spec.Restarts < 0:
		return negative("Spec.Restarts", spec.Restarts, "the default")
	case spec.Mailbox < 0:
		return negative("Spec.Mailbox", spec.Mailbox, "no bound")
	case spec.OnFull > OnFullFail:
		return fmt.Sprintf("Spec.OnFull is %d: it must be a constant of type Overflow", spec.OnFull)
	case spec.OnFull != OnFullDropNewest && spec.Mailbox == 0:
		return "Spec.OnFull is set, but Spec.Mailbox is zero: a mailbox without a bound is never full"
	}
	return ""
}

// An Overflow says what happens when a message is sent to an actor whose
// mailbox is full. The sender does not learn that a message was lost.
type Overflow uint8

const (
	// OnFullDropNewest loses the message.
	OnFullDropNewest Overflow = iota
	// OnFullDropOldest loses the message that has waited longest. With
	// Unordered delivery, a delayed message begins to wait when its delay
	// ends.
	OnFullDropOldest
	// OnFullFail fails the run.
	OnFullFail
)

// A Directive says what happens when an actor panics.
type Directive uint8

const (
	// OnPanicFail fails the run.
	OnPanicFail Directive = iota
	// OnPanicRestart restarts the actor. An actor whose Spec has New or
	// Process gets a new state. Any other actor keeps its state. The message
	// that caused the panic is lost; waiting messages are kept. The actor's
	// children, timers and watches end.
	OnPanicRestart
	// OnPanicStop ends the actor and its children.
	OnPanicStop
	// OnPanicEscalate treats the panic as a panic of the parent, which is the
	// actor that spawned this one.
	OnPanicEscalate
)

// Down is the message that a watcher receives when an actor ends or crashes.
type Down struct {
	Actor  Ref
	Reason string // why the actor ended: "stopped", "killed", "crashed", "panicked", "returned", a reason given to Host.End, or "gone" if the actor was not alive at the time of Watch
}
