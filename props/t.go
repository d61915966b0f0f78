package props

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
)

// A T is one run of a property. Its methods are those that users of testing.T
// know, so that assertion libraries work with it; it never touches a testing.T
// itself.
//
// A property runs on one goroutine. Handlers and processes of its system may
// use its T too; goroutines that the property starts may not.
type T struct {
	runner *Runner
	state  *state      // the runner's
	over   atomic.Bool // the run is: the next has another T
}

// state is where a run of a property is.
type state struct {
	sys      *pulse.System // nil until System is called
	test     pulse.Ref     // the test as the system had it then
	returned bool          // the property has; what runs still are its cleanups
	drawing  string        // the label of the draw whose generator is running
	skipped  bool
	skip     *pulse.Failure // what ended the system's run when it was skipped
	failure  *pulse.Failure
	location string
	logs     []string
	cleanups []func()
	always   []always
	awaited  []awaited
	monitors []Monitor
	attached []Attachment

	remembers bool // Watch was called
}

// clear makes the state that of a run that has not begun. It goes field by
// field: a small run notices a literal that is made first and then copied.
func (st *state) clear() {
	st.sys, st.test = nil, pulse.Ref{}
	st.returned, st.skipped, st.remembers, st.drawing, st.location = false, false, false, "", ""
	st.skip, st.failure = nil, nil
	st.logs, st.cleanups = st.logs[:0], st.cleanups[:0]
	st.always, st.awaited = st.always[:0], st.awaited[:0]
	st.monitors, st.attached = st.monitors[:0], st.attached[:0]
}

// quit is what a property panics with to end its run.
type quit struct{}

// System returns the run's system: empty, with FIFO delivery, without faults.
// A property has one system.
func (t *T) System() *pulse.System {
	t.mayMakeSystem()
	return t.hasSystem(t.runner.plainSystem())
}

// SystemWith is System with options. Who runs the property supplies Strategy,
// Seed, Record, Failed and Tools; what the options say of them is ignored.
func (t *T) SystemWith(o pulse.Options) *pulse.System {
	t.mayMakeSystem()
	return t.hasSystem(t.runner.system(o))
}

func (t *T) hasSystem(s *pulse.System) *pulse.System {
	t.state.sys, t.state.test = s, s.Host().Running()
	return s
}

func (t *T) mayMakeSystem() {
	if !t.may("System") {
		t.leave()
	}
	if t.state.returned {
		t.misuse("System is called after the property has returned")
	}
	if t.state.sys != nil {
		t.misuse("System is called twice: a property has one system; spawn both sets of actors in it")
	}
}

// may says whether a method of the T may go on: its run is the one that is
// going on, and the call comes from it.
func (t *T) may(what string) bool {
	r := t.runner
	if !t.over.Load() && r.g == (pulse.Host{}).Goroutine() {
		return true
	}
	return t.mayYet(what)
}

// mayYet is may for calls that do not come from the property's goroutine: a
// process has its own.
func (t *T) mayYet(what string) bool {
	r := t.runner
	at := pulse.CallerOutside
	if r.sys != nil {
		at = r.sys.Host().Caller()
	}
	current := !t.over.Load()
	switch {
	case at == pulse.CallerDying: // one that is ended when the run is over has nothing more to say
		return current && r.sys.Running()
	case at == pulse.CallerInside && current:
		return true
	case at == pulse.CallerInside, r.g == (pulse.Host{}).Goroutine() && r.busy:
		r.t.misuse("%s on the T of a run that is over: it was kept; use the T that this run was given", what)
	}
	text := " on a T from another goroutine: a property, with its handlers and processes, has its T to itself; " +
		"let an actor do what the goroutine does"
	if !current {
		text = " on the T of a run that is over: does the property leave a goroutine behind?"
	}
	f := &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: what + text}
	setFrames(f)
	r.intruder.CompareAndSwap(nil, f)
	return false
}

// leave ends code that may not go on and that belongs to no run: a goroutine
// that must not take the whole program with it by a panic.
func (t *T) leave() {
	if s := t.runner.sys; s != nil && s.Host().Caller() == pulse.CallerDying {
		panic(quit{})
	}
	runtime.Goexit()
}

// misuse ends the run because the property did what it cannot do.
func (t *T) misuse(format string, args ...any) {
	t.fail(&pulse.Failure{Kind: pulse.KindMisuse, Text: fmt.Sprintf(format, args...), Step: t.step()})
	t.abort()
}

// step is the step that is running, or -1.
func (t *T) step() int {
	if s := t.state.sys; s != nil && s.Running() {
		return s.Steps() - 1
	}
	return -1
}

// fail keeps the first failure of a run. It belongs to its own stack's first
// line if it has one, else to the line that is being run, else to the property.
func (t *T) fail(f *pulse.Failure) {
	if len(f.Stack) > 0 {
		t.failAt(f, fmt.Sprintf("%s:%d", f.Stack[0].File, f.Stack[0].Line))
		return
	}
	fr := userFrame(&t.runner.helpers)
	if fr.Line == 0 {
		fr = entry(t.runner.property)
	}
	if f.Site == "" {
		f.Site = fr.function()
	}
	t.failAt(f, fr.line())
}

// failAt is fail for a line that is known.
func (t *T) failAt(f *pulse.Failure, location string) {
	if t.state.failure == nil {
		t.state.failure, t.state.location = f, location
	}
}

