// Package existing runs tests that know nothing of jostle under its control. It is
// not for users: the command jostle test builds it into test binaries, as a part of
// the standard library.
package existing

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"testing"

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

// An Outcome is what one run of a test function has come to.
type Outcome struct {
	Failed, Skipped bool
	Output          string
}

// A Subject is a test function.
type Subject struct {
	Once  func() Outcome         // runs it once, with a fresh testing.T
	Plain func()                 // runs it without control, with its own testing.T
	Mute  func() (unmute func()) // discards what the program prints, until unmute is called
	Races bool                   // set in a build with the race detector, which sees races in every order
}

// Test searches for a run in which a test fails. The first run shows what it prints.
func Test(t *testing.T, s Subject) {
	first, end, failed := try(s.Once)
	switch {
	case end.Outside != "":
		t.Logf("not controlled, because %s", trace.Visible(end.Outside))
		s.Plain()
		return
	case first.Skipped:
		t.Skip(trace.Visible(strings.TrimSpace(first.Output))) // Skips: the test itself does
	}
	if failed && !s.Races && alwaysFails(s.Once) {
		t.Log("not controlled, because it fails in every order: " + trace.Visible(first.Output))
		s.Plain()
		return
	}
	if failed {
		end.Left = nil // the report of the failure names them
	}
	for _, text := range end.Left {
		t.Log("a goroutine has not ended: " + trace.Visible(text))
	}
	e := &existing{T: t, Subject: s, options: withFaults(options)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e.context, e.enough = ctx, cancel
	fuzz.Check(e, e.property)
	if e.doubts != "" && !t.Failed() {
		t.Logf("not controlled, because %s", trace.Visible(e.doubts))
	}
}

// try runs a test once. The run also initialises what outlives runs, such as caches.
func try(run func() Outcome) (out Outcome, end goroutine.End, failed bool) {
	sys := pulse.New(options)
	defer sys.Close()
	end = goroutine.RunTest(sys, func() { out = run() })
	return out, end, out.Failed || sys.Failure() != nil
}

// ordersTried is the number of orders in which a test must fail so that jostle is suspected.
const ordersTried = 10

// alwaysFails reports whether a test fails by itself, and does not hang, in many random
// orders. Then the reason is hardly the order: for example, a variable has the real time
// at which the program began, and the test compares it with the virtual time.
func alwaysFails(run func() Outcome) bool {
	for seed := range uint64(ordersTried) {
		var out Outcome
		sys := pulse.New(pulse.Options{EarlyTimers: pulse.NeverEarly, Strategy: strategy.Random(), Seed: seed})
		goroutine.RunTest(sys, func() { out = run() })
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
	left    int    // number of goroutines that runs have abandoned
	doubts  string // why the test is not controlled, or ""
}

// Context limits the search.
func (e *existing) Context() context.Context { return e.context }

// DoubtedByJostle is called in place of failing the test if the failure may be a false
// alarm: it has not repeated, or too few runs have come to an end.
func (e *existing) DoubtedByJostle(reason string) { e.doubts = cmp.Or(e.doubts, reason) }

// mostLeft is the number of abandoned goroutines after which the search ends. They keep
// their memory until the process ends.
const mostLeft = 50_000

// property runs the test once.
func (e *existing) property(t *props.T) {
	var out Outcome
	sys := t.SystemWith(e.options)
	unmute := e.Mute()
	end := goroutine.RunTest(sys, func() { out = e.Once() })
	unmute()
	if e.left += len(end.Left); e.left > mostLeft {
		e.enough()
	}
	switch {
	case end.Outside != "":
		e.DoubtedByJostle(end.Outside)
		t.Skip(end.Outside)
	case out.Failed:
		t.Report(failure(e.Name(), out.Output))
	}
}

// failure returns the failure of a test by its log.
func failure(test, log string) *pulse.Failure {
	f := &pulse.Failure{Kind: pulse.KindProperty, Step: -1, Text: "the test failed", Site: test}
	var more []string
	for _, line := range strings.Split(strings.TrimSpace(log), "\n") {
		line = strings.TrimSpace(line)
		place, text, ok := cutPlace(line)
		switch {
		case strings.HasPrefix(line, "--- "), line == "":
		case len(f.Stack) == 0 && ok:
			f.Text, f.Stack = text, []stack.Frame{place}
			f.Stack[0].Func = test
		default:
			more = append(more, "    "+line)
		}
	}
	f.Detail = strings.Join(more, "\n")
	return f
}

// cutPlace splits a line of a test's log, such as "x_test.go:12: no leader".
func cutPlace(line string) (place stack.Frame, text string, ok bool) {
	at, text, _ := strings.Cut(line, ": ")
	file, number, _ := strings.Cut(at, ":")
	n, err := strconv.Atoi(number)
	return stack.Frame{File: file, Line: n}, text, err == nil && strings.HasSuffix(file, ".go")
}
