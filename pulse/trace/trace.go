// Package trace describes one run: its actors, messages and steps, and which step
// happened before which.
//
// A recorded system fills a trace while it runs. System.Trace returns the trace.
// A trace refers to its elements by index. For example, Steps[i].Send is an index
// in Sends, and Sends[j].Step is the index of the sending step. None means no
// step, no message or no actor. Test means the test itself.
//
// # Showing a run
//
//   - Chart returns a message chart, one line for each step.
//   - Text returns everything in the trace, as tables.
//   - Mermaid returns a sequence diagram, which GitHub and many editors render.
//   - ShiViz returns a log for the ShiViz viewer, with the clocks of all steps.
//   - StepLabel returns a text for a step, Name for an actor, Label for a message.
//
// With props.T.Attach, a property can have one of these texts saved with a failing
// case.
//
// # Order
//
// HappensBefore reports whether one step could have influenced another. Swappable
// reports whether two receives of one actor could have occurred in the opposite
// order. A Causality answers many such questions faster.
//
// # Comparing runs
//
// Diff returns the first difference between two runs. The ID of an actor, message
// or step does not depend on the order of steps at other actors, so IDs can be
// compared between runs (Tasharofi et al., "Bita: Coverage-guided, automatic
// testing of actor programs", ASE 2013, section III-B). Trace.Hash is a hash of
// the whole run.
//
// A trace of a million steps needs only a few allocations. Reset empties a trace
// and keeps its memory.
package trace

// Test is the index of the actor that represents the test. It is the sender of
// messages from the test and the receiver of messages to the test.
const Test int32 = 0

// None is the index that means no step, no message or no actor.
const None int32 = -1

// A Trace describes one run.
type Trace struct {
	// Actors are in the order of spawning. Actors[Test] is the test.
	Actors []Actor
	// Sends are all messages, in the order of sending. Sends is empty unless the run
	// was recorded.
	Sends []Send
	// Steps are in the order in which they were taken. Steps is empty unless the run
	// was recorded.
	Steps []Step
	// Notes are the log lines of the program and of the system.
	Notes []Note
	// Rests lists the quiescent points, at which no message was deliverable and no
	// fault occurred. An element is the number of steps before the point. All steps
	// before the point happen before all steps after it.
	Rests []int32
	// Passes lists the points at which virtual time advanced. It is empty unless
	// early timers are allowed and the strategy chooses when they fire.
	Passes []Pass
	// Touches lists what steps read or changed other than messages, in the order of
	// the steps. For most programs it is empty.
	Touches []Touch
	// Strikes lists the faults that steps or the test caused with a pulse.Nemesis,
	// in the order of the steps.
	Strikes []Strike
	// Answers lists the strategy's decisions within steps, in the order of the steps.
	// It contains all decisions for Choose. For message faults, crashes within a step
	// and lost writes, it contains only decisions for a fault. The reason is that the
	// system does not ask when the fault budget is used up.
	Answers []Answer
	// Unordered reports whether a message may overtake another message of the same
	// channel.
	Unordered bool
	// Hash is a hash of everything that happened, in order.
	Hash uint64
}

// An Actor is one spawned actor.
type Actor struct {
	ID     uint64 // a hash of type, creating step and creation index in that step; the same in every run
	Label  string // the name that the program gave the actor
	Type   string // the Go type of the actor
	Parent int32  // the actor that spawned this one; None for the test
	Step   int32  // the step that spawned the actor; None if the test spawned it
	Ended  int32  // the step in which the actor ended; None if it did not end or the test ended it
}

// A Fate is the state of a sent message.
type Fate uint8

const (
	Pending   Fate = iota // the message was not received before the run ended
	Delivered             // the message was received in step Send.Receipt
	Orphaned              // the receiver of the message had ended
	Dropped               // the message was lost to a fault or a full mailbox, was withdrawn, or answered an Ask that no longer waited
)

// A SendKind is the kind of a message.
type SendKind uint8

