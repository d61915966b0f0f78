package fuzz

import (
	"fmt"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
)

// Check searches for a run in which the property does not hold, for a few
// seconds, and fails the test if there is one. Cases that failed before run first.
//
// In a quarter of its runs up to two timers may fire although messages wait: what
// a timer does when a message is slow is tested too. A property that sets
// pulse.Options.EarlyTimers has its own number in all runs; pulse.NeverEarly is
// for none.
func Check(t testing.TB, property func(*props.T)) {
	t.Helper()
	Config{}.Check(t, property)
}

// Check is the function Check with settings.
func (c Config) Check(t testing.TB, property func(*props.T)) {
	t.Helper()
	v := c.begin(t, "Check", checkBudget, property)
	portfolio, err := v.portfolio()
	if err != nil {
		t.Fatal(err)
	}
	if v.replay() == "" {
		v.check(portfolio)
	}
}

// portfolio returns the arms of the search; nil means the default ones.
func (v *verb) portfolio() ([]search.Entry, error) {
	if v.Strategies == nil {
		return nil, nil
	}
	return search.Strategies(v.Strategies...)
}

// check goes through the portfolio.
func (v *verb) check(portfolio []search.Entry) {
	v.t.Helper()
	start := time.Now()
	ctx, cancel := v.context()
	defer cancel()
	res := search.Sample(ctx, v.property, search.Options{Runs: v.Runs, Seed: v.Seed, Workers: v.Workers, Portfolio: portfolio})
	elapsed := words.Elapsed(time.Since(start))
	for _, f := range res.Late {
		v.t.Error(f)
	}
	if f := res.Finding; f != nil {
		v.keep(f, fmt.Sprintf("run %d of %d (%s), %s", res.Index+1, res.Runs, f.Case.Strategy, elapsed))
		return
	}
	v.complain(res.Complaints())
	if res.Timed > 0 && res.Early == 0 {
		v.t.Log("no timer fired while a message waited: pulse.Options.EarlyTimers is NeverEarly, or there were too few runs; " +
			"a timer that races with a message was not tested")
	}
	v.t.Logf("%d runs in %s (%s), %d steps, %d orders of two receives seen", res.Runs, elapsed, res.Arms(), res.Steps, res.Pairs)
}
