// Package existing runs tests that know nothing of jostle under its control. It is
// not for users: the command jostle test builds it into test binaries, as a part of
// the standard library.
package existing

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/goroutine"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Outcome is the result of one run of a test function.
type Outcome struct {
	Failed, Skipped bool
	Raced           bool   // set if the race detector has reported a race
	Said            []Said // in the order in which the test and its subtests said it
}

// A Said is one text that a test has logged, or one call of Fail or FailNow.
type Said struct {
	Test   string        // the name of the test or subtest
	At     runtime.Frame // the call
	Failed bool          // set if the call fails the test
	Text   string
	Format string // the format of the text, or ""
}

// A Subject is a test function.
type Subject struct {
	Once    func() Outcome         // runs the test once, with a fresh testing.T
	Plain   func()                 // runs the test without control, with its own testing.T
	Because func(why string)       // says why the test is not controlled. If go test stops the test, it prints why
	Mute    func() (unmute func()) // discards the output of the program until unmute is called
}

// Test searches for a run in which a test fails. The first run shows what it prints.
func Test(t *testing.T, s Subject) {
	e := &existing{T: t, Subject: s, options: asAsked(options), stalled: make(chan struct{}, 1), finally: func() {}, reports: env.RaceReports()}
	e.context, e.enough = context.WithCancel(t.Context())
	defer e.enough()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.search()
	}()
	select {
	case <-done:
		e.finally()
	case <-e.stalled: // the goroutine of the search will not continue
		if unmute := e.unmute.Load(); unmute != nil {
			(*unmute)()
		}
		e.giveUp(fmt.Sprintf("it runs for %v without an operation at which another goroutine may run", stall))
	}
}

// search searches for a run in which the test fails. It may set e.finally, which must be called
// on the goroutine of the test.
func (e *existing) search() {
	start := time.Now()
	first, again := e.try()
	if first.end.Endless {
		e.options.Steps, e.options.Pending = manySteps, manySteps
		first, again = e.try()
	}
	failed := first.failed()
	if !failed && !again.failed() { // the search must find a known failure again, so it has all its time
		e.spent = time.Since(start)
	}
	end := first.end
	switch {
	case end.Outside != "":
		e.finally = func() { e.giveUp(trace.Visible(end.Outside)) }
		return
	case first.Skipped:
		e.finally = func() { e.Skip(trace.Visible(strings.TrimSpace(lines(first.Said)))) } // Skips: the tested function calls Skip itself
		return
	case failed && !first.Raced || !failed && again.spoiled():
		if r, always := e.alwaysFails(!failed); always {
			e.finally = func() { e.decide(failed, r) }
			return
		}
	}
	if failed {
		end.Left = nil // the failure report names the goroutines that have not ended
	}
	for _, text := range end.Left {
		e.Log("a goroutine has not ended: " + trace.Visible(text))
	}
	fuzz.Check(e, e.property)
	switch why := cmp.Or(e.cause, e.doubts); {
	case e.Failed() || why == "":
	case 0 < e.outside && e.outside < e.runs:
		e.Logf("%s of %s were not controlled, because %s", words.Grouped(e.outside), words.Count(e.runs, "run"), trace.Visible(why))
	default:
		e.uncontrolled(trace.Visible(why))
	}
}

// stall is the real time after which a run without progress is given up.
const stall = 10 * time.Second

// StalledByJostle is called if a run never takes another step.
func (e *existing) StalledByJostle() { e.stalled <- struct{}{} }

// watch calls StalledByJostle if sys takes no step for too long, until stop is called.
func (e *existing) watch(sys *pulse.System) (stop func() bool) {
	steps := sys.Host().Progress()
	var timer *time.Timer
	timer = time.AfterFunc(stall, func() {
		if now := sys.Host().Progress(); now != steps {
			steps = now
			timer.Reset(stall)
			return
		}
		e.StalledByJostle()
	})
	return timer.Stop
}

// A tried is a run of a test before the search.
type tried struct {
	Outcome
	end     goroutine.End
	failure *pulse.Failure
}

func (r tried) failed() bool { return r.Failed || r.failure != nil }

// spoiled reports whether a run that repeats a passing one differs from it by what the first has left
// behind: it fails, or meets a goroutine of the first.
func (r tried) spoiled() bool { return r.failed() && !r.Raced || r.end.Outside != "" }

