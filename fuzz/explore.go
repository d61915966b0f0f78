package fuzz

import (
	"os"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/report"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// A Verdict is the result of an exploration of all its inputs. Package explore
// explains the fields of its Result, and when runs are wasted.
type Verdict = search.Verdict

// Explore runs the property in every distinct order of its messages and fails the
// test if it fails in one. Two orders are distinct if some actor receives its
// messages in a different order; of equivalent orders only one runs.
//
//	func TestEveryOrder(t *testing.T) { fuzz.Explore(t, resultsAreStored) }
//
// As with Check, saved cases run first, and a failing order is shown and saved.
// Explore tries every combination of the values that the property draws by
// props.OneOf, and ten random inputs per combination for other draws. Inputs take
// turns, smallest first, and each turn is longer than the last: an input with too
// many orders does not block the others.
//
// If there are more than about 2,000 orders, every other run is random, as in
// Check, and later one in eight. Random runs find failures far from the first
// orders. Only Verdict.Probes counts them.
//
// Timers fire only when no message waits, unless the property sets
// pulse.Options.EarlyTimers. Unlike Check, Explore adds no runs with early timers.
// If the program sets timers, the verdict says how often they could fire early.
//
// Explore ends after 10 seconds (with -short, after one), complete or not. An
// incomplete exploration passes, because completeness must not depend on the
// machine's speed. The Verdict says which limit was hit, and its Advice what to do;
// the log has both, and without -v standard error too. However, go test ./... shows
// nothing of a test that passes. Set Config.MustComplete to fail the test instead.
//
// Conditions of Always, monitors, observers and the isolation check see only the
// orders that run; the states between differ in orders that are left out. The
// verdict says so if a property has such conditions or reads the trace. To check
// them in all orders, use
// Config{Method: explore.Method{Reduction: explore.Everything}}. For histories,
// all orders of calls and returns run.
//
// No reduction can see a variable that several actors change, such as a count of
// lock holders: it runs the two steps that change it in one order only. Therefore
// Explore confirms a complete exploration that left orders out. If there are at
// most 10,000 interleavings, it runs them all; otherwise it makes at least 128
// random runs for the first 16 inputs. These runs are not counted if they pass. If
// one fails, the test fails and the exploration is not complete. If not all
// interleavings were run, the verdict says that it holds if actors share nothing
// but messages.
//
// In a benchmark, Explore skips saved cases, and logs only if the exploration
// fails or is not complete.
func Explore(tb testing.TB, property func(*props.T)) Verdict {
	tb.Helper()
	return Config{}.Explore(tb, property)
}

// Explore is the function Explore with settings.
func (c Config) Explore(tb testing.TB, property func(*props.T)) Verdict {
	tb.Helper()
	v := c.begin(tb, "Explore", exploreBudget, property)
	defer v.watch()()
	b, benchmark := tb.(*testing.B)
	verdict := Verdict{Result: explore.Result{Bound: explore.BoundReplay}}
	v.recorded(func() {
		tb.Helper()
		if !benchmark || os.Getenv("JOSTLE_REPLAY") != "" {
			if verdict.Bound = v.replay(); verdict.Bound != explore.NoBound {
				return
			}
		}
		v.session.Explore.Progress = v.progress(benchmark)
		r := v.ask(session.Explore)
		verdict = *r.Verdict
		v.judge(verdict, benchmark)
		if len(r.Findings) == 0 {
			v.show()
		}
	})
	if benchmark && verdict.Distinct >= 0 {
		b.ReportMetric(float64(verdict.Distinct), "orders/op")
	}
	return verdict
}

// judge logs the verdict and its advice. Without -v a passing test shows no log, so
// an incomplete exploration is also written to standard error.
func (v *verb) judge(verdict Verdict, benchmark bool) {
	v.t.Helper()
	text := verdict.String()
	advice := verdict.Advice()
	if hurry := v.hurry(); hurry != "" && !verdict.Complete {
		advice = hurry
	}
	if advice != "" {
		text += "\n" + advice
	}
	switch {
	case v.MustComplete && !verdict.Complete && len(verdict.Failures) == 0:
		v.t.Error(text)
	case !benchmark || !verdict.Complete:
		v.t.Log(text)
		if advice != "" && !testing.Verbose() && !benchmark {
			v.beside(text)
		}
	}
}

// shrinking returns functions that print the progress of shrinking on a terminal
// and that erase it.
func (v *verb) shrinking() (tell func(shrink.Progress), over func()) {
	return report.Shrinking(v.aside(), v.t.Name(), report.IsTerminal(v.aside()), time.Now)
}

// progress returns the function that prints the progress of an exploration, nil in a
// benchmark without Config.Progress. Without -v it prints nothing, but being set it
// makes Explore compute an estimate, which an incomplete exploration prints.
func (v *verb) progress(benchmark bool) func(explore.Progress) {
	switch {
	case v.Progress == nil && benchmark:
		return nil
	case v.Progress == nil && !testing.Verbose():
		return func(explore.Progress) {}
	}
	w := v.aside()
	return report.Printer(w, v.t.Name(), report.IsTerminal(w))
}
