package props

import (
	"reflect"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/leanovate/gopter"
	"pgregory.net/rapid"
)

// A Runner runs one property, one run at a time. It reuses the system and the memory
// in each run. A Runner is not safe for concurrent use, so each worker needs its own
// Runner.
type Runner struct {
	name     string
	property func(*T)
	t        *T // the T that the current run has given to the property
	state    state
	busy     bool
	closed   bool
	stage    stage
	g        uintptr // the goroutine of the stage
	sys      *pulse.System
	plain    bool // set if sys was made with the settings in planned and no other options
	planned  Plan
	needs    pulse.Needs          // the needs of planned.Strategy
	failed   func(*pulse.Failure) // the method value systemFailed, made once to save allocations
	plan     Plan
	lent     int // the plan's EarlyTimers if the run's system uses them, else 0

	inputs    []choice.Input // the draws of this run
	values    []any
	parts     []Part
	arity     []int
	reads     []int
	most      []int // for each draw, the maximum number of words read in earlier runs, decreasing slowly
	drawings  []any // for each draw, the *drawing[V] that made the draw in the previous run
	of        int   // the number of values of the current OneOf draw; 0 for other draws
	wordsRead int
	stray     string
	rejected  string
	tooLarge  bool

	sometimes  map[string]bool // for each situation (see T.Sometimes), whether some run has reached the situation
	names      []string        // the names given to T.Sometimes, in the order of the first calls
	crowded    bool            // set if T.Sometimes was called with more than mostSituations names
	helpers    helpers
	words      words // the words of the current draw
	generators generators
	sizes      gopter.GenParameters          // the settings that Sample passes to gopter's generators
	rapid      *rapid.T                      // the source of all draws under the function Rapid; else nil
	foreign    any                           // a panic value of rapid, rethrown when the run has ended
	intruder   atomic.Pointer[pulse.Failure] // the failure for a goroutine that used a T but may not use one
	over       atomic.Bool                   // set if the method Over was called
	watched    watched
	hints      hints   // the hints of the current run
	labels     []Label // the labels of the current run
}

// A Plan decides what one run does.
type Plan struct {
	// Inputs are the stored draws, in the order of the draws. A draw gets a new input if
	// Inputs has no element at the draw's position, or if the element has a different
	// label.
	Inputs []choice.Input
	// Words are random numbers for new draws. Each new draw first reads the next
	// WordsPerDraw numbers of the list.
	Words []uint64
	// Seed determines all words of new draws that are not in Words.
	Seed uint64
	// Strategy makes the decisions and is given StrategySeed. If Strategy is nil, the
	// oldest message is always delivered first.
	Strategy     pulse.Strategy
	StrategySeed uint64
	// EarlyTimers is the number of timers that may fire early in a run whose property
	// leaves pulse.Options.EarlyTimers at zero. The value pulse.NeverEarly also replaces
	// a nonzero value that the property has set.
	EarlyTimers int
	// Steps is the step limit if the property sets none. Zero means pulse's default.
	Steps int
	// Observer observes each step. It may be nil.
	Observer pulse.Observer
	// Look is called with the system after the property has returned and before
	// processes that still wait are ended. It may be nil.
	Look func(*pulse.System)
	// Parts asks for Result.Parts.
	Parts bool
}