// try runs a test once, in plain order. The run also initializes data that outlives runs,
// such as caches. If the run is controlled, try repeats it: again tells whether that data makes
// the test fail, and whether the test uses random numbers apart from the initialization.
func (e *existing) try() (first, again tried) {
	first = e.run(nil, 0)
	if first.end.Outside == "" && !first.end.Endless && !first.Skipped {
		defer e.muted()()
		again = e.run(nil, 0)
		e.random = again.end.Random
	}
	return first, again
}

// muted discards the output of the program until unmute is called, by the caller or by Test.
func (e *existing) muted() (unmute func()) {
	unmute = e.Mute()
	e.unmute.Store(&unmute)
	return unmute
}

// run runs a test once, without network faults and early timers. The seed is that of the order and of the random
// numbers.
func (e *existing) run(order pulse.Strategy, seed uint64) (r tried) {
	o := e.options
	o.Faults.Network, o.EarlyTimers, o.Strategy, o.Seed = 0, pulse.NeverEarly, order, seed
	sys := pulse.New(o)
	defer sys.Close()
	defer e.watch(sys)()
	r.end = goroutine.RunTest(sys, seed, func() { r.Outcome = e.Once() })
	r.failure = sys.Failure()
	return r
}

// ordersTried is the number of orders in which a test must fail, so that control by jostle
// rather than the order is suspected as the reason.
const ordersTried = 20

// alwaysFails reports whether a test fails by itself in many orders and with many random numbers.
// If so, the order is hardly the reason. For example, the test may compare virtual time with a
// variable that has the real time at which the program began. In half of the orders a goroutine
// runs until it waits, as it mostly does without control. A run that hangs counts only if hangs is
// set. A test with a data race does not count, because the race detector may report the race in
// every order. The run r is the last one.
func (e *existing) alwaysFails(hangs bool) (r tried, always bool) {
	defer e.muted()()
	for seed := range uint64(ordersTried) {
		order := strategy.Random()
		if seed%2 == 1 {
			order = strategy.PCT(strategy.PCTOptions{Depth: 1})
		}
		r = e.run(order, seed)
		hung := !r.Failed && r.failure != nil && r.failure.Kind != pulse.KindPanic
		if r.Raced || !r.failed() || hung && !hangs {
			return r, false
		}
	}
	return r, true
}

// decide lets go test decide, because a test fails under control for a reason that is hardly the
// order of its operations. The run r is one that fails. The first run may have passed.
func (e *existing) decide(firstFails bool, r tried) {
	why := "it fails in every order under control"
	if !firstFails {
		why = "it passes once and then fails in every order under control"
	}
	how := lines(r.Said)
	if r.failure != nil {
		how += "\n" + r.failure.Text
	}
	if e.giveUp(why + ", so go test decides: " + trace.Visible(strings.TrimSpace(how))); !e.Failed() {
		e.Log("it passes without control")
	}
}

// manySteps is the maximum number of steps of a run if the first run does not end within as many as
// RunTest allows without it.
const manySteps = 250_000

// options are the options of runs if the environment asks for no more. RunTest limits the number of steps.
var options = pulse.Options{EarlyTimers: pulse.NeverEarly}

// asAsked returns options with the network faults and the early timers that the environment asks for. If
// a variable is wrong, fuzz.Check says so.
func asAsked(o pulse.Options) pulse.Options {
	if e, err := env.Read(search.Names()); err == nil {
		o.Faults.Network = e.Network
		if e.Early > 0 {
			o.EarlyTimers = e.Early
		}
	}
	return o
}

// An existing is the testing.TB that fuzz.Check gets for a test that knows nothing of jostle.
type existing struct {
	*testing.T
	Subject
	options pulse.Options
	random  bool          // set if runs use random numbers
	spent   time.Duration // how long the runs before the search have taken
	context context.Context
	enough  func() // cancels context, which ends the search
	left    int    // the number of goroutines that runs have abandoned
	held    uint64 // the number of bytes in use when the first goroutines were abandoned
	runs    int    // the number of runs of the search
	outside int    // the number of those that were not controlled
	cause   string // why the first of those was not controlled, or ""
	doubts  string // why the test is not controlled, or ""
	stalled chan struct{}
	unmute  atomic.Pointer[func()]
	finally func() // see search
	reports string // the file with the reports of the race detector, or ""
}

