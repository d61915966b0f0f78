package pulse

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A System is one run of a program made of actors. It is used by one
// goroutine at a time; Reset makes it ready for the next run and keeps its
// memory, so that a worker that runs a million cases allocates once.
type System struct {
	// What every step touches comes first.
	enabled  Enabled
	sends    []trace.Send // by slot; when recording, also the trace's sends
	channels []channel
	actors   []*actor // those of this run; the slice's capacity holds older ones
	strategy Strategy

	now       int64 // virtual time
	until     int64 // when this Run or RunFor ends
	hash      uint64
	curID     uint64  // identity of the running step
	g         uintptr // the goroutine that runs the step
	top       uintptr // where the running step is on its stack; 0 on a coroutine's
	span      uintptr // how far below top calls are known to be of g
	cur       int32   // the actor whose step is running; trace.Test outside a step
	seq       int32   // messages that have entered their channels so far
	steps     int32   // taken so far
	limit     int32   // may be taken
	step      int32   // the running one; trace.None outside a step
	from      int32   // who sent the message that is being received
	ask       int32   // the number of the Ask that it asks
	sent      int32   // messages sent by the running step
	spawned   int32   // actors spawned by it
	past      int32   // messages of a recorded run that are no longer on their way
	flood     int32   // may be on their way
	free      int32   // first of the slots that can be used again, linked by Next
	run       int32   // which run this is, to tell old references
	unordered bool
	recording bool
	asksOne   bool // the strategy holds messages: ask it also for a single one
	before    work // what must be looked at before each step
	after     work // what must be looked at after this step
	always    work // what after starts from in this run
	standing  work // what always starts from in each run
	onSend    work // what must be looked at for each message sent

	table     table
	types     types
	trace     trace.Trace
	record    choice.Record
	timers    timers
	faults    faults
	guards    []guard
	orphans   []int32
	choosy    int // actors that are not open
	lost      int // orphans beyond those kept
	inbox     []any
	observers []Observer // of this run, beside that of the options
	root      origin
	options   Options
	seed      uint64
	begun     bool // the strategy knows that this run has begun
	settling  bool
	dying     *Coroutine // is being killed
	values    *stateWalk // the walker over values
	states    *stateWalk // values, or nil unless the strategy is a Stater
	running   bool
	ran       bool // Run or its like was called
	closed    bool
	pool      coroutines
	processes []*Process // those not in use
	failure   *Failure
	panic     *Failure // of the step that panicked last, until supervisors are asked
	intruder  atomic.Pointer[Failure]
}

const none = trace.None

// A channel is the queue from one sender to one receiver. Timers come by a
// channel of their own, from nobody.
//
// Invariant: when open, head is in enabled or there is none; when not,
// candidate is in enabled or there is none.
type channel struct {
	from, to   int32
	head, tail int32 // tail means nothing while head is none
	sibling    int32 // the next channel to the same receiver
	candidate  int32 // the first message that the receiver accepts
	blocked    int32 // how many partitions hold it up
	slow       int32 // how many of its messages are held back
	open       bool  // neither blocked nor slow, and its receiver accepts anything
}

// origin is how much the test itself has sent and spawned: a step that is
// resumed after each Run.
type origin struct{ sent, spawned int32 }

// work is a set of things to look at, each a bit, so that none costs anything
// while it is off.
type work uint16

const (
	workClock    work = 1 << iota // early timers
	workFault                     // faults that strike actors
	workMessage                   // faults that strike messages
	workIsolate                   // the isolation check
	workObserve                   // an observer
	workEnd                       // the actor ends with this step
	workFilter                    // what the actor accepts may have changed
	workChoosy                    // Unordered, and not every actor takes every message
	workIntruder                  // a failure waits that did not unwind the step
)

// New returns a system that is ready for its first run. Close it when done.
func New(o Options) *System {
	s := &System{types: newTypes(), table: newTable(), free: none}
	s.enabled.sys = s
	s.Configure(o)
	return s
}

// Configure resets the system and gives it other options: New, but with the
// memory that the system has.
func (s *System) Configure(o Options) {
	if !s.mustBeIdle("Configure") {
		return
	}
	s.walkWith(o.Tools)
	s.options = o
	s.derive()
	s.Reset(o.Seed)
}

