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

// MustFind searches like Check, and fails the test unless the property fails in some run.
// Use it to check that a property detects a known bug and that the search finds it, or
// that some situation is possible.
//
//	func TestTwoLeadersAreNoticed(t *testing.T) {
//		found := fuzz.MustFind(t, electionWithoutMajority)
//		if !strings.Contains(found.Failure.Text, "two leaders") {
//			t.Errorf("it failed, but with %s", found.Failure.Text)
//		}
//	}
//
// MustFind replays the finding like Check and returns it. The result is never nil. The test
// should check which failure it is, because a panic is a failure too. Go test -v prints
// the finding. MustFind neither saves nor runs cases, and ignores JOSTLE_REPLAY.
//
// The test also fails if the failure is a misuse, such as a run without t.System().Run(),
// or if a replay of the run does not fail in the same way.
func MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	return Config{}.MustFind(t, property)
}

// MustFind does the same as the function MustFind, with the settings of c.
func (c Config) MustFind(t testing.TB, property func(*props.T)) *finding.Finding {
	t.Helper()
	v := c.begin(t, "MustFind", checkBudget, property)
	defer v.watch()()
	found := &finding.Finding{Failure: &pulse.Failure{}} // the result if JOSTLE_FLIGHT names the crash record of another call to a verb
	v.recorded(func() {
		t.Helper()
		start := time.Now()
		found = v.mustHave(v.session.Search(context.Background(), v.request(session.Check)), start)
	})
	if found.Case.Test == "" && t.Failed() {
		t.FailNow() // the run that ended the last process ended the rerun too
	}
	return found
}

// mustHave returns the finding of a search. If there is none, it fails and ends the test.
func (v *verb) mustHave(res search.Result, start time.Time) *finding.Finding {
	v.t.Helper()
	for _, f := range res.Late {
		v.t.Error(f)
	}
	elapsed := words.Elapsed(time.Since(start))
	if res.Finding == nil {
		v.foundNothing(res, elapsed)
		return nil // not reached, because foundNothing ends the test
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

// foundNothing fails and ends the test, because the property should have failed.
func (v *verb) foundNothing(res search.Result, elapsed string) {
	v.t.Helper()
	complaints := res.Complaints()
	for _, text := range complaints {
		v.t.Error(text)
	}
	if res.Tested() == 0 && len(complaints) > 0 {
		v.t.FailNow() // the complaints printed above say why nothing was tested
	}
	v.t.Fatalf("the property must fail, but held in all %d runs (%s), %s: check that it can notice the bug, or give the search more time",
		res.Tested(), res.Arms(), elapsed)
}
