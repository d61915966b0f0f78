package props

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/leanovate/gopter"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A Runner runs one property, once at a time. It keeps the system and its
// memory from run to run: one worker has one Runner.
type Runner struct {
	name     string
	property func(*T)
	t        *T // of this run
	state    state
	busy     bool
	closed   bool
	stage    stage
	g        uintptr // the stage's goroutine
	sys      *pulse.System
	plain    bool // it has no options but those that planned has
	planned  Plan
	failed   func(*pulse.Failure) // systemFailed, made once
	plan     Plan

	inputs    []choice.Input // drawn in this run
	values    []any
	arity     []int
	of        int // how many values the draw that is made has to choose from; 0 when unknown
	wordsRead int
	stray     string
	rejected  string

	sometimes  map[string]bool // name: was reached in some run
	names      []string        // of sometimes, as they came
	helpers    helpers
	words      words // of the draw that is made
	generators generators
	sizes      gopter.GenParameters // what Sample tells gopter's generators
	rapid      *rapid.T             // whom draws come from instead, under Rapid
	foreign    any                  // what rapid panicked with, to be thrown again
	intruder   atomic.Pointer[pulse.Failure]
}

// A Plan says what one run does.
type Plan struct {
	// Inputs are stored draws, in their order. Draws beyond them, or with
	// other labels, are made anew.
	Inputs []choice.Input
	// Words are numbers that the draws that are made anew read first,
	// WordsPerDraw each.
	Words []uint64
	// Seed is what the draws that are made anew follow from.
	Seed uint64
	// Strategy makes the decisions, from StrategySeed; nil is plain order.
	Strategy     pulse.Strategy
	StrategySeed uint64
	// Steps bounds a run whose property sets no bound; zero means pulse's default.
	Steps int
	// Observer is told of each step. It may be nil.
	Observer pulse.Observer
}

// A Result is what came of one run. It is good until the next.
type Result struct {
	// Failure is nil when the property held.
	Failure *pulse.Failure
	// Location is the line of the property, or of its actors, that failed:
	// "writer_test.go:31".
	Location string
	// Skipped says that the property did not want this run; Rejected is the
	// label of the draw whose generator found no value, if that is why.
	Skipped  bool
	Rejected string
	// Stray says in what the draws differ from the plan's; "" when in nothing.
	Stray string
	// Inputs are the draws, Values what they gave, Logs what was logged. Where
	// a property changes what it drew, the value shows that.
	Inputs []choice.Input
	Values []any
	Logs   []string
	// Arity is, for each draw by OneOf, how many values it chose from, and 0 for
	// other draws. An Input whose only word is i makes OneOf choose value i.
	Arity []int
	// Watches says that what happened at several actors was judged in the order
	// of the steps: by Always, Eventually, a monitor or a history. Remembers
	// says that what judged, all but Always, keeps what it has seen.
	Watches, Remembers bool
	// System has the trace and the decisions. It is nil when the property
	// made none.
	System *pulse.System
	// Attachments are what is to be kept beside the case of a failure.
	Attachments []Attachment
}

// NewRunner returns a runner of a property. Close it when done.
func NewRunner(name string, property func(*T)) *Runner {
	r := &Runner{name: name, property: property, sometimes: map[string]bool{},
		sizes: gopter.GenParameters{MaxSize: 100, MaxShrinkCount: 1000}}
	r.failed = r.systemFailed
	return r
}

// Close gives back what the runner holds. It can be closed again, not run.
func (r *Runner) Close() {
	if r.sys != nil && !r.closed {
		r.sys.Close()
	}
	if r.stage.stop != nil {
		r.stage.stop()
		r.stage = stage{}
	}
	r.closed = true
}

// Late returns what a goroutine that outlived its run has done wrong, if the
// run was the last: else the next run fails with it.
func (r *Runner) Late() *pulse.Failure {
	if r.intruder.Load() == nil { // a load is cheap, a swap is not
		return nil
	}
	return r.intruder.Swap(nil)
}

// Missed returns the situations that were to be reached sometimes, and that
// no run has reached.
func (r *Runner) Missed() []string {
	var list []string
	for _, name := range r.names {
		if !r.sometimes[name] {
			list = append(list, name)
		}
	}
	return list
}

func (r *Runner) noteSometimes(name string, reached bool) {
	was, known := r.sometimes[name]
	if !known {
		r.names = append(r.names, name)
	}
	if !known || reached && !was {
		r.sometimes[name] = reached
	}
}

