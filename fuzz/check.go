package fuzz

import (
	"context"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
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
	portfolio, err := v.portfolio()
	if err != nil {
		v.t.Fatal(err)
	}
	v.recorded(func() {
		t.Helper()
		if v.replay() == "" {
			v.check(portfolio)
			if !t.Failed() {
				v.show()
			}
		}
	})
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
	o := search.Options{Runs: v.Runs, Seed: v.Seed, Workers: v.Workers, Portfolio: portfolio, Passed: v.shower.passed()}
	if v.Strategies == nil && v.Runs == 0 && v.exhaust(ctx, o, start) {
		return
	}
	o.Cache = v.cache()
	v.tell(v.sample(ctx, o), start)
}

// sample searches at random, guided if the property gives hints and nobody says how to search.
func (v *verb) sample(ctx context.Context, o search.Options) search.Result {
	h := v.hints(ctx)
	o.Hinted = h.Given
	res := search.Sample(ctx, v.property, o)
	h.AddTo(&res)
	return res
}

// hints looks for hints, unless somebody says how to search.
func (v *verb) hints(ctx context.Context) (h search.Hints) {
	if v.Strategies == nil {
		h = search.LookForHints(ctx, v.property, search.Options{Seed: v.Seed, Runs: v.Runs})
	}
	return h
}

// Before Check searches at random it runs all distinct orders, if there are no more than
// exhaustRuns and that takes no more than an exhaustPart of its time: for a program
// that has few of them, random runs could only repeat these.
const (
	exhaustRuns = 1000
	exhaustPart = 10
)

// exhaust runs all orders, if there are few. It reports whether there is nothing
// left to search for: one of them fails, or none does.
func (v *verb) exhaust(ctx context.Context, o search.Options, start time.Time) (done bool) {
	v.t.Helper()
	part, cancel := context.WithTimeout(ctx, v.Budget/exhaustPart)
	defer cancel()
	x := search.Exhaust(part, v.property, v.Seed, exhaustRuns)
	for _, f := range x.Found {
		v.keep(f.Finding, f.Run)
	}
	v.complain(x.Doubts)
	if len(x.Found) > 0 || !x.All {
		return len(x.Found) > 0
	}
	res, same := x.Confirm(ctx, v.property, o)
	if res.Finding != nil {
		v.tell(res, start)
		v.complain(x.Doubts)
		return true
	}
	if same {
		v.t.Logf("%s, and %s more at random showed no other, in %s; %s", x.Whole(), words.Grouped(res.Runs), words.Elapsed(time.Since(start)), x.Orders.Count())
	}
	return same
}

// tell reports what came of a search.
func (v *verb) tell(res search.Result, start time.Time) {
	v.t.Helper()
	elapsed := words.Elapsed(time.Since(start))
	for _, f := range res.Late {
		v.t.Error(f)
	}
	if c := res.Cached.String(); c != "" {
		v.t.Log(c)
	}
	if f := res.Finding; f != nil {
		v.keep(f, res.FoundAt(elapsed))
		return
	}
	v.complain(res.Complaints())
	for _, text := range res.Crowds() {
		v.t.Log(text)
	}
	if n := res.Tested(); n > 0 && 2*n < res.Runs {
		v.t.Logf("%s of %s were skipped (%s)", words.Grouped(res.Runs-res.Tested()), words.Count(res.Runs, "run"), res.SkipReason)
	}
	if res.Timed > 0 && res.Early == 0 {
		v.t.Log("no timer fired while a message waited: pulse.Options.EarlyTimers is NeverEarly, or there were too few runs; " +
			"a timer that races with a message was not tested")
	}
	if text := v.hurry(); text != "" {
		v.t.Log(text)
		if !testing.Verbose() {
			v.beside(text)
		}
	}
	v.t.Logf("%s in %s, %s; %s\n%s", words.Count(res.Runs, "run"), elapsed, words.Count(res.Steps, "step"), res.Coverage(), res.Yields())
}
