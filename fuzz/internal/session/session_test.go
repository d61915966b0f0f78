package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// filesOf returns the names and the texts of the files of a folder.
func filesOf(t *testing.T, f corpus.Folder) (list []string) {
	t.Helper()
	files, err := os.ReadDir(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(f.Dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, file.Name()+"\n"+elapsed.ReplaceAllString(string(text), "shrunk"))
	}
	return list
}

// TestInTheProcessAndByAWorker: a verb does everything in one request. A command asks a worker
// for runs, and then to shrink the failure. Both ways give the same file and the same report.
func TestInTheProcessAndByAWorker(t *testing.T) {
	for _, name := range []string{"writer-error", "barber", "2pc-early"} {
		s, _ := subjects.ByName(name)
		p := search.Property{Name: name, Test: "TestX", Func: s.Property(false)}
		do := func(s *Session, q Request) *Reply {
			t.Helper()
			r, err := s.Do(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		verb := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), name), Shrink: time.Hour}
		atOnce := do(verb, Request{Do: Check, Seed: 1, Runs: 10_000}).Findings

		worker := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), name), Later: true}
		var found record.Record
		for first := 0; found.Case == ""; first++ {
			if list := do(worker, Request{Do: Run, Seed: 1, First: first, Count: 1}).Findings; len(list) > 0 {
				found = list[0]
			}
		}
		fresh := found.Save(worker.Folder)
		later := do(worker, Request{Do: Shrink, Case: found.Case, File: found.Path, Fresh: fresh, Keep: true, Where: found.Where}).Findings
		if len(atOnce) != 1 || len(later) < 1 || !fresh {
			t.Fatalf("%s: %d findings at once, %d later", name, len(atOnce), len(later))
		}
		if one, other := filesOf(t, verb.Folder), filesOf(t, worker.Folder); len(one) == 0 || !slices.Equal(one[:1], other[:1]) {
			t.Errorf("%s: at once\n%s\nlater\n%s", name, one, other)
		}
		a, b := atOnce[0], later[0]
		a.Where, b.Where, a.Also = "", "", nil
		if one, other := elapsed.ReplaceAllString(a.Text(0), "shrunk"), elapsed.ReplaceAllString(b.Text(0), "shrunk"); one != other {
			t.Errorf("%s: it says at once\n%s\nlater\n%s", name, one, other)
		}
	}
}

// TestRefusedRequests: an invalid request returns an error and changes no file.
func TestRefusedRequests(t *testing.T) {
	s := &Session{Property: search.Property{Name: "p", Test: "p", Func: trial.Quarrels}, Folder: corpus.FolderOf(t.TempDir(), "p")}
	for _, c := range []struct {
		q    Request
		want string
	}{
		{Request{Do: "dance"}, `unknown request "dance"`},
		{Request{Do: Replay, File: "none"}, `there is no case "none"`},
		{Request{Do: Shrink, Case: "no case", File: "x.case"}, "x.case:1: "},
		{Request{Do: Walk, File: "none"}, `there is no case "none"`},
		{Request{Do: Fork, File: "none"}, `there is no case "none"`},
		{Request{Do: Endings, File: "none"}, `there is no case "none"`},
		{Request{Do: Export, File: "none"}, `there is no case "none"`},
	} {
		if r, err := s.Do(t.Context(), &c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %+v, %v, want %s", c.q, r, err, c.want)
		}
	}
	if _, err := os.Stat(s.Folder.Dir); !os.IsNotExist(err) {
		t.Errorf("there is a folder: %v", err)
	}
}