// Run runs the property once. Whatever the property does, the caller only
// gets a result.
func (r *Runner) Run(plan Plan) Result {
	r.begin(plan)
	for r.play() {
	}
	r.t.over.Store(true)
	if f := r.Late(); f != nil {
		r.t.override(f) // what else went wrong, a second goroutine may have broken
	}
	r.busy = false
	return r.result()
}

// begin makes the runner ready for a run.
func (r *Runner) begin(plan Plan) {
	switch {
	case r.closed:
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "Run on a Runner that is closed"})
	case r.busy:
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "Run on a Runner that is running: one worker has one Runner"})
	}
	r.busy = true
	r.plan = plan
	r.inputs, r.values, r.arity = r.inputs[:0], r.values[:0], r.arity[:0]
	r.wordsRead, r.stray, r.rejected, r.foreign = 0, "", "", nil
	st := &r.state
	st.clear()
	r.t = &T{runner: r, state: st}
}

// act is a run, or what is left of it when a stage was lost.
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
}

// finish looks at a property that has returned.
func (r *Runner) finish() {
	switch s := r.state.sys; {
	case r.state.failure != nil || r.state.skipped:
	case s == nil:
		r.t.misuse("the property made no system: nothing was run; call System, and Run on it")
	case !s.HasRun():
		r.t.misuse("the property did not run its system: nothing happened; call Run")
	case s.Host().Running() != r.state.test:
		r.t.misuse("the property reset its system: what Always and Eventually said is lost; a property has one run")
	default:
		r.t.overdue()
	}
}

// guarded calls a part of the property and takes what it panics with.
func (r *Runner) guarded(what string, f func()) {
	defer func() {
		switch v := recover().(type) {
		case nil, quit:
		case *pulse.Failure:
			r.t.fail(v)
		default:
			if r.rapid != nil && isRapids(v) {
				r.foreign = v
				return
			}
			f := &pulse.Failure{Kind: pulse.KindPanic, Step: -1, Value: v, Text: fmt.Sprintf("panic in %s: %v", what, v)}
			setFrames(f)
			r.t.fail(f)
		}
	}()
	f()
}

func (r *Runner) result() Result {
	st := &r.state
	res := Result{Failure: st.failure, Location: st.location, Stray: r.stray, Inputs: r.inputs, Values: r.values, Arity: r.arity,
		Logs: st.logs, Attachments: st.attached, System: st.sys}
	res.Remembers = st.remembers || len(st.awaited)+len(st.monitors) > 0
	res.Watches = res.Remembers || len(st.always) > 0
	if st.failure == nil {
		res.Skipped, res.Rejected = st.skipped, r.rejected
	}
	return res
}

// plainSystem returns the runner's system without options, made ready for a
// run. Nearly all runs are like the one before: then it need not be told.
func (r *Runner) plainSystem() *pulse.System {
	p := &r.plan
	if r.sys == nil || !r.plain || r.planned.Steps != p.Steps || !same(r.planned.Strategy, p.Strategy) {
		s := r.system(pulse.Options{})
		r.plain, r.planned = true, Plan{Steps: p.Steps, Strategy: p.Strategy}
		return s
	}
	if !again(func() { r.sys.Reset(p.StrategySeed) }) {
		r.sys = nil
		return r.plainSystem()
	}
	if p.Observer != nil {
		r.sys.Observe(p.Observer)
	}
	return r.sys
}

// same says whether two strategies are one.
func same(a, b pulse.Strategy) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if reflect.TypeOf(a).Kind() == reflect.Pointer {
		return a == b
	}
	// Explorations have strategies that are structs around a pointer.
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// system returns the runner's system, made ready for a run.
func (r *Runner) system(o pulse.Options) *pulse.System {
	r.plain = false
	o.Strategy, o.Seed, o.Record = r.plan.Strategy, r.plan.StrategySeed, true
	if o.Steps == 0 {
		o.Steps = r.plan.Steps
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

// isTool reports whether values of a type belong to the test and not to the
// program: whatever this package and rapid have made.
func isTool(t reflect.Type) bool {
	path := t.PkgPath()
	return path == reflect.TypeFor[T]().PkgPath() || path == reflect.TypeFor[rapid.T]().PkgPath()
}

// again makes a system ready for another run. It is false when it cannot be,
// because the property has closed it, as users of pulse.New are used to.
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

// systemFailed ends a property whose system has failed: what it would say of
// a broken system is of no interest.
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
