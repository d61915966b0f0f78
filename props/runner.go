package props

import (
	"reflect"
	"sync/atomic"

	"github.com/leanovate/gopter"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Runner runs one property, one run at a time. It reuses the system and its memory
// from run to run: one worker has one Runner.
type Runner struct {
	name     string
	property func(*T)
	t        *T // the T of the current run
	state    state
	busy     bool
	closed   bool
	stage    stage
	g        uintptr // the stage's goroutine
	sys      *pulse.System
	plain    bool // sys has no options but those of planned
	planned  Plan
	needs    pulse.Needs          // those of the planned strategy
	failed   func(*pulse.Failure) // the method value systemFailed, made once
	plan     Plan
	lent     int // the plan's EarlyTimers if the run's system uses them, else 0

	inputs    []choice.Input // drawn in this run
	values    []any
	parts     []Part
	arity     []int
	reads     []int
	most      []int // by draw: the decaying maximum of how many numbers recent runs have read
	drawings  []any // by draw: the *drawing that made it last
	of        int   // how many values the current OneOf has; 0 in other draws
	wordsRead int
	stray     string
	rejected  string
	tooLarge  bool

	sometimes  map[string]bool // by name: whether some run reached the situation
	names      []string        // the keys of sometimes, in the order of their first call
	crowded    bool            // more names were given than are kept
	helpers    helpers
	words      words // those of the current draw
	generators generators
	sizes      gopter.GenParameters          // given to gopter's generators by Sample
	rapid      *rapid.T                      // under Rapid: draws come from it
	foreign    any                           // a panic of rapid, to be thrown again outside
	intruder   atomic.Pointer[pulse.Failure] // a call on a T that was not allowed
	over       atomic.Bool                   // Over was called
	watched    watched
	hints      hints // of the current run
}

// A Plan decides what one run does.
type Plan struct {
	// Inputs are the stored draws in order. A draw beyond them, or with another
	// label than the stored one, is new.
	Inputs []choice.Input
	// Words are the first numbers that new draws read, WordsPerDraw each.
	Words []uint64
	// Seed determines all other numbers of new draws.
	Seed uint64
	// Strategy makes the decisions and is given StrategySeed. Nil means plain order.
	Strategy     pulse.Strategy
	StrategySeed uint64
	// EarlyTimers is how many timers may fire early in a run whose property leaves
	// pulse.Options.EarlyTimers at zero. pulse.NeverEarly applies to all properties.
	EarlyTimers int
	// Steps bounds a run whose property sets no bound; zero means pulse's default.
	Steps int
	// Observer observes each step. It may be nil.
	Observer pulse.Observer
	// Look is called with the system after the property has returned and before
	// waiting processes are ended. It may be nil.
	Look func(*pulse.System)
	// Parts asks for Result.Parts.
	Parts bool
}

// A Result is the result of one run. It is valid until the next run.
type Result struct {
	// Failure is nil when the property held.
	Failure *pulse.Failure
	// Location is the line of the property or of its actors that failed, such as
	// "writer_test.go:31".
	Location pulse.Frame
	// Skipped reports that the run was skipped, Reason is the text that Skip was given. Rejected is the label of the draw
	// whose generator found no value, if that was the reason, and TooLarge reports
	// that it needed more numbers than a draw may read.
	Skipped  bool
	Reason   string
	Rejected string
	TooLarge bool
	// Stray describes the first difference between the draws and those of the plan,
	// "" when there is none.
	Stray string
	// Inputs are the draws and Values their values. If the property changed a value
	// after the draw, Values has the changed one. Logs are the lines logged outside
	// of steps; those logged in steps are notes of the trace.
	Inputs []choice.Input
	Values []any
	Logs   []string
	// Arity is, for each draw by OneOf, how many values it chose from, and 0 for
	// other draws. An Input whose only word is i makes OneOf choose value i.
	Arity []int
	// Reads is how many numbers each draw has read: first Words of its Input, then
	// numbers that follow from its Seed. It is 0 for a Source.
	Reads []int
	// Parts are the parts of draws from generators of rapid, if the plan asks for
	// them. They are in the order in which they begin; a part comes before the parts
	// in it.
	Parts []Part
	// Watches reports that the verdict depends on the order of steps at
	// different actors: the property uses Always, Eventually, a monitor or a
	// history. Remembers reports that it depends on earlier states too: the
	// property uses one of these other than Always.
	Watches, Remembers bool
	// Between reports that Watches is true because of more than events. The trace
	// shows that the order of events matters. What Always or a monitor sees between
	// steps may differ in an order that was skipped.
	Between bool
	// Looks reports that Watches is true for one of these reasons: the property has
	// an observer of its own, reads the trace or the record, or uses the isolation
	// check or Options.Pending.
	Looks bool
	// EarlyTimers is the plan's value if the run used it, else 0.
	EarlyTimers int
	// System has the trace and the decisions. It is nil when the property made
	// no system.
	System *pulse.System
	// Attachments are the files to save next to the case if the run failed.
	Attachments []Attachment
	// Hints are what the property reported by Feature, by Maximize and, for reached
	// situations, by Sometimes, in the order of their first report. HintsLost
	// reports that there were more than 4,096.
	Hints     []Hint
	HintsLost bool
}

// Unproven reports whether the run used a feature for which reductions are not proven. A
// skipped run could have shown something else in another order. No message decides the order
// of timers that are due at one time, and they may fire early. The isolation check reads
// messages of several actors at once.
func (r *Result) Unproven() bool {
	return r.Skipped || r.System != nil && (r.System.Timers() > 0 || r.System.Options().Isolation)
}

// NewRunner returns a runner of a property. Close it when done.
func NewRunner(name string, property func(*T)) *Runner {
	mustBeThere("NewRunner", property)
	r := &Runner{name: name, property: property, sometimes: map[string]bool{},
		sizes: gopter.GenParameters{MaxSize: 100, MaxShrinkCount: 1000}}
	r.failed = r.systemFailed
	return r
}

// mustBeThere panics if the property is nil. Who names the function that was given
// it.
func mustBeThere(who string, property func(*T)) {
	if property == nil {
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: who + ": the property is nil: give it a func(*props.T)"})
	}
}

