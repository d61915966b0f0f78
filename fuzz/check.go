package fuzz

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/props"
)

// Check searches for a run in which the property fails, for a few seconds, and
// fails the test if it finds one. Saved cases run first.
//
// Check also fails if it tests too little: if fewer than one run in ten reaches a
// verdict (the others are skipped, or their draws find no value), or if no run
// reaches a situation that T.Sometimes names. Its log, shown by go test -v, has
// the number of runs, and of skipped runs if they are more than half. It also
// lists the saved cases that pass now or could not be replayed exactly.
//
// In a quarter of the runs, up to two timers may fire early, while messages wait.
// A property that sets pulse.Options.EarlyTimers has that number in all runs;
// pulse.NeverEarly turns this off.
//
// If a property calls T.Feature or T.Maximize, the strategy guided makes half of
// the runs.
//
// Check ends early, and its log says so, once it has run every distinct order.
// It tries this if all draws are by props.OneOf (or there are none) and at most
// 1,000 orders are distinct, including those with early timers. Two orders are
// distinct if some actor receives its messages in a different order. If there are
// more than 10,000 interleavings, Check first spends a quarter of its time on random
// ones; the log then says "complete if actors share nothing but messages". With
// Config.Strategies or a number of runs, Check never ends early.
func Check(t testing.TB, property func(*props.T)) {
	t.Helper()
	Config{}.Check(t, property)
}

// Check is the function Check with settings.
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
	if text := v.hurry(); text != "" && r.Complete == "" {
		v.t.Log(text)
		if !testing.Verbose() {
			v.beside(text)
		}
	}
	v.t.Log(r.Text)
}
