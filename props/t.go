package props

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
	"pgregory.net/rapid"
)

// A T is one run of a property. It has the methods of testing.T that assertion
// libraries use, and never calls a testing.T itself.
//
// The property, its handlers and its processes may use the T; goroutines that
// the property starts may not.
type T struct {
	runner *Runner
	state  *state      // the runner's state, reused in the next run
	over   atomic.Bool // set when the run has ended; the next run has a new T
}

// A state holds the data of the current run. Its memory is reused in the next run.
type state struct {
	sys      *pulse.System // nil until System is called
	test     pulse.Ref     // the Ref of the test when System was called; System.Reset makes a new Ref
	ending   bool          // set while waiting processes are being ended after the run
	returned bool          // set if the property has returned, though cleanups may still run
	drawing  string        // the label of the draw whose generator is running
	skipped  bool
	skip     *pulse.Failure // the failure with which Skip stopped the system; nil if Skip has not stopped it
	failure  *pulse.Failure
	location pulse.Frame
	logs     []string // the lines logged outside of steps
	reason   string   // the text given to Skip
	cleanups []func()
	always   []always
	awaited  []awaited
	monitors []Monitor
	attached []Attachment
	last     last

	remembers bool // set if Event or Watch was called
	watches   bool // set if Watch was called
}

// clear prepares the state for a new run. It sets each field separately, because
// assigning a whole struct literal is slower.
func (st *state) clear() {
	st.sys, st.test = nil, pulse.Ref{}
	st.ending, st.returned = false, false
	st.skipped, st.remembers, st.watches = false, false, false
	st.drawing, st.location, st.reason = "", pulse.Frame{}, ""
	st.skip, st.failure, st.last = nil, nil, last{}
	st.logs, st.cleanups = st.logs[:0], st.cleanups[:0]
	st.always, st.awaited = st.always[:0], st.awaited[:0]
	st.monitors, st.attached = st.monitors[:0], st.attached[:0]
}

// quit is the panic value that ends a run early.
type quit struct{}

// System returns the empty system of this run, with FIFO delivery and without faults.
// A property has only one system.
func (t *T) System() *pulse.System {
	t.checkSystem()
	return t.adopt(t.runner.plainSystem())
}

// SystemWith returns the system of this run, made with the options o. The runner sets
// the fields Strategy, Seed, Record, Failed and Tools, so their values in o are
// ignored.
func (t *T) SystemWith(o pulse.Options) *pulse.System {
	t.checkSystem()
	return t.adopt(t.runner.system(o))
}

// adopt makes s the system of this run.
func (t *T) adopt(s *pulse.System) *pulse.System {
	s.Host().Own()
	t.state.sys, t.state.test = s, s.Host().Running()
	if w := &t.runner.watched; w.system.Load() != s { // a load is cheap, a store is not
		w.system.Store(s)
	}
	return s
}

// checkSystem ends the run if the property may not make a system now.
func (t *T) checkSystem() {
	if !t.allowed("System") {
		t.leave()
	}
	if t.state.returned {
		t.misuse("System is called after the property has returned")
	}
	if t.state.sys != nil {
		t.misuse("System is called twice: a property has one system; spawn both sets of actors in it")
	}
}

// allowed reports whether T's method what, such as Errorf, may be called now. The run
// must not have ended, and the caller must belong to the run.
func (t *T) allowed(what string) bool {
	if t == nil || t.runner == nil {
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: what + ": the T is nil, or the zero T: use the one that the property was given"})
	}
	r := t.runner
	if !t.over.Load() && r.g == (pulse.Host{}).Goroutine() {
		return true
	}
	return t.allowedElsewhere(what)
}

// allowedElsewhere does the work of allowed for the rare calls. These are calls after the
// run, and calls from goroutines other than the stage's. A process has its own
// goroutine and may call.
func (t *T) allowedElsewhere(what string) bool {
	r := t.runner
	at := pulse.CallerOutside
	if r.sys != nil {
		at = r.sys.Host().Caller()
	}
	current := !t.over.Load()
	switch {
	case at == pulse.CallerDying: // the caller is a process that is being ended; it may use the T only during its own run
		return current && (r.sys.Running() || t.state.ending)
	case at == pulse.CallerInside && current:
		return true
	case at == pulse.CallerInside, r.g == (pulse.Host{}).Goroutine() && r.busy:
		r.t.misuse("%s on the T of an earlier run: use the T that this run was given", what)
	}
	text := " on a T from another goroutine: only the property, its handlers and its processes may use a T; " +
		"let an actor do what the goroutine does"
	if !current {
		text = " on the T of a run that is over: does the property leave a goroutine behind?"
	}
	f := &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: what + text}
	setFrames(f)
	if r.over.Load() {
		panic(fmt.Sprintf("after %s was over: %s", r.name, f.Text)) // panic as package testing does, because no report would contain the failure
	}
	r.intruder.CompareAndSwap(nil, f)
	return false
}