// Close frees what the runner holds. It may be called again; Run may not.
func (r *Runner) Close() {
	if r.sys != nil && !r.closed {
		r.sys.Host().Disown()
		r.sys.Close()
		r.sys.Host().Own() // any later use is late
	}
	if r.stage.stop != nil {
		r.stage.stop()
		r.stage = stage{}
	}
	r.closed = true
}

// Late returns the failure of a goroutine that used a T or a system after the
// last run, nil when there is none. Without a call of Late the next run fails
// with it.
func (r *Runner) Late() *pulse.Failure {
	if r.intruder.Load() != nil { // a load is cheap, a swap is not
		return r.intruder.Swap(nil)
	}
	if r.sys != nil && r.state.failure == nil {
		return r.sys.Host().Late()
	}
	return nil
}

// Over is the last Late, for the end of the test. A goroutine that uses a T or a
// system after it panics and ends the process, as one does that uses a testing.T too
// late.
func (r *Runner) Over() *pulse.Failure {
	r.over.Store(true)
	late := r.Late()
	if r.sys != nil {
		r.sys.Host().Disown()
	}
	return late
}

// Missed returns the names given to Sometimes whose situation no run has
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

// mostSituations bounds how many names given to Sometimes are kept: names made from
// values may be new in each run.
const mostSituations = 1000

// Crowded reports whether Sometimes was given more than the 1,000 names that are
// kept. Missed has none of the others.
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