// override is fail for what makes worthless what the run failed with before.
func (t *T) override(f *pulse.Failure) {
	if old := t.state.failure; old != nil {
		t.log(old.Text)
		t.state.failure = nil
	}
	t.fail(f)
}

// abort ends the run: out of a handler by way of its system.
func (t *T) abort() {
	if s := t.state.sys; s != nil && s.Running() {
		f := t.state.failure
		if f == nil {
			f = &pulse.Failure{Kind: pulse.KindProperty, Text: "skipped", Step: t.step()}
			t.state.skip = f
		}
		s.Fail(f)
	}
	panic(quit{})
}

// Name returns the name of the test that the property is run by.
func (t *T) Name() string { return t.runner.name }

// Step returns the number of the step that is running, -1 when none is.
func (t *T) Step() int {
	if !t.may("Step") {
		return -1
	}
	return t.step()
}

// Helper marks the calling function as one whose lines are not shown when
// something that it calls fails.
func (t *T) Helper() {
	if t.may("Helper") {
		t.runner.helpers.add()
	}
}

// Log keeps a line that is shown if the run fails.
func (t *T) Log(args ...any) {
	if t.may("Log") {
		t.log(fmt.Sprintln(args...))
	}
}

// Logf is Log with a format.
func (t *T) Logf(format string, args ...any) {
	if t.may("Logf") {
		t.log(fmt.Sprintf(format, args...))
	}
}

func (t *T) log(line string) {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	t.state.logs = append(t.state.logs, line)
}

// Fail marks the run as failed and goes on.
func (t *T) Fail() { t.complain("Fail", "failed") }

// FailNow marks the run as failed and ends it.
func (t *T) FailNow() {
	t.complain("FailNow", "failed")
	t.abort()
}

// Failed says whether the run has failed.
func (t *T) Failed() bool { return t.may("Failed") && t.state.failure != nil }

// Error says what does not hold and goes on.
func (t *T) Error(args ...any) { t.complain("Error", fmt.Sprintln(args...)) }

// Errorf is Error with a format.
func (t *T) Errorf(format string, args ...any) { t.complain("Errorf", fmt.Sprintf(format, args...)) }

// Fatal says what does not hold and ends the run.
func (t *T) Fatal(args ...any) {
	if !t.complain("Fatal", fmt.Sprintln(args...)) {
		t.leave()
	}
	t.abort()
}

// Fatalf is Fatal with a format.
func (t *T) Fatalf(format string, args ...any) {
	if !t.complain("Fatalf", fmt.Sprintf(format, args...)) {
		t.leave()
	}
	t.abort()
}

// complain makes the first complaint the run's failure and keeps the others.
// It is false when the call may not be.
func (t *T) complain(what, text string) bool {
	if !t.may(what) {
		return false
	}
	if t.state.failure == nil {
		line, detail := complaint(text)
		t.fail(&pulse.Failure{Kind: pulse.KindProperty, Text: line, Detail: detail, Step: t.step()})
	} else if text != "failed" {
		t.log(text)
	}
	return true
}

// Report fails the run with a failure that is more than a text, and ends it.
// It is for packages that judge runs.
func (t *T) Report(f *pulse.Failure) {
	if !t.may("Report") {
		t.leave()
	}
	if f == nil {
		t.misuse("Report(nil): give it what was found wrong")
	}
	t.fail(f)
	t.abort()
}

// Watch says that the run is judged by what happened at several actors, in the
// order of the steps: a search that leaves out orders in which every actor
// receives the same then leaves out something that may be judged otherwise.
// It is for packages that judge runs.
func (t *T) Watch() {
	if t.may("Watch") {
		t.state.remembers = true
	}
}

// Skip ends the run; it counts neither as passed nor as failed, unless it had
// failed before.
func (t *T) Skip(args ...any) { t.skip("Skip", fmt.Sprintln(args...)) }

// Skipf is Skip with a format.
func (t *T) Skipf(format string, args ...any) { t.skip("Skipf", fmt.Sprintf(format, args...)) }

// SkipNow is Skip without a word.
func (t *T) SkipNow() { t.skip("SkipNow", "") }

func (t *T) skip(what, text string) {
	if !t.may(what) {
		t.leave()
	}
	if text != "" && text != "\n" {
		t.log(text)
	}
	t.state.skipped = true
	t.abort()
}

// Skipped says whether the run was skipped.
func (t *T) Skipped() bool { return t.may("Skipped") && t.state.skipped }

// Cleanup has f called when the run is over, the last one first.
func (t *T) Cleanup(f func()) {
	if !t.may("Cleanup") {
		return
	}
	if f == nil {
		t.misuse("Cleanup(nil): give it a function")
	}
	t.state.cleanups = append(t.state.cleanups, f)
}

// An Attachment is what a run has to show beside its text, such as a picture.
type Attachment struct {
	Name  string // as a file's: "history.html"
	Write func(io.Writer) error
}

// Attach offers something to be kept beside the case if the run fails. It is
// written only then.
func (t *T) Attach(name string, write func(io.Writer) error) {
	if t.may("Attach") {
		t.state.attached = append(t.state.attached, Attachment{name, write})
	}
}

// Rapid returns the rapid.T of a property that is run by way of Rapid, whose
// Repeat can drive the system.
func (t *T) Rapid() *rapid.T {
	if !t.may("Rapid") {
		t.leave()
	}
	if t.runner.rapid == nil {
		t.misuse("Rapid: this property is not run under rapid: run it by rapid.Check(t, props.Rapid(property))")
	}
	return t.runner.rapid
}
