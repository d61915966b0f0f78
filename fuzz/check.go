package fuzz

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/props"
)

// Check searches for a run in which the property fails, for about two seconds, and
// fails the test if it finds one. It runs the saved cases first.
//
// The Checks of a package together search for about ten seconds, so that go test
// stays fast: five have two seconds each. A Check that ends early leaves its time to
// the Checks after it. When the ten seconds are over, each searches for 0.2 seconds,
// and says so with go test -v. Checks that run at the same time, by t.Parallel, spend
// the same seconds of the clock. If a Check would fail only because no run reached
// some situation, it still searches for two seconds. The ten seconds do not include
// saved cases and shrinking. A Check with Config.Budget, Config.Runs or JOSTLE_BUDGET
// has its own limit, and takes no time from the others. With -short, all these times
// are a tenth. Each process of go test has its own ten seconds, which the repetitions
// of -count share. In a benchmark, a Check always has two seconds.
//
// Check also fails the test if fewer than one run in ten reaches a verdict. A run has no
// verdict if the property skips it or a draw finds no value. The test also fails if no run
// reaches a situation that T.Sometimes names. The log, which go test -v prints, has the
// number of runs. It has the number of skipped runs if more than half were skipped. It also
// lists the saved cases that pass now or could not be replayed exactly.
//
// In a quarter of the runs, up to two timers may fire early, while messages wait. If
// the property sets pulse.Options.EarlyTimers, all runs use this number of timers
// instead, and pulse.NeverEarly means that no timer fires early.
//
// If a property calls T.Feature or T.Maximize, the strategy guided makes half of
// the runs.
//
// Check ends early, and its log says so, once it has run every distinct order. It
// tries this if all draws use props.OneOf (or there are none) and at most 1,000
// orders are distinct, including orders with early timers. Two orders are distinct if
// some actor receives its messages in a different order. If there are more than 10,000
// interleavings, Check first spends a quarter of its time on random interleavings. The
// log then says "complete if actors share nothing but messages". With
// Config.Strategies or a number of runs, Check never ends early.
func Check(t testing.TB, property func(*props.T)) {
	t.Helper()
	Config{}.Check(t, property)
}

// Check does the same as the function Check, with the settings of c.
func (c Config) Check(t testing.TB, property func(*props.T)) {
	t.Helper()
	v := c.begin(t, "Check", checkBudget, property)
	defer v.watch()()
	v.recorded(func() {
		t.Helper()
		if os.Getenv("JOSTLE_REPLAY") != "" {
			v.replay()
			return
		}
		r := v.ask(session.Check)
		if len(r.Findings) == 0 && r.Text != "" {
			v.conclude(r)
		}
		if !t.Failed() {
			v.show()
		}
	})
}

// conclude logs the result of a search without findings.
func (v *verb) conclude(r *session.Reply) {
	v.t.Helper()
	hurry := v.hurry()
	if hurry != "" && r.Complete == "" {
		v.t.Log(hurry)
		if !testing.Verbose() {
			v.beside(hurry)
		}
	}
	v.t.Log(r.Text)
	if hurry == "" && r.Share > 0 {
		searches, budget := v.inWords()
		v.t.Logf("searched for %v instead of %v, as the %s of a package share %v (see %s)", r.Share, v.Budget, searches, fullChecks*v.Budget, budget)
	}
}
