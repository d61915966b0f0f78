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

// A Verdict says what came of an exploration: of all its inputs together. Package
// explore says what the fields of its Result mean, and when runs are wasted.
type Verdict = search.Verdict

// Explore runs a property in every distinct order of its messages and fails
// the test if it does not hold in one. Two orders are distinct when some actor
// receives its messages in another order; of those that are not, one is run.
//
//	func TestEveryOrder(t *testing.T) { fuzz.Explore(t, resultsAreStored) }
//
// Saved cases run first, as with Check, and a failing order is shown and saved
// as there. Inputs that the property draws by props.OneOf are all gone
// through; of others, ten are drawn at random. They take turns, the small ones
// first, and each turn is longer than the one before: an input with too many
// orders does not keep the others waiting.
//
// Where there are more than some 2,000 orders, every other run is drawn at random,
// as by Check, and later one in eight: such runs find failures far from the
// orders that come first. Verdict.Probes counts them, and no other number does.
//
// Timers fire only when no message waits, unless pulse.Options.EarlyTimers of the
// property says how often they may fire before: Explore adds no such runs, as
// Check does. If the program sets timers the verdict says which.
//
// It ends after 10 seconds, or after a second with -short, whether it is done
// or not. A test that was not complete passes, since what a machine can do in
// a while must not decide that. The Verdict tells what it hit, and its Advice what
// to do; both are in the log, and without -v on standard error. But go test shows
// nothing of a test that passes when it is given the names of packages, as in
// go test ./..., so set Config.MustComplete to have the test fail.
//
// What Always says is checked in the states of the orders that are run only,
// and so is what monitors, observers and the isolation check see:
// orders that are left out differ in between. The verdict tells when a property
// has such, or reads the trace. With
// Config{Method: explore.Method{Reduction: explore.Everything}} they are
// checked in all. Of the calls and returns of histories all orders are run. So it
// is with a variable that several actors change, such as a count of those that hold
// a lock: the two steps that change it are in one order only, and no search can
// know. So a complete exploration that left orders out is confirmed. If there are no more
// than 10,000 orders of all messages together, all are run. Then at least 128 runs
// are in random order, for the first 16 inputs. Nothing counts these runs while they
// pass. When one fails the test does, and the exploration is not complete. If not
// all orders were run, the verdict says that it holds if actors share nothing but messages.
//
// In a benchmark saved cases are left alone and nothing is logged unless the
// exploration fails or is not complete.
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

// judge logs the verdict and what to do about it. A test that passes shows no
// log without -v, so an exploration that was not complete is said beside it too.
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

// shrinking returns what tells on a terminal how far shrinking is, and what ends that.
func (v *verb) shrinking() (tell func(shrink.Progress), over func()) {
	return report.Shrinking(v.aside(), v.t.Name(), report.IsTerminal(v.aside()), time.Now)
}

// progress returns what tells how far an exploration is; nil in a benchmark when
// nobody wants to know. In a test that nobody watches it tells nobody, but has the
// estimate made that is told when the exploration is not complete.
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