// leave ends the calling goroutine, which may not use the T. On the goroutine of a
// process that is being ended, leave panics. Elsewhere it calls runtime.Goexit,
// because a panic would end the whole program.
func (t *T) leave() {
	if s := t.runner.sys; s != nil && s.Host().Caller() == pulse.CallerDying {
		panic(quit{})
	}
	runtime.Goexit()
}

// misuse ends the run with a failure of KindMisuse.
func (t *T) misuse(format string, args ...any) {
	t.fail(&pulse.Failure{Kind: pulse.KindMisuse, Text: fmt.Sprintf(format, args...), Step: t.step()})
	t.abort()
}

// step returns the number of the running step, or -1 outside of steps.
func (t *T) step() int {
	if s := t.state.sys; s != nil {
		return s.Host().Step()
	}
	return -1
}

// touch records that the running step reads or changes the part of the T that what
// names. Two steps that touch the same part conflict, so their order matters.
func (t *T) touch(what trace.Touched) {
	if s := t.state.sys; s != nil {
		s.Host().Touch(what)
	}
}

// fail records f if it is the run's first failure. The location is the first line of
// f.Stack, else the running line of user code, else the line at which the first stuck
// actor waits, else the line where the property begins.
func (t *T) fail(f *pulse.Failure) {
	if len(f.Stack) > 0 {
		t.failAt(f, f.Stack[0])
		return
	}
	at, ok := userFrame(&t.runner.helpers)
	if !ok && len(f.Waits) > 0 && f.Waits[0].At.File != "" {
		at, ok = f.Waits[0].At, true
	}
	if !ok {
		at, _ = stack.Begin(t.runner.property)
	}
	if f.Site == "" {
		f.Site = at.Func
	}
	f.Line = at.Place()
	t.failAt(f, at)
}

// failAt records f if it is the run's first failure. location is the line to report.
func (t *T) failAt(f *pulse.Failure, location pulse.Frame) {
	if t.state.failure == nil {
		t.state.failure, t.state.location = f, location
	}
}

// override makes f the run's failure. If the run has failed before, the earlier
// failure is only logged. Use override only if f makes the earlier failure
// meaningless.
func (t *T) override(f *pulse.Failure) {
	if old := t.state.failure; old != nil {
		t.logText(old.Text)
		t.state.failure = nil
	}
	t.fail(f)
}

// abort ends the run by a panic. Inside a step it also makes the system fail, so that
// the system stops.
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

// Name returns the name of the test that runs the property.
func (t *T) Name() string { return t.runner.name }

// Step returns the number of the running step, or -1 outside of steps.
func (t *T) Step() int {
	if !t.allowed("Step") {
		return -1
	}
	t.touch(trace.AllSteps)
	return t.step()
}

// Event declares that the verdict on this run depends on the order of all calls to
// Event, also of calls at different actors. It returns the number of the running
// step, or -1 outside of steps. Searches that skip equivalent orders then still run
// every order of these calls. Use the number only in texts, because it may differ in
// an equivalent order. Event is for packages that judge runs.
func (t *T) Event() (step int) {
	if !t.allowed("Event") {
		return -1
	}
	t.state.remembers = true
	t.touch(trace.TheTest)
	return t.step()
}

// Helper marks the calling function as a helper. A failure in a helper is reported at
// the line that called the helper.
func (t *T) Helper() {
	if t.allowed("Helper") {
		t.runner.helpers.add()
	}
}

// Log records a line that is printed if the run fails. In a step the line is added to
// the trace, as with Ctx.Log.
func (t *T) Log(args ...any) {
	if t.allowed("Log") {
		t.log(func() string { return fmt.Sprintln(args...) })
	}
}

// Logf is Log with a format.
func (t *T) Logf(format string, args ...any) {
	if t.allowed("Logf") {
		t.log(func() string { return fmt.Sprintf(format, args...) })
	}
}

func (t *T) log(text func() string) {
	line := func() string { return strings.TrimSuffix(text(), "\n") }
	if s := t.state.sys; s == nil || !s.Host().Note(line) {
		t.state.logs = append(t.state.logs, line())
	}
}

func (t *T) logText(text string) { t.log(func() string { return text }) }

// because logs why the run is skipped.
func (t *T) because(text string) {
	t.state.reason = strings.TrimSuffix(text, "\n")
	t.logText(text)
}

// Fail marks the run as failed. The run continues.
func (t *T) Fail() { t.complain("Fail", "", "failed") }

// FailNow marks the run as failed and ends it.
func (t *T) FailNow() {
	t.complain("FailNow", "", "failed")
	t.abort()
}

// Failed reports whether the run has failed.
func (t *T) Failed() bool {
	if !t.allowed("Failed") {
		return false
	}
	t.touch(trace.TheTest)
	return t.state.failure != nil
}