const (
	Message  SendKind = iota // an ordinary message
	Start                    // starts a process or calls the Started method of an actor
	Timer                    // a timer that fired
	Periodic                 // a periodic timer that fired
	Down                     // tells a watcher that an actor has ended
	Kill                     // ends its receiver
	Reply                    // answers an Ask
	Copy                     // a duplicate made by a fault
	Poll                     // ends a ReceiveTimeout(0) that found nothing
)

// A Send is one message.
type Send struct {
	Body    any
	ID      uint64 // a hash of type, sending step and index within that step; the same in every run
	From    int32  // the sending actor
	To      int32  // the receiving actor
	Step    int32  // the step that sent the message or set the timer; None if the test sent or set it
	Receipt int32  // the step that received the message, or None
	Ask     int32  // the number of the Ask that this message makes or answers, or 0
	Seq     int32  // the position in the order in which all messages entered their channels; negative if the message was to come before all these (see pulse.Host.Continue)
	Channel int32  // the number of the channel; messages of one channel keep their order unless Trace.Unordered is set
	Next    int32  // while the message is pending, the next message of the channel; otherwise meaningless
	Kind    SendKind
	Fate    Fate
}

// A StepKind is the kind of a Step or of a Strike.
type StepKind uint8

const (
	Receive   StepKind = iota // an actor received a message
	Crash                     // a fault ended an actor
	Restart                   // a fault restarted a crashed actor
	Partition                 // a fault separated an actor from all others
	Heal                      // a partition ended
	// The following kinds occur only in a Strike, never in a Step.
	Cut   // messages from one actor to another are blocked from now on
	Loss  // the next messages from one actor to another are lost
	Delay // messages from one actor to another are delayed from now on
)

// A Strike is a fault that a step or the test caused with a pulse.Nemesis. A
// strike is not a step and has no happens-before edges of its own.
type Strike struct {
	Step   int32     // the step that caused the strike; None for the test
	After  int32     // the number of steps taken so far, including Step
	Kind   StepKind  // Crash, Restart, Partition, Heal, Cut, Loss or Delay
	Lost   bool      // set if a Restart loses the actor's state
	From   int32     // the affected actor, or the sender of the affected messages; None for Partition and Heal
	To     int32     // the receiver of the affected messages for a Cut, Loss or Delay; else None
	N      int64     // the number of lost messages for a Loss; the delay in nanoseconds for a Delay
	Groups [][]int32 // the actors of each group of a Partition
}

// A Step is the delivery of a message together with everything the handler did,
// or a fault.
//
// A step has up to two direct predecessors in the happens-before relation: the
// step that sent its message (see Send), and Prev.
type Step struct {
	ID      uint64 // a hash of sender, receiver and message; the same in every run
	Time    int64  // virtual time in nanoseconds
	Send    int32  // index in Sends of the received message; None for a fault
	Actor   int32  // the receiver, or the actor affected by the fault
	Prev    int32  // the previous step of the same actor; None for the actor's first step
	Kind    StepKind
	Changed bool // set if the step changed the actor's handler by Become, or the messages that a process accepts
	Settled bool // set if the step belongs to start-up (System.Settle), whose order is not explored
	Wanted  Want // the set of messages that the receiver accepted before this step
}

// A Want says which messages an actor accepts.
type Want uint8

const (
	Anything  Want = iota // any message
	Nothing               // only messages that no actor can refuse, such as Kill
	ItsStart              // only the message of kind Start
	SomeMatch             // only messages for which a predicate of the process is true
	ItsAnswer             // only the reply to one Ask
)

// A Touch records that a step read or changed something other than a message, such
// as the time or an actor's name. Two steps that touch the same thing conflict,
// unless both only read it.
type Touch struct {
	Step  int32
	Actor int32
	Ask   int32 // the number of the Ask, made by Actor, if What is ItsAsk
	What  Touched
	Reads bool // set if the step only read the state; never set for ItsSteps, ItsAsk, AllSteps, TheTest and ItsRoom
}

