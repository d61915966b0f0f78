package fuzz

import (
	"context"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// MustFind searches like Check, and fails the test unless the property fails in
// some run. Use it to show that a property notices a planted bug and that the
// search reaches it, or that something can happen at all.
//
//	func TestTwoLeadersAreNoticed(t *testing.T) {
//		found := fuzz.MustFind(t, electionWithoutMajority)
//		if !strings.Contains(found.Failure.Text, "two leaders") {
//			t.Errorf("it failed, but with %s", found.Failure.Text)
//		}
//	}
//
// It returns the finding, replayed as Check replays it, and never nil. Check which
// failure it is: a panic is one too. Go test -v shows it in full. MustFind neither
// saves nor runs cases, and ignores JOSTLE_REPLAY.
//
// Two kinds of runs do not count as a failure of the property: a misuse, such as a
// run without t.System().Run(), and a run that fails in another way when replayed.
// Then the test fails and says why.
func MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	return Config{}.MustFind(t, property)
}

// MustFind is the function MustFind with settings.
func (c Config) MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	v := c.begin(t, "MustFind", checkBudget, property)
	defer v.watch()()
	found := &finding.Finding{Failure: &pulse.Failure{}} // of no run: JOSTLE_FLIGHT names another
	v.recorded(func() {
		t.Helper()
		start := time.Now()
		found = v.mustHave(v.session.Search(context.Background(), v.request(session.Check)), start)
	})
	if found.Case.Test == "" && t.Failed() {
		t.FailNow() // the run that ended the last process ended this one too
	}
	return found
}

// mustHave returns the finding of a search, or fails the test when there is none.
func (v *verb) mustHave(res search.Result, start time.Time) *finding.Finding {
	v.t.Helper()
	for _, f := range res.Late {
		v.t.Error(f)
	}
	elapsed := words.Elapsed(time.Since(start))
	if res.Finding == nil {
		v.foundNothing(res, elapsed)
		return nil // never, since the test has ended
	}
	text := res.Finding.Text(res.FoundAt(elapsed))
	switch {
	case res.Finding.Replays < finding.Tried:
		v.t.print(text)
		v.t.Fatal("the property must fail and did, but the run does not fail each time that it is replayed")
	case !res.Finding.Worth():
		v.t.print(text)
		v.t.Fatal("the property must fail, but this failure is a misuse of the library: correct the property first")
	}
	v.t.Logf("found a failure, as required:\n%s", text)
	return res.Finding
}

// foundNothing ends the test of a property that should have failed.
func (v *verb) foundNothing(res search.Result, elapsed string) {
	v.t.Helper()
	complaints := res.Complaints()
	for _, text := range complaints {
		v.t.Error(text)
	}
	if res.Tested() == 0 && len(complaints) > 0 {
		v.t.FailNow() // they say why nothing was tested
	}
	v.t.Fatalf("the property must fail, but held in all %d runs (%s), %s: check that it can notice the bug, or give the search more time",
		res.Tested(), res.Arms(), elapsed)
}
