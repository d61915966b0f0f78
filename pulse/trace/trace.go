// Package trace holds what happened in one run: actors, messages, steps, and
// which step happened before which.
//
// A recorded system fills a trace while it runs; System.Trace returns it. A
// trace refers to everything by index: Steps[i].Send is an index into Sends,
// and Sends[j].Step is the index of the step that sent it. None means no step,
// no send or no actor; Test is the test itself.
//
// # Showing a run
//
//   - Chart returns a message chart, one line for each step.
//   - Text returns everything in the trace, as tables.
//   - Mermaid returns a sequence diagram, which GitHub and many editors render.
//   - ShiViz returns a log for the ShiViz viewer, with the clocks of all steps.
//   - StepLabel names a step, Name an actor, Label a message.
//
// Each of the first four also has a method that writes to an io.Writer. A
// property can save one of them next to a failing case by props.T.Attach.
//
// # Order
//
// HappensBefore reports whether one step could have influenced another.
// Swappable reports whether two receives of one actor could have come in the
// other order. A Causality answers the same questions faster if there are many.
//
// # Comparing runs
//
// Diff returns the first difference between two runs. The ID of an actor,
// message or step is the same in every run in which the same thing happens,
// whatever the order of steps at other actors (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section
// III-B). Hash is a hash of the whole run.
//
// A trace of a million steps takes a few allocations; Reset empties it and
// keeps the memory.
package trace

// Test is the index of the actor that stands for the test: it sends the test's
// messages and receives messages to the test.
const Test int32 = 0

// None is the index of no step, no send or no actor.
const None int32 = -1

// A Trace is what happened in one run.
type Trace struct {
	// Actors are in the order of spawning; Actors[Test] is the test.
	Actors []Actor
	// Sends are in the order of sending. It is empty unless the run was
	// recorded.
	Sends []Send
	// Steps are in the order in which they were taken. It is empty unless the
	// run was recorded.
	Steps []Step
	// Notes are the program's log lines and the system's remarks.
	Notes []Note
	// Rests lists the numbers of steps after which the system was at rest:
	// nothing was deliverable, and no fault happened instead. All steps before
	// a rest happen before all steps after it.
	Rests []int32
	// Passes lists where time passed. It is empty unless early timers are
	// allowed and the strategy picks them.
	Passes []Pass
	// Touches lists what steps share with others apart from messages, in the
	// order of the steps. It is empty for most programs.
	Touches []Touch
	// Strikes lists the faults that steps or the test caused by a
	// pulse.Nemesis, in the order of the steps.
	Strikes []Strike
	// Answers lists the strategy's answers within steps, in the order of the
	// steps. It has all answers to Choose. Of the questions about message
	// faults, crashes within a step and lost writes it has only the answers
	// other than zero. Faults have budgets, so whether such a question is asked
	// may depend on the order of steps at different actors.
	Answers []Answer
	// Unordered reports whether messages of one channel may overtake each
	// other.
	Unordered bool
	// Hash is the running hash of everything that happened, in order.
	Hash uint64
}

// An Actor is one spawned actor.
type Actor struct {
	ID     uint64 // stable: hash of type, creating step, and how many actors that step created before
	Label  string // what the program called it
	Type   string // its Go type
	Parent int32  // the actor that spawned it; None for the test
	Step   int32  // the step that spawned it; None when the test did
	Ended  int32  // the step in which it ended; None if it did not, or if the test ended it
}

// A Fate is the state of a sent message.
type Fate uint8

const (
	Pending   Fate = iota // not received when the run ended
	Delivered             // received; Send.Receipt is the step
	Orphaned              // its receiver had ended
	Dropped               // lost to a fault or a full mailbox, withdrawn, or a reply that nobody waited for
)

// A SendKind is the kind of a message.
type SendKind uint8

const (
	Message  SendKind = iota // an ordinary message
	Start                    // starts a process, or notifies a Starter
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
	ID      uint64 // stable: hash of type, sending step, and how many messages that step sent before
	From    int32  // the sending actor
	To      int32  // the receiving actor
	Step    int32  // the step that sent it, or set the timer; None when the test did
	Receipt int32  // the step that received it; None until it is received
	Ask     int32  // the number of the Ask that it asks or answers, or 0
	Seq     int32  // its position in the order in which messages entered their channels
	Channel int32  // its channel: messages of one channel keep their order, unless Unordered
	Next    int32  // while it waits: the message behind it in its channel; meaningless otherwise
	Kind    SendKind
	Fate    Fate
}

// A StepKind is the kind of a step or of a strike.
type StepKind uint8

