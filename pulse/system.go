package pulse

import (
	"math"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A System is one run of a program made of actors. Only one goroutine at a
// time may use it. Reset prepares the System for the next run and keeps its
// memory, so that a program that makes a million runs allocates the memory
// only once.
//
// The methods of System take the steps of a run. The embedded cast holds the
// actors. The traffic that is embedded in the cast handles messages and
// timers.
type System struct {
	cast
	enabled   Enabled
	until     int64  // virtual time at which this Run or RunFor ends
	limit     int32  // maximum number of steps
	root      origin // the counts of the test's own actions before the system began to take steps
	observers []Observer
	hosted    func() // the function of Host.AfterSteps
	inbox     []any  // the messages that the test has received, except replies to its Ask calls
	asking    asking
	entered   int // number of calls to Run, RunFor, Settle and Ask that have begun to take steps
	closed    bool
	looked    bool // set if Trace or Record was called while no step was running
}

// New returns a system that is ready for its first run. Call Close after the
// last run.
func New(o Options) *System {
	s := &System{}
	s.join(s)
	s.enabled = Enabled{mail: &s.mail, sys: s}
	s.Configure(o)
	return s
}

// Configure sets new options and resets the system. Configure has the same
// effect as New, but reuses the system's memory.
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

// Reset ends the run and begins a new one without actors. Each Ref and Ctx of
// the old run becomes invalid. Reset allocates no memory if an earlier run was
// at least as large.
func (s *System) Reset(seed uint64) {
	if !s.mustBeIdle("Reset") {
		return
	}
	s.killProcesses()
	s.traffic.reset()
	s.actors = s.actors[:0]
	s.observers, s.hosted, s.inbox, s.entered, s.looked = s.observers[:0], nil, s.inbox[:0], 0, false
	s.asking.reset()
	s.seed = seed
	s.spawnPlain("test", (*inbox)(s), none)
	s.root = origin{}
	s.rec.outside(s.root)
}

// Close ends the run and releases the coroutines of processes, which the
// garbage collector cannot release. After Close only methods that read the
// finished run may be called, such as Trace and Err.
func (s *System) Close() {
	if s.closed || !s.mustBeIdle("Close") {
		return
	}
	s.endCode()
	s.closed = true
}

// Trace returns the trace of this run so far. Reset overwrites the trace; use
// Clone to keep it. Without Options.Record the trace has only the actors.
//
// A step that calls Trace, Record, Steps, Timers or Warnings depends on all
// steps before it, so a search can prune few orders around it.
func (s *System) Trace() *trace.Trace {
	s.rec.look(trace.Test, trace.AllSteps)
	s.looked = s.looked || !s.calls.running
	return s.view()
}

// Record returns the decisions of this run so far. The next call to Record or
// Reset overwrites the result. Without Options.Record the result is empty.
func (s *System) Record() *choice.Record {
	s.rec.look(trace.Test, trace.AllSteps)
	s.looked = s.looked || !s.calls.running
	return s.rec.decisions()
}

// Options returns the system's options.
func (s *System) Options() Options { return s.options }

// Running reports whether the system is taking steps now.
func (s *System) Running() bool { return s.calls.running }

// HasRun reports whether Run, RunFor, Settle or Ask was called since the
// system was made or reset, even if there were no steps to take.
func (s *System) HasRun() bool { return s.entered > 0 }

// Steps returns the number of steps that this run has taken.
func (s *System) Steps() int {
	s.rec.look(trace.Test, trace.AllSteps)
	return int(s.rec.steps)
}

// Now returns the virtual time since the run began.
func (s *System) Now() time.Duration {
	s.rec.meetsTime(&s.faults, trace.TheTime)
	return time.Duration(s.clock.now)
}

// Timers returns the number of timers that the run has set, including timers of
// sleeps and timeouts.
func (s *System) Timers() int {
	s.rec.look(trace.Test, trace.AllSteps)
	return s.clock.set
}

// Err returns the run's failure as an error, or nil.
func (s *System) Err() error {
	if s.fails.failure == nil {
		return nil
	}
	return s.fails.failure
}

// Failure returns the run's failure, or nil. A Failure has more details than
// the error of Err. Check it for nil before converting it to an error.
func (s *System) Failure() *Failure { return s.fails.failure }

// An Observer is called after each step. It may read the system and its trace,
// but must not send messages.
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

// Received returns the messages that the test has received, in the order of
// receipt. It leaves out the answers that Ask has returned.
func (s *System) Received() []any {
	s.rec.look(trace.Test, trace.ItsSteps)
	return s.inbox
}

// inbox is the handler of the actor that stands for the test.
type inbox System

func (in *inbox) Receive(_ *Ctx, msg any) { in.inbox = append(in.inbox, msg) }

// Spawn adds an actor and returns a reference to it. The name is a label and
// need not be unique.
func (s *System) Spawn(name string, a Actor) Ref {
	if !s.mayCall("Spawn") {
		return Ref{}
	}
	return s.spawnPlain(name, a, s.rec.cur)
}

// Go adds a process, which is an actor written as straight-line code that may
// block. The first step of the process starts its code.
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

// Alive reports whether an actor is alive: it has not ended and is not crashed.
func (s *System) Alive(r Ref) bool {
	if !s.mayCall("Alive") {
		return false
	}
	s.check(r, "Alive")
	return s.lives(r.actor)
}

// Fail fails the run with a failure that an observer has found. While the
// system takes steps, Fail does not return.
func (s *System) Fail(f *Failure) {
	if !s.mayCall("Fail") {
		return
	}
	if f == nil {
		s.misuse("Fail(nil): give it a Failure")
	}
	s.fails.fail(f)
	if s.calls.running {
		s.throw(f)
	}
}

// Warnings returns a line for each of the first 64 messages that were sent to
// ended actors, even if the run did not fail. If there were more than 64, the
// last line has the number of the remaining messages.
func (s *System) Warnings() []string {
	s.rec.look(trace.Test, trace.AllSteps)
	return s.warnings()
}
