package pulse

import (
	"math"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A System is one run of a program made of actors. It is used by one
// goroutine at a time; Reset makes it ready for the next run and keeps its
// memory, so that a worker that runs a million cases allocates once.
//
// It takes the steps; what they change is in its parts: a cast of actors, on
// top of the traffic between them.
type System struct {
	cast
	enabled   Enabled
	until     int64 // when this Run or RunFor ends
	limit     int32 // steps that may be taken
	root      origin
	observers []Observer
	inbox     []any // what the test has received, but for the answers to its Asks
	asking    asking
	entered   int // how often Run or its like has begun
	closed    bool
	looked    bool // Trace or Record was called while no step was running
}

// New returns a system that is ready for its first run. Close it when done.
func New(o Options) *System {
	s := &System{}
	s.join(s)
	s.enabled = Enabled{mail: &s.mail, sys: s}
	s.Configure(o)
	return s
}

// Configure resets the system and gives it other options: New, but with the
// memory that the system has.
func (s *System) Configure(o Options) {
	if !s.mustBeIdle("Configure") {
		return
	}
	if text := o.refusal(); text != "" {
		s.misuse("%s", text)
	}
	s.walkWith(o.Tools)
	s.configure(o)
	s.limit = int32(min(orDefault(o.Steps, defaultSteps), math.MaxInt32))
	if !s.needs.States {
		s.states = nil
	} else if s.states == nil {
		s.states = s.walk
	}
	s.Reset(o.Seed)
}

// Reset ends the run, whatever it has come to, and begins another with
// nothing in it. References and contexts of the old run are no longer good.
// It allocates nothing once the system has seen a run as large.
func (s *System) Reset(seed uint64) {
	if !s.mustBeIdle("Reset") {
		return
	}
	s.killProcesses()
	s.traffic.reset()
	s.actors = s.actors[:0]
	s.observers, s.inbox, s.entered, s.looked = s.observers[:0], s.inbox[:0], 0, false
	s.asking.reset()
	s.seed = seed
	s.spawnPlain("test", (*inbox)(s), none)
	s.root = origin{}
	s.rec.outside(s.root)
}

// Close ends the run and gives back what the garbage collector cannot: the
// coroutines of processes. A closed system can only be asked for its trace.
func (s *System) Close() {
	if s.closed || !s.mustBeIdle("Close") {
		return
	}
	s.endCode()
	s.closed = true
}

// mayCall reports whether a method of the system may be called now.
func (s *System) mayCall(what string) bool {
	s.unwind()
	if s.calls.strange() {
		s.intrude(what, "system")
		return false
	}
	if s.closed {
		s.misuse("%s on a system that is closed: the property that it was made for has returned", what)
	}
	return true
}

// mayLook is mayCall for methods that change nothing: between steps any
// goroutine may call them.
func (s *System) mayLook(what string) bool {
	if s.calls.running || s.closed {
		return s.mayCall(what)
	}
	return true
}

// mustBeIdle reports whether a method may go on that nobody may call during a run.
func (s *System) mustBeIdle(what string) bool {
	if !s.mayCall(what) {
		return false
	}
	if s.calls.running {
		s.misuse("%s of a system while it runs", what)
	}
	return true
}

// Trace returns what has happened in this run so far. It is filled again
// after Reset; Clone what must stay. Without Record it has only the actors.
//
// A step that calls it depends on all steps before, as one does that calls
// Record, Steps or Warnings: a search that leaves out orders leaves out few
// around such a step.
func (s *System) Trace() *trace.Trace {
	s.rec.look(trace.Test, trace.AllSteps)
	s.looked = s.looked || !s.calls.running
	return s.view()
}

// Record returns the decisions of this run so far. It is filled again by the
// next call and after Reset. Without Options.Record it is empty.
func (s *System) Record() *choice.Record {
	s.rec.look(trace.Test, trace.AllSteps)
	s.looked = s.looked || !s.calls.running
	return s.rec.decisions()
}

// Options returns what the system was told.
func (s *System) Options() Options { return s.options }

// Running reports whether the system is taking steps now.
func (s *System) Running() bool { return s.calls.running }

// HasRun reports whether the system was asked to take steps since it was made
// or reset, even if there were none to take.
func (s *System) HasRun() bool { return s.entered > 0 }

// Steps returns how many steps this run has taken.
func (s *System) Steps() int {
	s.rec.look(trace.Test, trace.AllSteps)
	return int(s.rec.steps)
}

// Now returns virtual time: how long the run has lasted for its program.
func (s *System) Now() time.Duration {
	s.rec.meetsTime(&s.faults, trace.TheTime)
	return time.Duration(s.clock.now)
}

// Timers returns how many timers the run has set, those that end waits and sleeps
// among them.
func (s *System) Timers() int {
	s.rec.look(trace.Test, trace.AllSteps)
	return s.clock.set
}

// Err returns what the run failed with as an error, nil while it has not.
func (s *System) Err() error {
	if s.fails.failure == nil {
		return nil
	}
	return s.fails.failure
}

// Failure returns what the run failed with, nil while it has not. It has more
// to say than Err; compare it with nil before it becomes an error.
func (s *System) Failure() *Failure { return s.fails.failure }

// An Observer is told of each step when it is over. The system and its trace
// may be read, not used to send.
type Observer interface {
	Stepped(s *System, step int)
}

// Observe adds an observer for the rest of this run, which must be recorded.
func (s *System) Observe(o Observer) {
	if !s.mayCall("Observe") {
		return
	}
	if o == nil {
		s.misuse("Observe(nil): give it an observer")
	}
	if !s.rec.on {
		s.misuse("Observe: the run is not recorded: set Options.Record")
	}
	s.observers = append(s.observers, o)
	if _, ok := o.(SendObserver); ok {
		s.mail.onSend |= workObserve
	}
	s.todo.everyStep |= workObserve
	s.todo.afterStep |= workObserve
}

// Received returns what actors have sent to the test, in the order of receipt,
// but for the answers that Ask has returned.
func (s *System) Received() []any {
	s.rec.look(trace.Test, trace.ItsSteps)
	return s.inbox
}

// inbox is the handler of the test's own actor.
type inbox System

func (in *inbox) Receive(_ *Ctx, msg any) { in.inbox = append(in.inbox, msg) }

// Spawn adds an actor and returns where to send to it. The name is a label;
// it need not be unique.
func (s *System) Spawn(name string, a Actor) Ref {
	if !s.mayCall("Spawn") {
		return Ref{}
	}
	return s.spawnPlain(name, a, s.rec.cur)
}

// Go adds a process: an actor written as straight-line code that blocks. It
// begins with a step of its own.
func (s *System) Go(name string, body func(*Process)) Ref {
	return s.SpawnSpec(Spec{Name: name, Process: body})
}

// SpawnSpec adds the actor that a Spec describes.
func (s *System) SpawnSpec(spec Spec) Ref {
	if !s.mayCall("Spawn") {
		return Ref{}
	}
	return s.spawn(&spec, s.rec.cur)
}

// Alive reports whether the actor has neither ended nor crashed.
func (s *System) Alive(r Ref) bool {
	if !s.mayCall("Alive") {
		return false
	}
	s.check(r, "Alive")
	return s.lives(r.actor)
}

// Fail ends the run with a failure: what was found wrong by someone who
// watches it. In a step it does not return.
func (s *System) Fail(f *Failure) {
	if !s.mayCall("Fail") {
		return
	}
	if f == nil {
		s.misuse("Fail(nil): give it what was found wrong")
	}
	s.fails.fail(f)
	if s.calls.running {
		s.throw(f)
	}
}

// Warnings returns what was odd about the run although it did not fail: each
// message that was sent to an actor that had ended, up to 64 of them.
func (s *System) Warnings() []string {
	s.rec.look(trace.Test, trace.AllSteps)
	return s.warnings()
}