// Log prints like testing.T, but without a line of code: the only one would be in this package.
func (e *existing) Log(args ...any) {
	text := strings.TrimRight(fmt.Sprintln(args...), "\n")
	fmt.Fprintln(e.Output(), strings.ReplaceAll(text, "\n", "\n    "))
}

// Logf is like Log.
func (e *existing) Logf(format string, args ...any) { e.Log(fmt.Sprintf(format, args...)) }

// Context limits the search.
func (e *existing) Context() context.Context { return e.context }

// DoubtedByJostle is called instead of failing the test if the failure may be a false
// alarm. Either no replay fails, or too few runs reach a verdict.
func (e *existing) DoubtedByJostle(reason string) { e.doubts = cmp.Or(e.doubts, reason) }

// Variable is the environment variable that makes a test binary run its tests under control.
const Variable = "JOSTLE_TEST"

// environ and folder are the environment and the working directory in which the process has
// started, with Variable. A run that is given up may have changed those of the process.
var (
	environ   = os.Environ()
	folder, _ = os.Getwd()
)

// EnvironmentOfJostle makes a new process of this test binary run existing tests under control.
func (e *existing) EnvironmentOfJostle() []string { return environ }

// giveUp says why the test is not controlled, and runs it without control. It does so in a new
// process, because a run that is given up may leave package-level variables changed and listeners
// open. If the test fails there, it runs in this process too, because it may depend on earlier tests.
func (e *existing) giveUp(why string) {
	e.uncontrolled(why)
	e.Because(why)
	limit := time.Hour
	if end, ok := e.Deadline(); ok {
		limit = time.Until(end)
	}
	var out flight.Tail
	by := flight.Launch{Base: environ, Env: []string{Variable + "="}}
	switch v := by.Verdict(&out, e.Name(), folder, limit); {
	case v == flight.Fails:
		e.Plain()
	case v == flight.Skips:
		e.Skip(trace.Visible(out.String())) // Skips: the tested function calls Skip itself
	case testing.Verbose():
		e.Log(trace.Visible(out.String()))
	}
}

// SpentByJostle returns how long the runs before the search have taken.
func (e *existing) SpentByJostle() time.Duration { return e.spent }

// mostLeft is the number of abandoned goroutines after which the search ends. If there are
// any, the search also ends when more than mostHeld bytes are in use. An abandoned goroutine
// keeps 3 KB, and the memory it refers to, until the process ends.
const (
	mostLeft = 50_000
	mostHeld = 512 << 20
)

// leave counts goroutines that a run has abandoned, and ends the search if there are too
// many.
func (e *existing) leave(n int) {
	if n == 0 {
		return
	}
	held := inUse()
	if e.left == 0 {
		e.held = held
	}
	if e.left += n; e.left > mostLeft || held > e.held+mostHeld {
		e.enough()
	}
}

// inUse returns the number of bytes in use by goroutines and their data, as of the last
// garbage collection. Tests replace it.
var inUse = func() uint64 {
	list := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(list)
	return list[0].Value.Uint64() + list[1].Value.Uint64()
}

// mostOutside is the number of runs that were not controlled after which the search ends.
const mostOutside = 50

// seeds are the seeds of the random numbers with which a test runs.
var seeds = func() (list [64]uint64) {
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}()

// property is the property for fuzz.Check. It runs the test once.
func (e *existing) property(t *props.T) {
	var out Outcome
	seed := uint64(0)
	if e.random {
		seed = props.OneOf(t, "seed of random numbers", seeds[:]...)
	}
	sys, races := t.SystemWith(e.options), e.raceSize()
	defer e.muted()() // RunTest panics if the run is given up
	end := goroutine.RunTest(sys, seed, func() { out = e.Once() })
	e.runs++
	e.leave(len(end.Left))
	switch {
	case end.Outside != "":
		e.cause = cmp.Or(e.cause, end.Outside)
		if end.Endless && e.options.Steps == 0 {
			e.options.Steps, e.options.Pending = manySteps, manySteps
		}
		if e.outside++; e.outside == mostOutside {
			e.enough()
		}
		t.Skip(end.Outside)
	case out.Failed:
		t.Report(e.failure(&out, races))
	}
}
