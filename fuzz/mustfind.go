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

// MustFind searches as Check does, and fails the test unless a run is found in
// which the property does not hold. It is for a property that has to fail: one
// with a planted bug, which shows that the property would notice such a bug and
// that the search would come to it, or one that says that something can happen.
//
//	func TestTwoLeadersAreNoticed(t *testing.T) {
//		found := fuzz.MustFind(t, electionWithoutMajority)
//		if !strings.Contains(found.Failure.Text, "two leaders") {
//			t.Errorf("it failed, but with %s", found.Failure.Text)
//		}
//	}
//
// It returns what it found, repeated as Check repeats it, and never nil: look at
// the failure, since a panic is one too. Go test -v shows the whole. No case is
// kept and none is run, and JOSTLE_REPLAY is not for it.
//
// A run that does what a property may not do, such as one without t.System().Run(),
// is no failure of the property, nor is one that comes out otherwise when it is
// repeated: the test fails then, and says so.
func MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	return Config{}.MustFind(t, property)
}

// MustFind is the function MustFind with settings.
func (c Config) MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	v := c.begin(t, "MustFind", checkBudget, property)
	defer v.watch()()
	found := &finding.Finding{Failure: &pulse.Failure{}} // of no run: JOSTLE_FLIGHT asks for another
	v.recorded(func() {
		t.Helper()
		start := time.Now()
		found = v.mustHave(v.session.Search(context.Background(), v.request(session.Check)), start)
	})
	if found.Case.Test == "" && t.Failed() {
		t.FailNow() // the run in which the last process died ends this one too
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
		v.t.Fatal("the property is to fail, and did so in a run that does not repeat itself: what it shows is not certain")
	case !res.Finding.Worth():
		v.t.print(text)
		v.t.Fatal("the property is to fail, and was not written as it must be: that is another failure")
	}
	v.t.Logf("found, as it must be:\n%s", text)
	return res.Finding
}

// foundNothing ends the test of a property that was to fail, and did not.
func (v *verb) foundNothing(res search.Result, elapsed string) {
	v.t.Helper()
	complaints := res.Complaints()
	for _, text := range complaints {
		v.t.Error(text)
	}
	if res.Tested() == 0 && len(complaints) > 0 {
		v.t.FailNow() // they say why nothing was tested
	}
	v.t.Fatalf("the property is to fail, and held in all of %d runs (%s), %s: look whether it can notice the bug, or give the search more time",
		res.Tested(), res.Arms(), elapsed)
}