// Error fails the run with a text. The run continues.
func (t *T) Error(args ...any) { t.complain("Error", "", fmt.Sprintln(args...)) }

// Errorf is Error with a format.
func (t *T) Errorf(format string, args ...any) {
	t.complain("Errorf", format, fmt.Sprintf(format, args...))
}

// Fatal fails the run with a text and ends it.
func (t *T) Fatal(args ...any) {
	if !t.complain("Fatal", "", fmt.Sprintln(args...)) {
		t.leave()
	}
	t.abort()
}

// Fatalf is Fatal with a format.
func (t *T) Fatalf(format string, args ...any) {
	if !t.complain("Fatalf", format, fmt.Sprintf(format, args...)) {
		t.leave()
	}
	t.abort()
}

// complain fails the run with the given text. If the run has failed before, complain
// only logs the text. what names the calling method of T. format is that method's
// format string, or "". complain returns false if the call is not allowed.
func (t *T) complain(what, format, text string) bool {
	if !t.allowed(what) {
		return false
	}
	t.touch(trace.TheTest) // steps that complain conflict, because the first complaint becomes the run's failure
	if t.state.failure == nil {
		line, detail := complaint(text)
		t.fail(&pulse.Failure{Kind: pulse.KindProperty, Text: line, Detail: detail, Format: format, Step: t.step()})
	} else if text != "failed" {
		t.logText(text)
	}
	return true
}

// Report fails the run with f and ends the run. If f.Step is -1, Report sets f.Step
// to the running step. If f.Text has several lines, Report moves all but its summary to
// f.Detail, as Error does. Report is for packages that judge runs.
func (t *T) Report(f *pulse.Failure) {
	if !t.allowed("Report") {
		t.leave()
	}
	if f == nil {
		t.misuse("Report(nil): give it what was found wrong")
	}
	if f.Step < 0 {
		f.Step = t.step()
	}
	if line, detail := complaint(f.Text); line != f.Text {
		f.Text, f.Detail = line, strings.Trim(detail+"\n"+f.Detail, "\n")
	}
	t.fail(f)
	t.abort()
}

// Watch declares that the verdict on this run depends on the order of steps at
// different actors. Searches that skip equivalent orders then know that they may miss
// a failure. Watch is for packages that judge runs.
func (t *T) Watch() {
	if t.allowed("Watch") {
		t.state.remembers, t.state.watches = true, true
	}
}

// Skip ends the run, which then counts neither as passed nor as failed unless it had
// already failed. A search fails if it skips more than nine runs in ten.
func (t *T) Skip(args ...any) { t.skip("Skip", fmt.Sprintln(args...)) }

// Skipf is Skip with a format.
func (t *T) Skipf(format string, args ...any) { t.skip("Skipf", fmt.Sprintf(format, args...)) }

// SkipNow is Skip without a text.
func (t *T) SkipNow() { t.skip("SkipNow", "") }

func (t *T) skip(what, text string) {
	if !t.allowed(what) {
		t.leave()
	}
	if text != "" && text != "\n" {
		t.because(text)
	}
	t.state.skipped = true
	t.abort()
}

// Skipped reports whether the run was skipped.
func (t *T) Skipped() bool {
	if !t.allowed("Skipped") {
		return false
	}
	t.touch(trace.TheTest)
	return t.state.skipped
}

// Cleanup registers a function to be called when the property has returned. The
// function registered last is called first.
func (t *T) Cleanup(f func()) {
	if !t.allowed("Cleanup") {
		return
	}
	if f == nil {
		t.misuse("Cleanup(nil): give it a function")
	}
	t.touch(trace.TheTest)
	t.state.cleanups = append(t.state.cleanups, f)
}

// An Attachment is a file that is saved with a failing run, such as a picture.
type Attachment struct {
	Name  string // a file name, such as "history.html"
	Write func(io.Writer) error
}

// Attach adds a file that is saved with the case if the run fails. write is called
// only if the run fails. This call attaches a Mermaid diagram of the run:
//
//	t.Attach("run.mmd", func(w io.Writer) error {
//		_, err := io.WriteString(w, sys.Trace().Mermaid())
//		return err
//	})
func (t *T) Attach(name string, write func(io.Writer) error) {
	if t.allowed("Attach") {
		t.state.attached = append(t.state.attached, Attachment{name, write})
	}
}

// Rapid returns the rapid.T that drives this run. The run must be one of the function
// Rapid. The method Repeat of the rapid.T can drive the system.
func (t *T) Rapid() *rapid.T {
	if !t.allowed("Rapid") {
		t.leave()
	}
	if t.runner.rapid == nil {
		t.misuse("Rapid: this property is not run under rapid: run it with rapid.Check(t, props.Rapid(property))")
	}
	return t.runner.rapid
}

// begun returns the number of steps that have begun in this run.
func (t *T) begun() int {
	if s := t.state.sys; s != nil {
		return s.Host().Progress()
	}
	return 0
}