const (
	Receive   StepKind = iota // an actor received a message
	Crash                     // a fault ended an actor
	Restart                   // a fault restarted a crashed actor
	Partition                 // a fault cut an actor off from all others
	Heal                      // the partition ended
	// The other kinds occur only in strikes.
	Cut   // messages from one actor to another wait from now on
	Loss  // the next messages from one actor to another are lost
	Delay // messages from one actor to another are held back from now on
)

// A Strike is a fault that a step or the test caused by a pulse.Nemesis. It is
// no step of its own, and no link leads from it to steps of the actors it
// struck.
type Strike struct {
	Step   int32     // the step that caused it; None for the test
	After  int32     // how many steps had been taken, including Step
	Kind   StepKind  // Crash, Restart, Partition, Heal, Cut, Loss or Delay
	Lost   bool      // of a Restart: the state is lost
	From   int32     // the actor that was struck, or whose messages are; None for Partition and Heal
	To     int32     // of a Cut, Loss or Delay: the receiver of those messages; else None
	N      int64     // of a Loss: the number of messages; of a Delay: the delay in nanoseconds
	Groups [][]int32 // of a Partition: the actors of each side
}

// A Step is the delivery of a message, with everything its handler did, or a
// fault.
//
// Two links define the happens-before relation: Send, which leads to the step
// that sent the message, and Prev.
type Step struct {
	ID      uint64 // stable: hash of sender, receiver and message
	Time    int64  // virtual time in nanoseconds
	Send    int32  // index in Sends; None for a fault
	Actor   int32  // the receiver, or the actor that the fault struck
	Prev    int32  // the previous step of the same actor; None for its first
	Kind    StepKind
	Changed bool // the step changed its actor's handler, by Become or because a process now takes other messages
	Settled bool // the step belongs to start-up, whose order is not explored
	Wanted  Want // which other messages the receiver would have accepted
}

// A Want is the set of messages that an actor accepts at some point.
type Want uint8

const (
	Anything  Want = iota // any message
	Nothing               // only messages that no actor can refuse
	ItsStart              // the message that starts a process or notifies a Starter
	SomeMatch             // messages for which a predicate of the process holds
	ItsAnswer             // the answer to one Ask
)

// A Touch records that a step read or changed something that other steps depend
// on, without a message between them. Two steps that touch the same thing
// conflict, unless both only read it.
type Touch struct {
	Step  int32
	Actor int32
	Ask   int32 // for ItsAsk: the number of the Ask of Actor
	What  Touched
	Reads bool // the step only read it; never set for ItsSteps, ItsAsk, AllSteps, TheTest and ItsRoom
}

// Same reports whether two touches are of the same thing.
func (x Touch) Same(y Touch) bool { return x.What == y.What && x.Actor == y.Actor && x.Ask == y.Ask }

// Meets reports whether two steps with these touches conflict.
func (x Touch) Meets(y Touch) bool { return x.Same(y) && !(x.Reads && y.Reads) }

// Touched says which part of an actor or of the run a step has touched.
type Touched uint8

const (
	ItsSteps  Touched = iota // its steps: a step of another actor ended or restarted it, stopped its timer, or read what it received
	ItsLife                  // whether it has ended: the step changed that, or asked for it
	ItsAsk                   // one of its Asks: the step tried to answer it
	AllSteps                 // no actor's: the step depends on all steps before it, or ended the run, or its actor crashed within it
	ItsPlace                 // its index: the step read it
	ItsName                  // its name, which depends on the number of actors with its label: the step read it
	TheTest                  // the test's: the step read or changed state of a property's T, such as its first failure
	ItsRoom                  // the number of messages in its bounded mailbox: the step sent or received one, or ended it
	TheTime                  // no actor's: the step read virtual time; only if there are Passes
	TheTimers                // no actor's: the step set or stopped timers; only if there are Passes
	TheRest                  // no actor's: what else could have come in place of the step, which answers an Ask of the test
)

// An Answer is the strategy's answer to a question of a step.
type Answer struct { // the running step; None for the test
	Step  int32 // from 0; for a crash within a step: the number of its MayCrash, from 1
	Value int32 // how many answers were possible
	Of    int32 // how many answers there were
	Sent  int32 // how many messages the step had sent
}

// A Pass is a point at which time passed: to the time of the next event, or
// because the test continued.
type Pass struct {
	Before int32 // how many steps had been taken
	Seq    int32 // of the last message that had arrived: messages that came due have greater ones
	How    PassKind
}

// A PassKind says why time passed.
type PassKind uint8

const (
	Early  PassKind = iota // the strategy fired a timer early
	AtRest                 // nothing was deliverable
	ByTest                 // a call of Run or another method began; the test may have done anything before it
)

// A Note is a line of text that belongs to a step.
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

// Clone returns a copy of t that does not change when t is reused. Message
// bodies are shared.
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