// A Result is the result of one run. It is valid until the next run.
type Result struct {
	// Failure is nil if the property held.
	Failure *pulse.Failure
	// Location is the line that failed, in the property or in its actors, such as
	// "writer_test.go:31".
	Location pulse.Frame
	// Skipped is set if the run was skipped. Reason is the text given to Skip. If a
	// generator found no value, Rejected is the label of its draw. TooLarge is set if
	// that draw needed more words than a draw may read.
	Skipped  bool
	Reason   string
	Rejected string
	TooLarge bool
	// Stray describes the first difference between the labels of the draws and the labels
	// in the plan's Inputs. It is "" if there is no difference.
	Stray string
	// Inputs are the draws. Values are the drawn values, with all changes that the
	// property has made to them. Logs are the lines logged outside of steps. Lines logged
	// in steps are notes in the trace.
	Inputs []choice.Input
	Values []any
	Logs   []string
	// Arity has, for each draw, the number of values given to OneOf, or 0 if the draw is
	// no OneOf. An Input whose only word is i makes OneOf return value i.
	Arity []int
	// Reads has, for each draw, the number of words that the draw has read. It counts the
	// Words of the draw's Input and the words generated from the Input's Seed. It is 0
	// for a Source.
	Reads []int
	// Parts are the ranges of words that single rapid generators have read, in the order
	// in which they begin. They are empty unless Plan.Parts is set.
	Parts []Part
	// Watches is set if the verdict depends on the order of steps at different actors:
	// the property uses Always, Eventually, a monitor or a history. Remembers is set if
	// the verdict also depends on earlier states: the property uses Eventually, a
	// monitor or a history.
	Watches, Remembers bool
	// Between is set if the verdict depends on more than the order of T.Event calls, for
	// example on what Always or a monitor reads between steps. A search that skips
	// equivalent orders may then miss a failure.
	Between bool
	// Looks is set if the property has its own pulse.Observer, reads the trace or the
	// record, or uses the isolation check or Options.Pending.
	Looks bool
	// EarlyTimers is Plan.EarlyTimers if the run used it, else 0.
	EarlyTimers int
	// System is the system of the run, with the trace and the decisions. It is nil if the
	// property made no system.
	System *pulse.System
	// Attachments are the files to save with the case if the run failed.
	Attachments []Attachment
	// Hints are the hints given by Feature, Maximize and Sometimes, in the order in
	// which they were first given. HintsLost is set if there were more than 4,096.
	Hints     []Hint
	HintsLost bool
	// Labels are the values given to T.Label, each once.
	Labels []Label
}

// Unproven reports whether the run used a feature for which skipping equivalent
// orders is not proven correct: Skip, timers or the isolation check. A skipped run
// could behave differently in an equivalent order. The order of timers due at the
// same time is not determined by messages. The isolation check reads messages of
// several actors at once.
func (r *Result) Unproven() bool {
	return r.Skipped || r.System != nil && (r.System.Timers() > 0 || r.System.Options().Isolation)
}

// NewRunner returns a Runner of a property. Call Close when done.
func NewRunner(name string, property func(*T)) *Runner {
	mustBeThere("NewRunner", property)
	r := &Runner{name: name, property: property, sometimes: map[string]bool{},
		sizes: gopter.GenParameters{MaxSize: 100, MaxShrinkCount: 1000}}
	r.failed = r.systemFailed
	return r
}

// mustBeThere panics if the property is nil. The message begins with who, the name of
// the function to which the property was given.
func mustBeThere(who string, property func(*T)) {
	if property == nil {
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: who + ": the property is nil: give it a func(*props.T)"})
	}
}

// Close releases the runner's system and goroutine. Run must not be called afterward.
func (r *Runner) Close() {
	if r.sys != nil && !r.closed {
		r.sys.Host().Disown()
		r.sys.Close()
		r.sys.Host().Own() // Late then reports any later use of the system
	}
	if r.stage.stop != nil {
		r.stage.stop()
		r.stage = stage{}
	}
	r.closed = true
}

// Late returns the failure for a goroutine that used a T or a system after the last
// run, or nil. If Late is not called, the next run fails with that failure.
func (r *Runner) Late() *pulse.Failure {
	if r.intruder.Load() != nil { // a load is cheap, a swap is not
		return r.intruder.Swap(nil)
	}
	if r.sys != nil && r.state.failure == nil {
		return r.sys.Host().Late()
	}
	return nil
}

// Over calls Late for the last time, when the test ends. A goroutine that uses a T or
// a system afterward panics and ends the process, as with a testing.T.
func (r *Runner) Over() *pulse.Failure {
	r.over.Store(true)
	late := r.Late()
	if r.sys != nil {
		r.sys.Host().Disown()
	}
	return late
}

// Missed returns the names of the situations given to Sometimes that no run has
// reached, in the order of their first call.
func (r *Runner) Missed() []string {
	var list []string
	for _, name := range r.names {
		if !r.sometimes[name] {
			list = append(list, name)
		}
	}
	return list
}

// mostSituations is the maximum number of Sometimes names that a Runner stores. Names
// that contain values may be new in each run.
const mostSituations = 1000

// Crowded reports whether Sometimes was called with more than 1,000 names. Missed
// ignores names after the first 1,000.
func (r *Runner) Crowded() bool { return r.crowded }

