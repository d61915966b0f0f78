// Package existing runs tests that know nothing of jostle under its control. It is
// not for users: the command jostle test builds it into test binaries, as a part of
// the standard library.
package existing

import (
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/goroutine"
	"github.com/jostle-go/jostle/pulse/stack"
)

// An Outcome is what one run of a test function has come to.
type Outcome struct {
	Failed, Skipped bool
	Output          string
}

// Test searches for a run in which a test fails. The function run runs the test
// function once, with a fresh testing.T. plain runs it without control.
func Test(t *testing.T, run func() Outcome, plain func()) {
	first := try(run)
	switch {
	case first.outside != "":
		t.Logf("not controlled, since the test waits for something outside of the process: %s", first.outside)
		plain()
		return
	case first.Skipped:
		t.Skip(strings.TrimSpace(first.Output))
	}
	fuzz.Check(t, func(pt *props.T) {
		var out Outcome
		goroutine.RunTest(pt.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly, Steps: mostSteps}), func() { out = run() })
		if out.Failed {
			pt.Report(failure(t.Name(), out.Output))
		}
	})
}

// mostSteps is the number of steps after which a run counts as endless.
const mostSteps = 30_000

// A trial is the first run of a test.
type trial struct {
	Outcome
	outside string // what the test waits for that is not controlled
}

// try runs a test once. The run also initialises what outlives runs, such as caches.
func try(run func() Outcome) (tr trial) {
	sys := pulse.New(pulse.Options{Steps: mostSteps})
	defer sys.Close()
	tr.outside = goroutine.RunTest(sys, func() { tr.Outcome = run() })
	return tr
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