// Run runs the property once. No panic, Goexit or failure of the property
// reaches the caller: all end in the result.
func (r *Runner) Run(plan Plan) Result {
	r.begin(plan)
	for r.play() {
	}
	r.watched.turns.Add(1)
	r.t.over.Store(true)
	if f := r.Late(); f != nil {
		r.t.override(f) // the goroutine may have caused all other failures
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
	r.t = &T{runner: r, state: st}
}

// act runs the property and its cleanups. After a stage was lost it runs the
// remaining cleanups.
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

// endProcesses ends the processes that still wait after a run that held. A failure of
// their deferred functions is this run's failure.
func (r *Runner) endProcesses() {
	st := &r.state
	if st.sys == nil || !st.sys.Host().Waiting() || st.failure != nil || st.skipped || st.sys.Failure() != nil {
		return
	}
	if pulse.NeedsOf(r.plan.Strategy).States {
		return // a search that compares states inspects the processes now
	}
	st.ending = true
	r.guarded("a process that was ended", st.sys.Host().Finish)
	st.ending = false
	if f := st.sys.Host().Late(); f != nil && st.failure == nil {
		r.t.fail(f)
	}
}

// finish checks a run whose property has returned: that it ran one system, and that
// what it awaited happened.
func (r *Runner) finish() {
	switch s := r.state.sys; {
	case r.state.failure != nil || r.state.skipped:
	case s == nil:
		r.t.misuse("the property made no system: nothing was run; call System, and Run on it")
	case !s.HasRun():
		r.t.misuse("the property did not run its system: nothing happened; call Run")
	case s.Host().Unrun() && r.rapid == nil: // rapid's Repeat may end anywhere
		r.t.misuse("the property sends or starts something after its last Run, and nothing comes of it: call Run again")
	case s.Host().Running() != r.state.test:
		r.t.misuse("the property reset its system: what Always and Eventually said is lost; a property has one run")
	default:
		if l := r.state.last; l.runs > 0 { // not a failure of this run: it may have nothing more to do
			r.noteSometimes(l.what+" "+l.name+": a Run follows", s.Host().Runs() > l.runs)
		}
		r.t.checkEventually()
	}
}

// guarded calls a part of the property. A panic in it becomes the run's failure.
func (r *Runner) guarded(what string, f func()) {
	defer func() {
		switch v := recover().(type) {
		case nil, quit:
		case *pulse.Failure:
			if len(v.Stack) > 0 { // cut by pulse, which does not know this package
				setFrames(v)
			}
			r.t.fail(v)
		default:
			if r.rapid != nil && isRapids(v) {
				r.foreign = v
				return
			}
			f := &pulse.Failure{Kind: pulse.KindPanic, Step: -1, Value: v, Text: "panic in " + what + ": " + trace.Thrown(v)}
			setFrames(f)
			r.t.fail(f)
		}
	}()
	f()
}

func (r *Runner) result() Result {
	st := &r.state
	res := Result{Failure: st.failure, Location: st.location, Stray: r.stray, Inputs: r.inputs, Values: r.values, Arity: r.arity, Reads: r.reads, Parts: r.parts,
		Logs: st.logs, Attachments: st.attached, System: st.sys, EarlyTimers: r.lent, Hints: r.hints.list, HintsLost: r.hints.lost}
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

// isObserved reports whether the run has an observer that is neither this
// package's nor the plan's.
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

// plainSystem returns the runner's system without options, reset for a run. When
// the last run had the same settings, as nearly always, a Reset suffices.
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

// same reports whether two strategies are the same value.
func same(a, b pulse.Strategy) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if reflect.TypeOf(a).Kind() == reflect.Pointer {
		return a == b
	}
	// Strategies that are structs are the same only if they can be compared.
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// system returns the runner's system with options, reset for a run.
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

// isTool reports whether values of a type belong to the test and not to the program:
// types of this package and of rapid.
func isTool(t reflect.Type) bool {
	path := t.PkgPath()
	return path == reflect.TypeFor[T]().PkgPath() || path == reflect.TypeFor[rapid.T]().PkgPath()
}

// again calls ready, which prepares a system for another run. It returns false
// when that fails because the property has closed the system.
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

// systemFailed is called when the system has failed. It ends the property, since
// checks after a failure would only report its consequences.
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
