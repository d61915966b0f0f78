// Package trace holds what happened in one run: which actors were spawned, what
// was sent, which steps were taken, and which step happened before which.
//
// A recorded system fills a trace while it runs; System.Trace returns it. In a
// trace everything is named by its index: Steps[i].Send is an index into Sends,
// Sends[j].Step is the index of the step that sent it. None stands for no step,
// no send and no actor, and Test for the test itself.
//
// # Showing a run
//
//   - Chart returns a message chart, one line for each step.
//   - Text returns all that the trace holds, as tables.
//   - Mermaid returns a sequence diagram that GitHub and many editors draw.
//   - ShiViz returns a log for the ShiViz viewer, with the clocks of all steps.
//   - StepLabel names one step, Name one actor, Label one message.
//
// Each of the first four also has a method that writes to an io.Writer. A
// property can have one of them kept beside a failing case by props.T.Attach.
//
// # Order
//
// HappensBefore reports whether one step could have influenced another, and
// Swappable whether two receives of one actor could have come the other way
// round. A Causality answers the same questions faster when there are many.
//
// # Comparing runs
//
// Diff returns the first difference of two runs. Actors, messages and steps have
// an ID that is the same in every run in which the same thing happens, whatever
// the order of steps at other actors (Tasharofi et al., "Bita: Coverage-guided,
// automatic testing of actor programs", ASE 2013, section III-B). Hash is a hash
// of the whole run.
//
// A trace of a million steps is a few allocations; Reset empties it and keeps
// the memory.
package trace

// Test is the index of the actor that stands for the test itself: it sends
// what the test sends and receives what actors send to the test.
const Test int32 = 0

// None is the index of no step, no send and no actor.
const None int32 = -1

// A Trace is what happened in one run.
type Trace struct {
	// Actors are in the order in which they were spawned; Actors[Test] is the test.
	Actors []Actor
	// Sends are in the order in which they were made. Empty unless the run was recorded.
	Sends []Send
	// Steps are in the order in which they were taken. Empty unless the run was recorded.
	Steps []Step
	// Notes are what the program logged and what was chosen.
	Notes []Note
	// Rests lists the numbers of steps after which the system was at rest:
	// nothing was deliverable, and no fault came then either. All steps before a rest
	// happen before all steps after it.
	Rests []int32
	// Passes lists where time has passed. It is empty unless time may pass early, and
	// the strategy picks where.
	Passes []Pass
	// Touches lists, in the order of the steps, what steps share with others
	// apart from messages. It is empty for most programs.
	Touches []Touch
	// Strikes lists, in the order of the steps, the faults that steps or the test
	// made happen by a pulse.Nemesis.
	Strikes []Strike
	// Answers are what the questions of steps were answered, in the order of
	// the steps: the program's own, and those for a fault of a message, for a
	// crash within a step and for what a crash takes that were answered by one. Where such a fault is not asked for may depend on
	// the order of steps at different actors, because faults have a budget.
	Answers []Answer
	// Unordered is set when two messages of one channel may overtake each other.
	Unordered bool
	// Hash is the running hash of all that happened, in order.
	Hash uint64
}

// An Actor is one spawned actor.
type Actor struct {
	ID     uint64 // stable: hash of type, creating step and how many it created before
	Label  string // what the program called it
	Type   string // its Go type
	Parent int32  // the actor that spawned it; None for the test
	Step   int32  // the step that spawned it; None when the test did
	Ended  int32  // the step in which it ended; None while it lives, or when the test ended it
}

// A Fate is what became of a sent message.
type Fate uint8

const (
	Pending   Fate = iota // not received when the run ended
	Delivered             // received; Send.Receipt is the step
	Orphaned              // its receiver had ended
	Dropped               // lost to a fault or a full mailbox, taken back, or a reply that nobody waited for
)

// A SendKind is the kind of a message.
type SendKind uint8

const (
	Message  SendKind = iota // an ordinary message
	Start                    // begins a process, or tells an actor of its start
	Timer                    // a timer that fired
	Periodic                 // a periodic timer that fired
	Down                     // tells a watcher that an actor has ended
	Kill                     // ends its receiver
	Reply                    // answers an Ask
	Copy                     // a duplicate made by a fault
	Poll                     // ends a ReceiveTimeout(0) that has found nothing
)

// A Send is one message on its way.
type Send struct {
	Body    any
	ID      uint64 // stable: hash of type, sending step and how many it sent before
	From    int32  // the sending actor
	To      int32  // the receiving actor
	Step    int32  // the step that sent it, or set the timer; None when the test did
	Receipt int32  // the step that received it; None until it is received
	Ask     int32  // the number of the Ask that it asks or answers; 0 when none
	Seq     int32  // its place in the order in which messages entered their channels
	Channel int32  // its channel: messages of one channel keep their order, unless Unordered
	Next    int32  // while it waits: the message behind it in its channel; meaningless later
	Kind    SendKind
	Fate    Fate
}