func (r *Runner) noteSometimes(name string, reached bool) {
	was, known := r.sometimes[name]
	if !known && len(r.names) == mostSituations {
		r.crowded = true
		return
	}
	if !known {
		r.names = append(r.names, name)
	}
	if !known || reached && !was {
		r.sometimes[name] = reached
	}
}

// Run runs the property once. It returns a Result even if the property panics, calls
// Goexit or fails.
func (r *Runner) Run(plan Plan) Result {
	r.begin(plan)
	for r.play() {
	}
	r.watched.turns.Add(1)
	r.t.over.Store(true)
	if f := r.Late(); f != nil {
		r.t.override(f) // the late goroutine may have caused every other failure
	}
	r.busy = false
	return r.result()
}

// begin prepares the runner for a run.
func (r *Runner) begin(plan Plan) {
	switch {
	case r.closed:
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "Run on a Runner that is closed"})
	case r.busy:
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "Run on a Runner that is running: one worker has one Runner"})
	}
	r.busy = true
	r.plan = plan
	r.inputs, r.values, r.arity, r.reads, r.parts = r.inputs[:0], r.values[:0], r.arity[:0], r.reads[:0], r.parts[:0]
	r.watched.turns.Add(1)
	r.wordsRead, r.stray, r.rejected, r.tooLarge, r.foreign, r.lent = 0, "", "", false, nil, 0
	st := &r.state
	st.clear()
	r.hints.clear()
	r.labels = r.labels[:0]
	r.t = &T{runner: r, state: st}
}

// act runs the property and its cleanups. If Goexit has ended the stage during the
// run, act runs only the remaining cleanups.
func (r *Runner) act() {
	st := &r.state
	if !st.returned {
		r.guarded("the property", func() {
			defer func() { st.returned = true }()
			r.property(r.t)
			r.finish()
		})
	}
	for n := len(st.cleanups); n > 0; n = len(st.cleanups) {
		f := st.cleanups[n-1]
		st.cleanups = st.cleanups[:n-1]
		r.guarded("a Cleanup", f)
	}
	if look := r.plan.Look; look != nil && st.sys != nil {
		look(st.sys)
	}
	r.endProcesses()
}

// endProcesses ends the processes that still wait after a run that passed. If one of
// their deferred functions fails, this run fails.
func (r *Runner) endProcesses() {
	st := &r.state
	if st.sys == nil || !st.sys.Host().Waiting() || st.failure != nil || st.skipped || st.sys.Failure() != nil {
		return
	}
	if pulse.NeedsOf(r.plan.Strategy).States {
		return // keep the processes, because a search that compares states inspects them after the run
	}
	st.ending = true
	r.guarded("a process that was ended", st.sys.Host().Finish)
	st.ending = false
	if f := st.sys.Host().Late(); f != nil && st.failure == nil {
		r.t.fail(f)
	}
}

// finish checks a run whose property has returned. The property must have run exactly
// one system, and its Eventually conditions must have held.
func (r *Runner) finish() {
	switch s := r.state.sys; {
	case r.state.failure != nil || r.state.skipped:
	case s == nil:
		r.t.misuse("the property made no system: nothing was run; call System, and Run on it, or goroutine.Run with it")
	case !s.HasRun():
		r.t.misuse("the property did not run its system: nothing happened; call Run")
	case s.Host().Unrun() && r.rapid == nil: // rapid's Repeat may end after any action, so no Run may follow
		r.t.misuse("the property sends or starts something after its last Run, which has no effect: call Run again")
	case s.Host().Running() != r.state.test:
		r.t.misuse("the property reset its system: its Always and Eventually conditions are lost; a property has one run")
	default:
		if l := r.state.last; l.runs > 0 { // some run of the test must call Run after the call to Always or Monitor, but not every run
			r.noteSometimes(l.what+" "+l.name+": a Run follows", s.Host().Runs() > l.runs)
		}
		r.t.checkEventually()
	}
}

