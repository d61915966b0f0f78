package fuzz

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/props"
)

// Check searches for a run in which the property does not hold, for a few
// seconds, and fails the test if there is one. Cases that failed before run first.
//
// A search that tests hardly anything fails too: when fewer than one run in ten
// came to a verdict, because the others were skipped or their draws found no
// value, and when a situation that is to be reached sometimes never was. Its log,
// which go test -v shows, says how many runs there were, how many of them were
// skipped if it was more than half, and which saved cases pass now or could not
// be run as they were saved.
//
// In a quarter of its runs up to two timers may fire although messages wait: what
// a timer does when a message is slow is tested too. A property that sets
// pulse.Options.EarlyTimers has its own number in all runs; pulse.NeverEarly is
// for none.
//
// Half of the runs of a property that calls T.Feature or T.Maximize are made by the
// strategy guided.
//
// It ends as soon as nothing is left: when there are at most 1,000 distinct orders,
// those with early timers among them, of all inputs, which are by props.OneOf
// or none. Then it has run each of them, and its log says so. Orders are distinct if an
// actor receives its messages in another order. If there are more than 10,000 orders of
// all messages together, Check first spends a quarter of its time on some of them at random,
// and its log says that the rest depends on actors sharing nothing but messages.
// It never ends early with Config.Strategies or a number of runs.
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

// conclude logs the result of a search that has found nothing.
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