// A StepKind is the kind of a step, or of a strike, which is part of one.
type StepKind uint8

const (
	Receive   StepKind = iota // an actor received a message
	Crash                     // a fault ended an actor
	Restart                   // a fault started a crashed actor again
	Partition                 // a fault cut an actor off from all others
	Heal                      // the partition ended
	// The kinds that only a strike can have.
	Cut   // messages from one actor to another wait from now on
	Loss  // the next messages from one actor to another are lost
	Delay // messages from one actor to another are held back from now on
)

// A Strike is a fault that a step, or the test, made happen by a pulse.Nemesis. It
// is no step of its own, and no link leads from it to the steps of whom it struck.
type Strike struct {
	Step   int32     // the step that made it happen; None when the test did
	After  int32     // how many steps had been taken, with Step itself
	Kind   StepKind  // Crash, Restart, Partition, Heal, Cut, Loss or Delay
	Lost   bool      // of a Restart: its state is lost
	From   int32     // who was struck, or whose messages are; None for a Partition or Heal
	To     int32     // of a Cut, Loss or Delay: to whom those messages go; else None
	N      int64     // of a Loss: how many messages are lost; of a Delay: by how many nanoseconds
	Groups [][]int32 // of a Partition: the actors of each side
}

// A Step is one delivery with all that its handler did, or a fault.
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
	Changed bool // the step changed its actor's handlers: by Become, or a process goes over to taking other messages
	Settled bool // the step belongs to start-up, whose order is not explored
	Wanted  Want // which other messages the receiver would have taken at this point
}

// A Want is which messages an actor takes at some point.
type Want uint8

const (
	Anything  Want = iota // any message
	Nothing               // only messages that no actor can refuse
	ItsStart              // the message that begins a process, or tells an actor of its start
	SomeMatch             // messages for which a predicate of the process holds
	ItsAnswer             // the answer to one Ask
)

// A Touch records that a step read or changed something that other steps depend
// on, without a message between them. Two steps that touch the same thing cannot
// be swapped without a difference, unless both only read it.
type Touch struct {
	Step  int32
	Actor int32
	Ask   int32 // the number of the Ask of Actor that an answer was sent to
	What  Touched
	Reads bool // no other step that only reads it can tell; never set of ItsSteps, ItsAsk, AllSteps, TheTest and ItsRoom
}

// Same reports whether two touches are of one thing.
func (x Touch) Same(y Touch) bool { return x.What == y.What && x.Actor == y.Actor && x.Ask == y.Ask }

// Meets reports whether two steps that touch so cannot be swapped without a difference.
func (x Touch) Meets(y Touch) bool { return x.Same(y) && !(x.Reads && y.Reads) }

// Touched is which part of an actor a step has touched.
type Touched uint8

const (
	ItsSteps  Touched = iota // what its steps do: the step of another actor ended or restarted it, stopped its timer, or read what it received
	ItsLife                  // whether it has ended: the step changed that, or asked by Watch
	ItsAsk                   // one of its Asks: the step tried to answer it first
	AllSteps                 // of no actor: the step depends on which steps came before, whosever they are, or ended the run, or its actor crashed within it
	ItsPlace                 // its place in the order of spawning: the step read it
	ItsName                  // its name, which depends on how many actors with its label were spawned: the step read it
	TheTest                  // of the test: the step read or changed what a property's T keeps, such as its first failure
	ItsRoom                  // how many messages wait for it, where that is bounded: the step sent it one or received one, or ended it
	TheTime                  // of no actor: virtual time, which the step read; only where there are Passes
	TheTimers                // of no actor: which timers there are: the step set or stopped some; only where there are Passes
	TheRest                  // of no actor: what else could have come in place of the step, which answers an Ask of the test
)

// An Answer is what a question was answered that belongs to a step.
type Answer struct {
	Step  int32 // the step that was running; None when the test was
	Value int32 // from 0 on; of a crash within a step: at which MayCrash of the step, from 1 on
	Of    int32 // how many answers there were
	Sent  int32 // how many messages the step had sent
}

// A Pass is where time has passed: to the next time at which something was due, or
// because the test went on.
type Pass struct {
	Before int32 // how many steps had been taken
	Seq    int32 // of the message that had arrived last: those that came due have greater ones
	How    PassKind
}

// A PassKind is why time has passed.
type PassKind uint8

const (
	Early  PassKind = iota // the strategy let it, although messages could be delivered
	AtRest                 // nothing was deliverable
	ByTest                 // a call of Run, or of its like, begins, before which the test may have done anything
)

// A Note is a line that belongs to a step.
type Note struct {
	Step  int32 // the step that was running; None when the test was
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

// Clone returns a copy that stays as it is when t is filled again. Message
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
