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

// A Verdict is the result of Explore for all inputs together. Package explore explains the fields
// of Result.
type Verdict = search.Verdict

// Explore runs the property in every distinct order of its messages and fails the
// test if the property fails in one of them. Two orders are distinct if some actor
// receives its messages in a different order. Of several equivalent orders, Explore
// runs only one.
//
//	func TestEveryOrder(t *testing.T) { fuzz.Explore(t, resultsAreStored) }
//
// Like Check, Explore runs the saved cases first, and prints and saves a failing run.
// It tries every combination of the values that the property draws with props.OneOf.
// If there are other draws, it tries ten random inputs for each combination. The
// inputs take turns, the smallest input first, and the turns become longer. Therefore
// an input with too many orders does not block the others.
//
// If there are more than about 2,000 orders, every second run is random, as in Check,
// and later every eighth run. Random runs find failures in orders that Explore would
// run late. Only Verdict.Probes counts them.
//
// Timers fire only when no message waits, unless the property sets
// pulse.Options.EarlyTimers. Unlike Check, Explore adds no runs with early timers.
// If the program sets timers, the verdict says how often they could fire early.
//
// Explore ends after 10 seconds (with -short, after one), even if the exploration is
// not complete. The test then passes, because its result must not depend on the speed
// of the machine. The Verdict says which limit was reached, and Verdict.Advice says
// what to do. Both are written to the log and, without -v, to standard error. However,
// go test ./... prints nothing for a test that passes. Set Config.MustComplete to fail
// the test instead.
//
// Conditions of Always, monitors, observers and the isolation check are checked only
// in the orders that run. The intermediate states may be different in equivalent
// orders, which are left out. The verdict says so if a property has such conditions or
// reads the trace. To check them in all orders, use
// Config{Method: explore.Method{Reduction: explore.Everything}}. For properties with
// histories, all orders of calls and returns run.
//
// No reduction detects that several actors change a variable, such as a counter of
// lock holders. It runs the two steps that change the variable in only one order.
// Therefore Explore performs additional runs after a complete exploration that left orders
// out. If there are at most 10,000 interleavings, it runs all of them. Otherwise it
// performs at least 128 random runs for the first 16 inputs. These runs are not counted if
// they pass. If one fails, the test fails and the exploration is not complete. If not
// all interleavings were run, the verdict says that it holds if actors share nothing
// but messages.
//
// In a benchmark, Explore does not run saved cases. It writes a log only if the
// exploration fails or is not complete.
func Explore(tb testing.TB, property func(*props.T)) Verdict {
	tb.Helper()
	return Config{}.Explore(tb, property)
}

// Explore does the same as the function Explore, with the settings of c.
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

// judge logs the verdict and its advice. Without -v, the log of a passing test is not printed.
// Therefore judge also writes the result of an incomplete exploration to standard error.
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

// shrinking returns two functions. On a terminal, tell prints the progress of shrinking, and over
// erases the printed line.
func (v *verb) shrinking() (tell func(shrink.Progress), over func()) {
	return report.Shrinking(v.aside(), v.t.Name(), report.IsTerminal(v.aside()), time.Now)
}

// progress returns a function that prints the progress of an exploration. The result is nil in a
// benchmark without Config.Progress. Without -v and Config.Progress, the function prints nothing.
// It is still not nil, so that Explore computes an estimate for the verdict of an incomplete
// exploration.
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