// TestForkRequests: a saved case can be forked. The fork can
// be walked through, forked again and continued at random.
func TestForkRequests(t *testing.T) {
	s := &Session{Property: search.Property{Name: "p", Test: "p", Func: trial.Quarrels}, Folder: corpus.FolderOf(t.TempDir(), "p"), FewFor: time.Hour, Shrink: time.Minute}
	do := func(q Request) *Reply {
		t.Helper()
		r, err := s.Do(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	text := do(Request{Do: Begin, Seed: 1}).Findings[0].Case
	walk := do(Request{Do: Walk, Case: text, Count: 100}).Walk
	at := slices.IndexFunc(walk.Moments, func(m record.Moment) bool { return len(m.Others) > 0 })
	for range 2 {
		text = do(Request{Do: Fork, Case: text, First: at}).Case
	}
	if again := do(Request{Do: Walk, Case: text, Count: 100}).Walk; again.Hash != walk.Hash || again.Unsteady != "" {
		t.Errorf("the other message of two in the same step, twice, is another run: %016x, %016x, %q", walk.Hash, again.Hash, again.Unsteady)
	}
	if e := do(Request{Do: Endings, Case: text, First: at, Count: 50}).Endings; e.Of != 50 || e.Failed == 0 || e.Failed == 50 {
		t.Errorf("%+v", e)
	}
}

// TestLabelsOfFewOrders: if every order was run, the text says in how many of the random runs that
// confirm the result each value of a label occurred.
func TestLabelsOfFewOrders(t *testing.T) {
	p := search.Property{Name: "p", Test: "p", Func: func(t *props.T) {
		t.Label("kind", 7)
		t.System().Run()
	}}
	s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), FewFor: time.Hour}
	r, err := s.Do(t.Context(), &Request{Do: Check, Seed: 1, Time: time.Hour})
	if err != nil || r.Complete == "" || !strings.HasSuffix(r.Text, "\nkind: 7 in 128 runs (100%)") {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// TestSessionsSayWhatTheyDo: progress events name the case or the batch in progress.
func TestSessionsSayWhatTheyDo(t *testing.T) {
	p := search.Property{Name: "p", Test: "p", Func: trial.Quarrels}
	var said []string
	s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), Later: true, FewFor: time.Hour,
		Say: func(e Event) { said = append(said, filepath.Base(e.At.String())) }}
	r, err := s.Do(t.Context(), &Request{Do: Begin, Seed: 1})
	if err != nil || len(r.Findings) != 1 || !r.Findings[0].Save(s.Folder) {
		t.Fatalf("%+v, %v", r, err)
	}
	file := filepath.Base(r.Findings[0].Path)
	if _, err := s.Do(t.Context(), &Request{Do: Begin, Seed: 1}); err != nil {
		t.Error(err)
	}
	every := "the runs of every order before the search"
	if want := []string{every, ".", file, "."}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// TestFixedCases: a reply lists a saved case whose failure is mended. It lists neither a case that did not repeat when
// it was saved, nor one that passed then.
func TestFixedCases(t *testing.T) {
	bad := true
	p := search.Property{Name: "p", Test: "p", Func: func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		if sys.Run(); bad {
			t.Error("bad")
		}
	}}
	s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), Later: true}
	r, err := s.Do(t.Context(), &Request{Do: Run, Seed: 1, Count: 1})
	if err != nil || len(r.Findings) != 1 || !r.Findings[0].Save(s.Folder) {
		t.Fatalf("%+v, %v", r, err)
	}
	path := r.Findings[0].Path
	fixed := func(want ...string) {
		t.Helper()
		if r, err := s.Do(t.Context(), &Request{Do: Saved, Seed: 1}); err != nil || !slices.Equal(r.Fixed, want) {
			t.Errorf("fixed are %q, want %q; %v", r.Fixed, want, err)
		}
	}
	fixed()
	bad = false
	fixed(path)
	c, err := s.Folder.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	doubtful, passing := c, c
	doubtful.Doubtful, passing.Signature = true, ""
	for _, now := range []corpus.Case{doubtful, passing} {
		err := s.Folder.Remove(c)
		if c = now; err == nil {
			c.Path, _, err = s.Folder.Save(now)
		}
		if err != nil {
			t.Fatal(err)
		}
		fixed()
	}
}

// TestShrunkCasesOutliveTheirRequest: if Shrink is given a saved
// case and writes no new one, later requests do not delete the case.
func TestShrunkCasesOutliveTheirRequest(t *testing.T) {
	p := search.Property{Name: "p", Test: "p", Func: trial.Quarrels}
	s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), Later: true}
	r, err := s.Do(t.Context(), &Request{Do: Run, Seed: 1, Count: 1})
	if err != nil || len(r.Findings) == 0 || !r.Findings[0].Save(s.Folder) {
		t.Fatalf("%+v, %v", r, err)
	}
	before := filesOf(t, s.Folder)
	for _, q := range []Request{{Do: Shrink, File: r.Findings[0].Path}, {Do: Shrink, File: r.Findings[0].Path, Fresh: true}, {Do: Explore, Seed: 1}} {
		if _, err := s.Do(t.Context(), &q); err != nil {
			t.Error(err)
		}
		if now := filesOf(t, s.Folder); !slices.Equal(now, before) {
			t.Errorf("after %s there are %q", q.Do, now)
		}
	}
}

