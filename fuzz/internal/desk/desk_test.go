package desk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
)

// isAsked is set in the environment of worker processes, which are processes of this test binary.
const isAsked = "JOSTLE_TEST_OF_DESK"

// TestAsked is the property that the other tests ask about.
func TestAsked(t *testing.T) {
	if os.Getenv(isAsked) != "" {
		fuzz.Check(t, trial.Quarrels)
	}
}

// TestBothAsked has two properties that save their cases in the same folder and under the same name.
// The first one always passes.
func TestBothAsked(t *testing.T) {
	if os.Getenv(isAsked) != "" {
		fuzz.Check(t, func(t *props.T) { trial.Crowded(3)(t) })
		fuzz.Check(t, func(t *props.T) { trial.Quarrel(t) })
	}
}

// newDesk returns a Desk with the properties of a test, whose cases are saved in a new folder.
func newDesk(t *testing.T, test string) *desk.Desk {
	t.Helper()
	bounds := worker.Command{Env: []string{isAsked + "=1", "JOSTLE_OUT=" + t.TempDir()}}
	subjects, err := campaign.Own(t.Context(), "desk", bounds.Env, test)
	if err != nil || len(subjects) == 0 {
		t.Fatal(subjects, err)
	}
	d := desk.New(subjects, bounds, 2)
	t.Cleanup(d.Close)
	return d
}

// TestDesk asks every question, in the order in which somebody who looks for a bug asks them.
func TestDesk(t *testing.T) {
	d, ctx := newDesk(t, "TestAsked"), t.Context()
	if p := d.Properties(); len(p) != 1 || p[0].Test != "TestAsked" || len(p[0].Cases) != 0 {
		t.Fatalf("properties %+v", p)
	}
	r, err := d.Check(ctx, 0, 1, 10*time.Second, 1000)
	if err != nil || len(r.Findings) != 2 || !r.Findings[0].Saved() || !r.Findings[1].Saved() { // there are two bugs
		t.Fatalf("check: %d findings, %v", len(r.Findings), err)
	}
	saved := d.Properties()[0].Cases
	if len(saved) != 2 || saved[0].File != r.Findings[0].Path && saved[0].File != r.Findings[1].Path || saved[0].Steps == 0 {
		t.Fatalf("cases %+v", saved)
	}
	id := saved[0].ID[:4] // the beginning of a case's name is enough
	if r, err := d.Replay(ctx, id); err != nil || len(r.Findings) != 1 || !r.Exact {
		t.Fatalf("replay: %+v, %v", r, err)
	}
	w, err := d.Walk(ctx, id, 0, 100)
	if err != nil || w.Failed < 0 {
		t.Fatalf("walk: %+v, %v", w, err)
	}
	at := 0
	for len(w.Moments[at].Others) == 0 {
		at++
	}
	fork, err := d.Fork(ctx, id, at, 0)
	if want := fmt.Sprintf("%s@%d:0", saved[0].ID, at); err != nil || fork.ID != want {
		t.Fatalf("fork: %+v, %v", fork, err)
	}
	if f, err := d.Walk(ctx, fork.ID, 0, 100); err != nil || f.Moments[at].Label != w.Moments[at].Others[0].Label {
		t.Fatalf("walk of the fork: %+v, %v", f, err)
	}
	if r, err := d.Replay(ctx, fork.ID); err != nil || len(r.Findings) != 1 || r.Findings[0].Where != "an unsaved run" {
		t.Fatalf("replay of the fork: %+v, %v", r, err)
	}
	passing, passes := id+"@3:0", "an unsaved run passes"
	if r, err := d.Replay(ctx, passing); err != nil || len(r.Notes) != 1 || r.Notes[0] != passes {
		t.Fatalf("replay of a fork that passes: %+v, %v", r, err)
	}
	if _, err := d.Explain(ctx, passing, time.Minute); err == nil || err.Error() != passes {
		t.Fatalf("a fork that passes is explained: %v", err)
	}
	if again, err := newDesk(t, "TestAsked").Open(ctx, fork.ID); err == nil {
		t.Fatalf("another folder has the fork %+v", again)
	}
	if e, err := d.Continuations(ctx, id, at, 50, time.Minute); err != nil || e.Of != 50 || e.Failed == 0 || e.Failed == 50 {
		t.Fatalf("continuations: %+v, %v", e, err)
	}
	if f, err := d.Explain(ctx, id, time.Minute); err != nil || f.Why == nil || f.Signature != saved[0].Signature {
		t.Fatalf("explain: %+v, %v", f, err)
	}
	file, of, err := d.Save(ctx, fork.ID)
	if err != nil || of.Property.Test != "TestAsked" || filepath.Dir(file) != filepath.Dir(saved[0].File) || len(d.Properties()[0].Cases) != 3 {
		t.Fatalf("save: %s, %v", file, err)
	}
	source, err := d.Promote(ctx, fork.ID)
	for _, want := range []string{"package desk_test\n", "/fuzz/subjects/trial\"\n", "\nfunc TestRun", "tested.Quarrels)", "\nproperty \"trial/Quarrels\"\n"} {
		if err != nil || !strings.Contains(source, want) {
			t.Fatalf("promote: %v, no %s in\n%s", err, want, source)
		}
	}
	if r, err := d.Explore(ctx, 0, time.Minute, 0); err != nil || len(r.Findings) != 2 {
		t.Fatalf("explore: %d findings, %v", len(r.Findings), err)
	}
}