// Same reports whether x and y are touches of the same thing.
func (x Touch) Same(y Touch) bool { return x.What == y.What && x.Actor == y.Actor && x.Ask == y.Ask }

// Meets reports whether a step with the touch x and a step with the touch y
// conflict.
func (x Touch) Meets(y Touch) bool { return x.Same(y) && !(x.Reads && y.Reads) }

// A Touched says what a step has read or changed. In the comments of the
// constants, "the actor" is Touch.Actor.
type Touched uint8

const (
	ItsSteps   Touched = iota // the step of another actor ended or restarted the actor, stopped its timer, or read what it received
	ItsLife                   // the step ended the actor, or read whether the actor has ended
	ItsAsk                    // the step tried to answer an Ask of the actor
	AllSteps                  // the step depends on all earlier steps, ended the run, or its actor crashed during the step
	ItsPlace                  // the step read the index of the actor
	ItsName                   // the step read the actor's name, which depends on the number of actors with the same label
	TheTest                   // the step read or changed the state of a property's T, such as its first failure
	ItsRoom                   // the step sent or received a message of the actor's bounded mailbox, or ended the actor
	TheTime                   // the step read the virtual time; recorded only in runs that record Trace.Passes
	TheTimers                 // the step set or stopped a timer; recorded only in runs that record Trace.Passes
	AnObject                  // the step did an operation on an object that is no actor, such as a mutex; Touch.Actor is the object's number
	NewObjects                // the step did the first operation on an object, whose number may be another one in another order
	TheRest                   // the step answered an Ask of the test, which ended the run, and other steps were possible in its place
)

// Objects is one more than the largest number of an object: see AnObject.
const Objects = 1 << 30

// An Answer is a decision of the strategy within a step.
type Answer struct {
	Step  int32 // the running step; None for the test
	Value int32 // the decision, counted from 0; for a crash at Ctx.MayCrash, the number of the call in the step, counted from 1
	Of    int32 // the number of possible decisions
	Sent  int32 // the number of messages that the step had sent before the decision
}

// A Pass is a point at which virtual time advanced.
type Pass struct {
	Before int32 // the number of steps taken before time advanced
	Seq    int32 // the Send.Seq of the last message sent before time advanced; messages that became due have greater numbers
	How    PassKind
}

// A PassKind says why virtual time advanced.
type PassKind uint8

const (
	Early  PassKind = iota // the strategy fired a timer early
	AtRest                 // no message was deliverable
	ByTest                 // the test called Run or a similar method, and may have done anything before the call
)

// A Note is a log line of the program or of the system.
type Note struct {
	Step  int32 // the running step; None for the test
	Actor int32
	Text  string
}

// Reset empties t and keeps its memory.
func (t *Trace) Reset() {
	t.Actors = t.Actors[:0]
	t.Sends = t.Sends[:0]
	t.Steps = t.Steps[:0]
	t.Notes = t.Notes[:0]
	t.Rests = t.Rests[:0]
	t.Passes = t.Passes[:0]
	t.Touches = t.Touches[:0]
	t.Strikes = t.Strikes[:0]
	t.Answers = t.Answers[:0]
	t.Hash = 0
}

// Clone returns a copy of t that stays valid when t is reused. The copy shares
// the message bodies.
func (t *Trace) Clone() *Trace {
	c := *t
	c.Actors = append([]Actor(nil), t.Actors...)
	c.Sends = append([]Send(nil), t.Sends...)
	c.Steps = append([]Step(nil), t.Steps...)
	c.Notes = append([]Note(nil), t.Notes...)
	c.Rests = append([]int32(nil), t.Rests...)
	c.Passes = append([]Pass(nil), t.Passes...)
	c.Touches = append([]Touch(nil), t.Touches...)
	c.Strikes = append([]Strike(nil), t.Strikes...)
	c.Answers = append([]Answer(nil), t.Answers...)
	return &c
}