// TestShare: a search ends after its share of the time. If it would fail the test without a
// failing run, it gets the full time of its request.
func TestShare(t *testing.T) {
	draws := func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(0, 1000), "n")
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), n)
		sys.Run()
	}
	runs := 0
	const usual = time.Hour // more time than 500 runs take
	for _, c := range []struct {
		name     string
		property func(*props.T)
		most     time.Duration // the share given to the search; zero for none
		share    time.Duration // the share in the reply
		text     string        // the beginning of the reply's text
	}{
		{"passes", draws, 1, 1, "1 run in "},
		{"has a share as large as the request", draws, usual, 0, "500 runs in "},
		{"fails", func(t *props.T) { draws(t); t.Errorf("wrong") }, 1, 1, ""},
		{"reaches a situation late", func(t *props.T) { draws(t); runs++; t.Sometimes("ten runs", runs >= 10) }, 1, 0, "500 runs in "},
		{"skips at first", func(t *props.T) {
			if runs++; runs < 20 {
				t.Skip("too early")
			}
			draws(t)
		}, 1, 0, "500 runs in "},
		{"is exhausted", func(t *props.T) { t.System().Run() }, time.Minute, 0, "complete: the only possible order was run"},
	} {
		begun, over := 0, 0
		s := &Session{Property: search.Property{Name: "p", Test: "TestX", Func: c.property}, Folder: corpus.FolderOf(t.TempDir(), "p"),
			Share: func() (time.Duration, func()) { begun++; return c.most, func() { over++ } }}
		if c.most == time.Minute {
			s.FewFor = usual
		}
		runs = 0
		r, err := s.Do(t.Context(), &Request{Do: Check, Seed: 1, Time: usual, Runs: 500})
		if err != nil {
			t.Fatal(err)
		}
		if begun != 1 || over != 1 || r.Share != c.share || !strings.HasPrefix(r.Text, c.text) || r.Fails() != (c.text == "") {
			t.Errorf("a search that %s: begun %d times, over %d, share %v, %q, problems %q", c.name, begun, over, r.Share, r.Text, r.Problems)
		}
	}
}

// TestSpent: the time that earlier runs of an existing test have taken counts toward the time of its search,
// which then makes a single run. A search with a number of runs makes all of them. The reply names no setting
// of properties.
func TestSpent(t *testing.T) {
	for _, c := range []struct {
		name  string
		spent time.Duration
		q     Request
		runs  int
	}{
		{"all is spent", 2 * time.Hour, Request{Time: time.Hour}, 1},
		{"a number of runs", 2 * time.Hour, Request{Runs: 5}, 5},
		{"both limits", time.Minute, Request{Time: time.Hour, Runs: 5}, 5},
	} {
		runs := 0
		p := search.Property{Name: "p", Test: "TestX", Existing: true, Func: func(t *props.T) {
			runs++
			props.OneOf(t, "seed", 1, 2, 3, 4, 5, 6, 7, 8, 9)
			sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
			sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
			sys.Run()
		}}
		s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), Spent: c.spent}
		if s.FewFor = c.q.Time / 10; c.q.Runs > 0 {
			s.FewFor = 0
		}
		c.q.Do, c.q.Seed = Check, 1
		r, err := s.Do(t.Context(), &c.q)
		if err != nil || r.Fails() || runs != c.runs {
			t.Fatalf("%s: %d runs, want %d: %+v, %v", c.name, runs, c.runs, r, err)
		}
		if want := []string{"no timer fired early (see jostle test -early): code that is slower than a timer was not tested"}; !slices.Equal(r.Notes, want) {
			t.Errorf("%s: notes %q, want %q", c.name, r.Notes, want)
		}
	}
}

// TestNumberOfTheRun: a finding has the number of its run, as its description says it, whether the search ran every order
// or random ones.
func TestNumberOfTheRun(t *testing.T) {
	p := search.Property{Name: "p", Test: "TestX", Func: func(t *props.T) {
		sys, last := t.System(), ""
		a := sys.Spawn("a", pulse.Func(func(_ *pulse.Ctx, msg any) { last = msg.(string) }))
		for _, name := range []string{"x", "y", "z"} {
			sys.Send(sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) })), name)
		}
		if sys.Run(); last == "x" {
			t.Errorf("x is last")
		}
	}}
	for _, fewFor := range []time.Duration{0, time.Hour} {
		for later, kinds := range map[bool][]Kind{false: {Check}, true: {Begin, Run}} {
			var list []record.Record
			for _, k := range kinds {
				s := &Session{Property: p, Folder: corpus.FolderOf(t.TempDir(), "p"), FewFor: fewFor, Later: later}
				r, err := s.Do(t.Context(), &Request{Do: k, Seed: 1, Count: 1, Runs: 500, Time: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, r.Findings...)
			}
			if list[0].Run < 2 || !strings.HasPrefix(list[0].Where, fmt.Sprintf("run %d ", list[0].Run)) {
				t.Errorf("every order: %v, later: %v: run %d, %s", fewFor > 0, later, list[0].Run, list[0].Where)
			}
		}
	}
}