// TestChangedCase: a fork of a case whose file has changed is a fork of the new case, and there is none of
// a case whose file was removed.
func TestChangedCase(t *testing.T) {
	d, ctx := newDesk(t, "TestAsked"), t.Context()
	if _, err := d.Check(ctx, 0, 1, 10*time.Second, 1000); err != nil {
		t.Fatal(err)
	}
	saved := d.Properties()[0].Cases[0]
	fork, err := d.Fork(ctx, saved.ID, 0, 0)
	if err == nil {
		err = os.WriteFile(saved.File, []byte(fork.Case), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	changed, err := d.Walk(ctx, saved.ID, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := d.Walk(ctx, fork.ID, 0, 1); err != nil || w.Moments[0].Label != changed.Moments[0].Others[0].Label {
		t.Errorf("%+v, %v, want a fork of %+v", w, err, changed)
	}
	if err := os.Remove(saved.File); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Walk(ctx, fork.ID, 0, 1); err == nil || !strings.Contains(err.Error(), "there is no case") {
		t.Errorf("a fork of a removed case: %v", err)
	}
}

// TestManyCases: the description of a property has a limited number of cases, and says so.
func TestManyCases(t *testing.T) {
	const most, all = 100, 101
	d := newDesk(t, "TestAsked")
	folder := d.Subjects()[0].Cases()
	for run := range uint64(all) {
		if _, _, err := folder.Save(corpus.Case{Property: folder.Property, Test: "TestAsked", Strategy: "random", Record: choice.Record{Deliveries: []uint64{run}}}); err != nil {
			t.Fatal(err)
		}
	}
	p := d.Properties()[0]
	if want := fmt.Sprintf("%d of %d cases are listed: jostle corpus list lists all", most, all); len(p.Cases) != most || len(p.Problems) != 1 || p.Problems[0] != want {
		t.Errorf("%d cases, %q", len(p.Cases), p.Problems)
	}
	_, err := d.Open(t.Context(), "none")
	if err == nil || !strings.HasSuffix(err.Error(), ", and 91 more)") || len(err.Error()) > 2000 {
		t.Errorf("an unknown case: %v", err)
	}
}

// TestOwner: if two properties may have a case, questions about it are answered by the one whose
// replay fails.
func TestOwner(t *testing.T) {
	d, ctx := newDesk(t, "TestBothAsked"), t.Context()
	r, err := d.Check(ctx, 1, 1, 10*time.Second, 1000)
	if p := d.Properties(); err != nil || len(r.Findings) == 0 || len(p) != 2 || len(p[0].Cases) != len(p[1].Cases) {
		t.Fatalf("check: %+v, %v; properties %+v", r, err, p)
	}
	id := desk.IDOf(r.Findings[0].Path)
	if w, err := d.Walk(ctx, id, 0, 100); err != nil || w.Failed < 0 {
		t.Errorf("walk: %+v, %v", w, err)
	}
	if e, err := d.Continuations(ctx, id, 0, 50, time.Minute); err != nil || e.Failed == 0 {
		t.Errorf("continuations: %+v, %v", e, err)
	}
	if r, err := d.Replay(ctx, id); err != nil || len(r.Findings) != 1 {
		t.Errorf("replay: %+v, %v", r, err)
	}
	if text, err := d.Promote(ctx, id); err == nil || !strings.Contains(err.Error(), "the property of TestBothAsked has no name") {
		t.Errorf("promote: %q, %v", text, err)
	}
}

// TestRefusals: a question that has no answer is an error that says what to ask, and the next
// question is answered.
func TestRefusals(t *testing.T) {
	d, ctx := newDesk(t, "TestAsked"), t.Context()
	if _, err := d.Check(ctx, 0, 1, 10*time.Second, 1000); err != nil {
		t.Fatal(err)
	}
	id := d.Properties()[0].Cases[0].ID
	for want, ask := range map[string]func() error{
		"there is no property 7":                    func() error { _, err := d.Check(ctx, 7, 1, time.Second, 1); return err },
		`there is no case "none"`:                   func() error { _, err := d.Walk(ctx, "none", 0, 1); return err },
		"no message could come":                     func() error { _, err := d.Fork(ctx, id, 1000, 0); return err },
		fmt.Sprintf("there is no case %q", id+"@x"): func() error { _, err := d.Walk(ctx, id+"@x", 0, 1); return err },
		"there is no number 1000":                   func() error { _, err := d.Walk(ctx, id+"@0:1000", 0, 1); return err },
		"other messages":                            func() error { _, err := d.Fork(ctx, id, 0, 1000); return err },
		"continue from another":                     func() error { _, err := d.Continuations(ctx, id, 1000, 1, time.Second); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if r, err := d.Replay(ctx, id); err != nil || len(r.Findings) != 1 {
			t.Errorf("after %q: %+v, %v", want, r, err)
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := d.Replay(over, id); err == nil {
		t.Error("a question whose context is done is answered")
	}
}
