// Package existing runs tests that know nothing of jostle under its control. It is
// not for users: the command jostle test builds it into test binaries, as a part of
// the standard library.
package existing

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/goroutine"
	"github.com/jostle-go/jostle/pulse/stack"
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
	Once  func() Outcome         // runs the test once, with a fresh testing.T
	Plain func(why string)       // runs the test without control, with its own testing.T. If go test stops the test, it prints why
	Mute  func() (unmute func()) // discards the output of the program until unmute is called
}

// Test searches for a run in which a test fails. The first run shows what it prints.
func Test(t *testing.T, s Subject) {
	e := &existing{T: t, Subject: s, options: withFaults(options), stalled: make(chan struct{}, 1), finally: func() {}}
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
	case <-e.stalled: // the goroutine of the search never goes on
		if unmute := e.unmute.Load(); unmute != nil {
			(*unmute)()
		}
		e.plain(fmt.Sprintf("it runs for %v without an operation at which another goroutine may run", stall))
	}
}

// plain runs the test without control.
func (e *existing) plain(why string) {
	e.Logf("not controlled, because %s", why)
	e.Plain(why)
}

// search searches for a run in which the test fails. It may set e.finally, which must be called
// on the goroutine of the test.
func (e *existing) search() {
	first, end, failed := e.try()
	switch {
	case end.Outside != "":
		e.finally = func() { e.plain(trace.Visible(end.Outside)) }
		return
	case first.Skipped:
		e.finally = func() { e.Skip(trace.Visible(strings.TrimSpace(lines(first.Said)))) } // Skips: the tested function calls Skip itself
		return
	}
	if failed && !first.Raced && e.alwaysFails() {
		e.finally = func() {
			if e.plain("it fails in every order under control, so go test decides: " + trace.Visible(lines(first.Said))); !e.Failed() {
				e.Log("it passes without control")
			}
		}
		return
	}
	if failed {
		end.Left = nil // the report of the failure names them
	}
	for _, text := range end.Left {
		e.Log("a goroutine has not ended: " + trace.Visible(text))
	}
	fuzz.Check(e, e.property)
	if e.doubts != "" && !e.Failed() {
		e.Logf("not controlled, because %s", trace.Visible(e.doubts))
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

// try runs a test once. The run also initializes data that outlives runs, such as
// caches.
func (e *existing) try() (out Outcome, end goroutine.End, failed bool) {
	sys := pulse.New(options)
	defer sys.Close()
	defer e.watch(sys)()
	end = goroutine.RunTest(sys, func() { out = e.Once() })
	return out, end, out.Failed || sys.Failure() != nil
}

// ordersTried is the number of orders in which a test must fail so that jostle is suspected.
const ordersTried = 10

// alwaysFails reports whether a test fails by itself, and does not hang, in many random
// orders. Then the reason is hardly the order: for example, a variable has the real time
// at which the program began, and the test compares it with the virtual time. It says nothing
// about a test with a data race, which the race detector may see in every order.
func (e *existing) alwaysFails() bool {
	for seed := range uint64(ordersTried) {
		var out Outcome
		sys := pulse.New(pulse.Options{EarlyTimers: pulse.NeverEarly, Strategy: strategy.Random(), Seed: seed})
		stop := e.watch(sys)
		goroutine.RunTest(sys, func() { out = e.Once() })
		stop()
		panicked := sys.Failure() != nil && sys.Failure().Kind == pulse.KindPanic
		sys.Close()
		if !out.Failed && !panicked {
			return false
		}
	}
	return true
}

// options are the options of runs in which the network has no faults. RunTest limits the number of steps.
var options = pulse.Options{EarlyTimers: pulse.NeverEarly}

// withFaults returns options with the network faults that the environment asks for. If a
// variable is wrong, fuzz.Check says so.
func withFaults(o pulse.Options) pulse.Options {
	if e, err := env.Read(search.Names()); err == nil {
		o.Faults.Network = e.Network
	}
	return o
}

// An existing test is a testing.TB for fuzz.Check.
type existing struct {
	*testing.T
	Subject
	options pulse.Options
	context context.Context
	enough  func() // cancels context, which ends the search
	left    int    // the number of goroutines that runs have abandoned
	held    uint64 // the number of bytes in use when the first goroutines were abandoned
	outside int    // the number of runs that were not controlled
	doubts  string // why the test is not controlled, or ""
	stalled chan struct{}
	unmute  atomic.Pointer[func()]
	finally func() // see search
}

// Context limits the search.
func (e *existing) Context() context.Context { return e.context }

// DoubtedByJostle is called instead of failing the test if the failure may be a false
// alarm. Either no replay fails, or too few runs reach a verdict.
func (e *existing) DoubtedByJostle(reason string) { e.doubts = cmp.Or(e.doubts, reason) }

// Variable is the environment variable that makes a test binary run its tests under control.
const Variable = "JOSTLE_TEST"

// EnvironmentOfJostle makes a new process of this test binary run existing tests under control.
func (e *existing) EnvironmentOfJostle() []string { return []string{Variable + "=1"} }

// mostLeft is the number of abandoned goroutines after which the search ends, and mostHeld
// the number of bytes in use after which it ends if goroutines were abandoned. They keep
// their memory until the process ends: 3 KB each, and what they refer to.
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

// property is the property for fuzz.Check. It runs the test once.
func (e *existing) property(t *props.T) {
	var out Outcome
	sys := t.SystemWith(e.options)
	unmute := e.Mute()
	e.unmute.Store(&unmute)
	defer unmute() // RunTest panics if the run is given up
	end := goroutine.RunTest(sys, func() { out = e.Once() })
	e.leave(len(end.Left))
	switch {
	case end.Outside != "":
		e.DoubtedByJostle(end.Outside)
		if e.outside++; e.outside == mostOutside {
			e.enough()
		}
		t.Skip(end.Outside)
	case out.Failed:
		t.Report(failure(e.Name(), out.Said))
	}
}

// failure returns the failure of a test: the first text that has failed it, and where.
func failure(test string, said []Said) *pulse.Failure {
	f := &pulse.Failure{Kind: pulse.KindProperty, Step: -1, Text: "the test failed", Site: test}
	first := slices.IndexFunc(said, func(s Said) bool { return s.Failed })
	if first < 0 {
		f.Detail = lines(said)
		return f
	}
	s := said[first]
	f.Site, f.Format, f.Stack = s.Test, s.Format, []stack.Frame{stack.FrameOf(s.At)}
	f.Text = cmp.Or(strings.TrimRight(s.Text, "\n"), f.Text)
	f.Detail = lines(slices.Concat(said[:first], said[first+1:]))
	return f
}

// lines returns the texts that a test has said, each with its place.
func lines(said []Said) string {
	var b strings.Builder
	for _, s := range said {
		text := stack.FrameOf(s.At).Place() + ": " + strings.TrimRight(s.Text, "\n")
		b.WriteString("    " + strings.ReplaceAll(text, "\n", "\n        ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