func (r *Runner) result() Result {
	st := &r.state
	res := Result{Failure: st.failure, Location: st.location, Stray: r.stray, Inputs: r.inputs, Values: r.values, Arity: r.arity, Reads: r.reads, Parts: r.parts,
		Logs: st.logs, Attachments: st.attached, System: st.sys, EarlyTimers: r.lent, Hints: r.hints.list, HintsLost: r.hints.lost, Labels: r.labels}
	observed := r.isObserved()
	remembers := observed || len(st.awaited)+len(st.monitors) > 0
	if st.sys != nil {
		o := st.sys.Options()
		res.Looks = observed || o.Isolation || o.Pending > 0 || st.sys.Host().Looked()
	}
	res.Between = remembers || st.watches || res.Looks || len(st.always) > 0
	res.Remembers = remembers || st.remembers
	res.Watches = res.Between || st.remembers
	if st.failure == nil {
		res.Skipped, res.Reason, res.Rejected, res.TooLarge = st.skipped, st.reason, r.rejected, r.tooLarge
	}
	return res
}

// isObserved reports whether the property has added its own pulse.Observer to its
// system.
func (r *Runner) isObserved() bool {
	st := &r.state
	if st.sys == nil {
		return false
	}
	known := 0
	if r.plan.Observer != nil {
		known++
	}
	if len(st.always)+len(st.awaited)+len(st.monitors) > 0 {
		known++
	}
	return st.sys.Host().Observers() > known
}

// plainSystem returns the runner's system without options, reset for a run. If
// the plan's settings are the same as in the previous run, System.Reset is enough.
func (r *Runner) plainSystem() *pulse.System {
	p := &r.plan
	if r.sys == nil || !r.plain || r.planned.Steps != p.Steps || r.planned.EarlyTimers != p.EarlyTimers || !same(r.planned.Strategy, p.Strategy) ||
		r.needs != pulse.NeedsOf(p.Strategy) {
		s := r.system(pulse.Options{})
		r.plain, r.planned, r.needs = true, Plan{Steps: p.Steps, EarlyTimers: p.EarlyTimers, Strategy: p.Strategy}, pulse.NeedsOf(p.Strategy)
		return s
	}
	if !again(func() { r.sys.Reset(p.StrategySeed) }) {
		r.sys = nil
		return r.plainSystem()
	}
	r.lent = p.EarlyTimers
	if p.Observer != nil {
		r.sys.Observe(p.Observer)
	}
	return r.sys
}

// same reports whether the plans of two runs have the same strategy. It is false
// if the strategies cannot be compared.
func same(a, b pulse.Strategy) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if reflect.TypeOf(a).Kind() == reflect.Pointer {
		return a == b
	}
	// A strategy may be a struct with fields that cannot be compared.
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// system returns the runner's system with the given options, reset for a run.
func (r *Runner) system(o pulse.Options) *pulse.System {
	r.plain = false
	o.Strategy, o.Seed, o.Record = r.plan.Strategy, r.plan.StrategySeed, true
	if o.Steps == 0 {
		o.Steps = r.plan.Steps
	}
	if o.EarlyTimers == 0 || r.plan.EarlyTimers == pulse.NeverEarly {
		o.EarlyTimers, r.lent = r.plan.EarlyTimers, r.plan.EarlyTimers
	}
	o.Failed, o.Tools = r.failed, isTool
	if r.sys == nil || !again(func() { r.sys.Configure(o) }) {
		r.sys = pulse.New(o)
	}
	if r.plan.Observer != nil {
		r.sys.Observe(r.plan.Observer)
	}
	return r.sys
}

// isTool reports whether t belongs to the test, not to the program under test. The
// types of this package and of rapid belong to the test.
func isTool(t reflect.Type) bool {
	path := t.PkgPath()
	return path == reflect.TypeFor[T]().PkgPath() || path == reflect.TypeFor[rapid.T]().PkgPath()
}

// again calls ready, which resets a system. It returns false if ready panics with a
// *pulse.Failure because the property has closed the system.
func again(ready func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, misused := v.(*pulse.Failure); !misused {
				panic(v)
			}
		}
	}()
	ready()
	return true
}

// systemFailed is called when the system has failed. It ends the property, because
// later checks would only report consequences of the failure.
func (r *Runner) systemFailed(f *pulse.Failure) {
	switch {
	case f == r.state.skip:
	case r.rapid != nil && isRapids(f.Value):
		r.foreign = f.Value
	default:
		r.t.fail(f)
	}
	panic(quit{})
}
