// Package trace holds what happened in one run: who was spawned, what was
// sent, which steps were taken, and which step happened before which.
//
// Everything is an index into a slice, so that a trace of a million steps is
// a few allocations and can be emptied and filled again. A trace is data: it
// knows nothing of the system that filled it.
package trace

// Test is the index of the actor that stands for the test itself: it sends
// what the test sends and receives what actors send to the test.
const Test int32 = 0

// None is the index of no step, no send and no actor.
const None int32 = -1

// A Trace is what happened in one run.
type Trace struct {
	// Actors in the order in which they were spawned; Actors[Test] is the test.
	Actors []Actor
	// Sends in the order in which they were made. Empty unless the run was recorded.
	Sends []Send
	// Steps in the order in which they were taken. Empty unless the run was recorded.
	Steps []Step
	// Notes are what the program logged and what was chosen.
	Notes []Note
	// Rests lists the numbers of steps after which nothing was deliverable.
	// No step before a rest could have been taken after it.
	Rests []int32
	// Touches lists, in the order of the steps, what steps have to do with
	// others beside the messages that they receive and send. It is empty for
	// most programs.
	Touches []Touch
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
	Ended  int32  // the step in which it ended; None while it lives
}

// A Fate says what became of a sent message.
type Fate uint8

const (
	Pending   Fate = iota // not received when the run ended
	Delivered             // received; Send.Receipt is the step
	Orphaned              // its receiver had ended
	Dropped               // lost to a fault, taken back, or an answer that nobody waited for
)

// A SendKind says what a message is.
type SendKind uint8

const (
	Message  SendKind = iota // an ordinary message
	Start                    // begins a process
	Timer                    // a timer that fired
	Periodic                 // a periodic timer that fired
	Down                     // tells a watcher that an actor has ended
	Kill                     // ends its receiver
	Reply                    // answers an Ask
	Copy                     // a duplicate made by a fault
)

// A Send is one message on its way.
type Send struct {
	Body    any
	ID      uint64 // stable: hash of type, sending step and how many it sent before
	From    int32  // the sending actor
	To      int32  // the receiving actor
	Step    int32  // the step that sent it, or set the timer; None when the test did
	Receipt int32  // the step that received it; None while it was not
	Ask     int32  // the number of the Ask that it asks or answers; 0 when none
	Seq     int32  // its place in the order in which messages entered their channels
	Channel int32  // its channel: those of one channel keep their order, unless Unordered
	Next    int32  // the message behind it in its channel while both wait; then of no meaning
	Kind    SendKind
	Fate    Fate
}

// A StepKind says what a step was.
type StepKind uint8

const (
	Receive   StepKind = iota // an actor received a message
	Crash                     // a fault ended an actor
	Restart                   // a fault started a crashed actor again
	Partition                 // a fault cut an actor off from all others
	Heal                      // the partition ended
)

// A Step is one delivery with all that its handler did, or a fault.
//
// Its two links are the whole of the happens-before relation: the send that
// it received (and by it the step that sent it), and Prev.
type Step struct {
	ID      uint64 // stable: hash of sender, receiver and message
	Time    int64  // virtual time in nanoseconds
	Send    int32  // index in Sends; None for a fault
	Actor   int32  // the receiver, or whom the fault struck
	Prev    int32  // the previous step of the same actor; None for its first
	Kind    StepKind
	Changed bool // the step changed its actor's handlers
	Settled bool // the step belongs to start-up, whose order is not explored
	Wanted  Want // what the receiver would have taken instead
}

// A Want says which messages an actor takes at some point.
type Want uint8

const (
	Anything  Want = iota // any message
	Nothing               // only what cannot be refused
	ItsStart              // what begins a process
	SomeMatch             // what a predicate of the process holds for
	ItsAnswer             // the answer to one Ask
)

// A Touch says that a step met others in a way that no message shows: two
// steps that touch the same thing cannot be swapped without a difference.
type Touch struct {
	Step  int32
	Actor int32
	Ask   int32 // the number of the Ask of Actor that an answer was sent to
	What  Touched
}

// Touched is what of an actor a step has touched.
type Touched uint8

const (
	ItsSteps Touched = iota // another's step ended or restarted it
	ItsLife                 // whether it has ended: changed, or asked for by Watch
	ItsAsk                  // who is the first to answer an Ask
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
	t.Touches = t.Touches[:0]
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
	c.Touches = append([]Touch(nil), t.Touches...)
	return &c
}