// derive computes from the options what does not change from run to run.
func (s *System) derive() {
	o := &s.options
	s.strategy = o.Strategy
	if s.strategy == nil {
		s.strategy = plain{}
	}
	s.standing, s.onSend = 0, 0
	s.unordered = o.Delivery == DeliveryUnordered
	s.limit = int32(min(orDefault(o.Steps, defaultSteps), math.MaxInt32))
	s.flood = int32(min(orDefault(o.Pending, defaultPending), math.MaxInt32))
	_, records := s.strategy.(Recorder)
	_, s.asksOne = s.strategy.(Holder)
	if _, compares := s.strategy.(Stater); !compares {
		s.states = nil
	} else if s.states == nil {
		s.states = s.values
	}
	s.recording = o.Record || records || s.states != nil || o.Observer != nil || o.Isolation
	if o.Observer != nil {
		s.standing |= workObserve
	}
	if o.Isolation {
		s.standing |= workIsolate
		s.onSend |= workIsolate
	}
	s.trace.Unordered = s.unordered
}

// Reset ends the run, whatever it has come to, and begins another with
// nothing in it. References and contexts of the old run are no longer good.
// It allocates nothing once the system has seen a run as large.
func (s *System) Reset(seed uint64) {
	if !s.mustBeIdle("Reset") {
		return
	}
	s.killProcesses()
	s.clear()
	s.seed = seed
	s.spawnActor("test", (*inbox)(s), none)
	s.spawned = 0
}

func (s *System) clear() {
	s.enabled.slots = s.enabled.slots[:0]
	s.sends = s.sends[:0]
	s.channels, s.actors = s.channels[:0], s.actors[:0]
	s.table.reset()
	s.trace.Reset()
	s.record.Reset()
	s.timers.reset()
	s.resetFaults()
	s.guards, s.orphans, s.inbox = s.guards[:0], s.orphans[:0], s.inbox[:0]
	s.now, s.seq, s.hash, s.curID = 0, 0, 0, rootID
	s.cur, s.step, s.from = trace.Test, none, none
	s.steps, s.sent, s.spawned, s.past, s.ask = 0, 0, 0, 0, 0
	s.lost, s.choosy = 0, 0
	s.flagChoosy()
	s.free = none
	s.run++
	s.root = origin{}
	s.begun, s.ran, s.failure = false, false, nil
	s.always, s.after = s.standing, s.standing
	s.observers = s.observers[:0]
	if s.intruder.Load() != nil { // a load is cheap, a store is not
		s.intruder.Store(nil)
	}
}

// Close ends the run and gives back what the garbage collector cannot: the
// coroutines of processes. A closed system can only be asked for its trace.
func (s *System) Close() {
	if s.closed || !s.mustBeIdle("Close") {
		return
	}
	s.killProcesses()
	s.pool.close()
	s.closed = true
}

// mustBeIdle says whether a method may go on that nobody may call during a run.
func (s *System) mustBeIdle(what string) bool {
	if !s.mayCall(what) {
		return false
	}
	if s.running {
		s.misuse("%s of a system while it runs", what)
	}
	return true
}

// Trace returns what has happened in this run so far. It is filled again
// after Reset; Clone what must stay. Without Record it has only the actors.
func (s *System) Trace() *trace.Trace {
	s.trace.Hash = s.hash
	if s.recording {
		s.trace.Sends = s.sends
	}
	return &s.trace
}

// Record returns the decisions of this run so far. It is filled again by the
// next call and after Reset. Without Options.Record it is empty.
func (s *System) Record() *choice.Record {
	list := s.record.Deliveries[:0]
	for i := range s.trace.Steps {
		if st := &s.trace.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			list = append(list, st.ID)
		}
	}
	s.record.Deliveries = list
	return &s.record
}

// Options returns what the system was told.
func (s *System) Options() Options { return s.options }

// Running says whether the system is taking steps now.
func (s *System) Running() bool { return s.running }

// HasRun says whether the system was asked to take steps since it was made or
// reset, be it that there were none to take.
func (s *System) HasRun() bool { return s.ran }

// Steps returns how many steps this run has taken.
func (s *System) Steps() int { return int(s.steps) }

// Now returns virtual time: how long the run has lasted for its program.
func (s *System) Now() time.Duration { return time.Duration(s.now) }

// Err returns what the run failed with as an error, nil while it has not.
func (s *System) Err() error {
	if s.failure == nil {
		return nil
	}
	return s.failure
}

// Failure returns what the run failed with, nil while it has not. It has more
// to say than Err; compare it with nil before it becomes an error.
func (s *System) Failure() *Failure { return s.failure }

// Observe adds an observer for the rest of this run, which must be recorded.
func (s *System) Observe(o Observer) {
	if !s.mayCall("Observe") {
		return
	}
	if !s.recording {
		s.misuse("Observe: the run is not recorded: set Options.Record")
	}
	s.observers = append(s.observers, o)
	s.always |= workObserve
	s.after |= workObserve
}

// Received returns what actors have sent to the test, in the order of receipt.
func (s *System) Received() []any { return s.inbox }

// inbox is the handler of the test's own actor.
type inbox System

func (in *inbox) Receive(_ *Ctx, msg any) { in.inbox = append(in.inbox, msg) }
