package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// foundBy returns the first failure that a search with all strategies finds.
func foundBy(t *testing.T, property func(*props.T), seed uint64) (search.Property, *finding.Finding) {
	t.Helper()
	list, err := search.Strategies()
	if err != nil {
		t.Fatal(err)
	}
	p := search.Property{Name: t.Name(), Test: t.Name(), Func: property}
	res := search.Sample(t.Context(), p, search.Options{Runs: 20_000, Seed: seed, Portfolio: list})
	if res.Finding == nil {
		t.Fatalf("seed %d finds nothing", seed)
	}
	return p, res.Finding
}

// shrunkBy shrinks the failure that foundBy returns, in at most the given number of runs.
func shrunkBy(t *testing.T, property func(*props.T), seed uint64, runs int) finding.Shrunk {
	t.Helper()
	p, f := foundBy(t, property, seed)
	r := p.NewRunner()
	defer r.Close()
	out := finding.Shrink(t.Context(), r, f, shrink.Options{Runs: runs})
	if out.Finding == nil {
		t.Fatalf("%s cannot be run by a schedule", f.Failure.Text)
	}
	return out
}

var elapsed = regexp.MustCompile(`shrunk (from [^,]* )?in [0-9.]+(µs|ms|s)`)

// TestUnfinishedShrinking: if shrinking was not finished, the report names
// the setting for more time, unless a later request may continue it.
func TestUnfinishedShrinking(t *testing.T) {
	subject, _ := subjects.ByName("writer-error")
	const advice = ", not fully: JOSTLE_SHRINK gives it more time, replayed"
	for _, c := range []struct {
		runs        int
		later, want bool
	}{{1, false, true}, {1, true, false}, {20_000, false, false}} {
		p, f := foundBy(t, subject.Property(false), 1)
		r := p.NewRunner()
		out := (&Session{Property: p, Later: c.later}).shrunk(t.Context(), time.Hour, c.runs, r, f)
		r.Close()
		if text := out.Finding.Text("run"); out.Done != (c.runs > 1) || strings.Contains(text, advice) != c.want || out.Finding.Unfinished != c.want {
			t.Errorf("%+v: done %t, unfinished %t\n%s", c, out.Done, out.Finding.Unfinished, text)
		}
	}
}

// A replay is a saved case that fails again, with the circumstances of its report.
type replay struct {
	name    string
	subject string
	found   bool               // the case was saved without shrinking; otherwise it is shrunk and explained
	change  func(*corpus.Case) // edits the case, as if an older version or another program had saved it
	setting func(*Session)     // changes the session; without it shrinking has no time limit and nothing is repaired
	fickle  bool               // the program is not deterministic
}

var (
	noTime  = func(s *Session) { s.Shrink = 0 }
	repairs = func(s *Session) { s.Repair = true }
	older   = func(c *corpus.Case) {
		c.Condition, c.Explanation = "", nil
		c.Comment = slices.DeleteFunc(slices.Clone(c.Comment), func(line string) bool { return strings.HasPrefix(line, "fails in ") })
	}
	editedByHand = func(c *corpus.Case) { c.Condition, c.Explanation, c.Comment = "", nil, []string{"by hand"} }
)

var replays = []replay{
	{name: "saved as it was found", subject: "writer-error", found: true},
	{name: "saved as it was found, no time", subject: "writer-error", found: true, setting: noTime},
	{name: "saved as it was found, to be repaired", subject: "writer-error", found: true, setting: repairs},
	{name: "saved as it was found, of a literal, to be repaired", subject: "writer-error", found: true, setting: repairs,
		change: func(c *corpus.Case) { c.Property = c.Test }},
	{name: "explained", subject: "writer-error"},
	{name: "explained, to be repaired", subject: "writer-error", setting: repairs},
	{name: "explained, no time", subject: "writer-error", setting: noTime},
	{name: "explained, no time for all", subject: "writer-error", setting: func(s *Session) { s.Shrink = 1 }},
	{name: "explained from plain order, no time", subject: "raft-dupvote", setting: noTime},
	{name: "saved by an older version", subject: "writer-error", change: older},
	{name: "saved by an older version, to be repaired", subject: "writer-error", change: older, setting: repairs},
	{name: "saved by an older version, its comment edited, to be repaired", subject: "writer-error", change: editedByHand, setting: repairs},
	{name: "fails otherwise now, no time", subject: "writer-error", setting: noTime,
		change: func(c *corpus.Case) { c.Signature = "another" }},
	{name: "does not repeat itself", subject: "writer-error", fickle: true},
}

// play runs a saved case as a verb does, in a folder with
// no other cases. It returns the text of the report.
func (p *replay) play(t *testing.T, out *finding.Shrunk, f *finding.Finding) string {
	t.Helper()
	s, _ := subjects.ByName(p.subject)
	c := f.Case
	if !p.found {
		c = out.Finding.Case
	}
	if c.Property = "p"; p.change != nil {
		p.change(&c)
	}
	folder := corpus.FolderOf(t.TempDir(), c.Property)
	path, _, err := folder.Save(c)
	if err != nil {
		t.Fatal(err)
	}
	c, err = folder.Find(filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	runs := 0
	r := props.NewRunner(c.Property, func(t *props.T) {
		runs++
		s.Property(p.fickle && runs%2 == 0)(t)
	})
	defer r.Close()
	k := &Session{Folder: folder, Shrink: time.Hour, Shown: filepath.Base}
	if p.setting != nil {
		p.setting(k)
	}
	played := finding.Replay(r, &c)
	again := played.Finding(r, finding.Origin{Property: c.Property, Test: c.Test, Strategy: c.Strategy, Seed: c.Seed}, &c)
	told, kept, err := k.retell(t.Context(), r, again, &c)
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
	}
	text := told.Text(fmt.Sprintf("saved case (%s)", played.How)) + kept.InWords("from now on", filepath.Base) + "\n"
	after, err := os.ReadFile(path)
	switch {
	case err != nil:
		text += "the file is gone\n"
	case string(after) != string(before):
		text += "the file was changed\n"
	default:
		text += "the file is as it was\n"
	}
	left, _ := folder.Load()
	text = regexp.MustCompile(`([0-9a-f]{6})-[0-9a-f]{6}\.case`).ReplaceAllString(text, "$1-TEXT.case")
	return text + fmt.Sprintf("there are %d cases\n", len(left))
}

// TestRetold checks the reports of saved cases that
// fail again, and what happens to their files.
func TestRetold(t *testing.T) {
	var b strings.Builder
	found, shrunk := map[string]*finding.Finding{}, map[string]*finding.Shrunk{}
	for i := range replays {
		p := &replays[i]
		if found[p.subject] == nil {
			s, _ := subjects.ByName(p.subject)
			_, found[p.subject] = foundBy(t, s.Property(false), 1)
			out := shrunkBy(t, s.Property(false), 1, 20_000)
			shrunk[p.subject] = &out
		}
		fmt.Fprintf(&b, "--- %s\n%s\n", p.name, elapsed.ReplaceAllString(p.play(t, shrunk[p.subject], found[p.subject]), "shrunk ${1}in TIME"))
	}
	golden.File(t, "testdata/retold.golden", b.String())
}

// TestOthersAreKept: other failures met during shrinking are saved, with pages if these are
// wanted, and named in the finding. A failure that already has a case is not saved again.
func TestOthersAreKept(t *testing.T) {
	for _, c := range []struct {
		pages, known bool
		want         []string // the extensions of the other failure's files
	}{{false, false, []string{".case"}}, {true, false, []string{".case", ".html", ".json", ".mmd"}}, {true, true, nil}} {
		p, f := foundBy(t, trial.Quarrels, 1)
		r := p.NewRunner()
		defer r.Close()
		k := &Session{Folder: corpus.FolderOf(t.TempDir(), f.Case.Property), Shrink: time.Hour, Pages: c.pages}
		if c.known {
			k.alone = map[string]int{}
			for _, other := range finding.Shrink(t.Context(), r, f, shrink.Options{}).Others {
				k.alone[other.Failure.Signature()] = 1
			}
		}
		out, kept, err := k.finish(t.Context(), r, f, end{keep: true})
		if err != nil {
			t.Fatal(err)
		}
		k.keepOthers(t.Context(), r, &out)
		small := out.Finding
		var got []string
		files, _ := os.ReadDir(k.Folder.Dir)
		for _, file := range files {
			if !strings.HasPrefix(file.Name(), strings.TrimSuffix(filepath.Base(kept.Path), ".case")) {
				got = append(got, filepath.Ext(file.Name()))
				if ending := filepath.Ext(file.Name()); ending == ".case" || ending == ".html" {
					if also := strings.Join(small.Also, "\n"); !strings.Contains(also, file.Name()) {
						t.Errorf("%+v: %s is not named in %q", c, file.Name(), also)
					}
				}
			}
		}
		if !slices.Equal(got, c.want) || len(small.Also) != min(1, len(c.want)) {
			t.Errorf("%+v: kept %q, told %q", c, got, small.Also)
		}
		if own := strings.HasSuffix(kept.InWords("from now on", filepath.Base), ".html"); own != c.pages {
			t.Errorf("%+v: told %q", c, kept.InWords("from now on", filepath.Base))
		}
	}
}

// TestShrinkingTellsHowFarItIs checks that shrinking reports each run with the size of the
// best one so far, and that the result is the same as without reports.
func TestShrinkingTellsHowFarItIs(t *testing.T) {
	s, _ := subjects.ByName("writer-error")
	alone := shrunkBy(t, s.Property(false), 1, 20_000)
	p, f := foundBy(t, s.Property(false), 1)
	r := p.NewRunner()
	defer r.Close()
	var told []shrink.Progress
	over := false
	k := &Session{Shrink: time.Hour, Shrinking: func() (func(shrink.Progress), func()) {
		return func(p shrink.Progress) { told = append(told, p) }, func() { over = true }
	}}
	small := k.shrunk(t.Context(), k.Shrink, 0, r, f).Finding
	for i, p := range told {
		if p.Runs != i+1 || p.From != f.Steps() || p.Steps > p.From || i > 0 && p.Steps > told[i-1].Steps {
			t.Fatalf("run %d: %+v", i, p)
		}
	}
	if last := len(told) - 1; !over || last < alone.Runs || told[last].Steps != small.Steps() || !small.Case.Same(&alone.Finding.Case) {
		t.Errorf("over %t, %d runs, the last %+v, of %d", over, len(told), told[max(0, last)], alone.Runs)
	}
	if k.Shrink <= 0 || k.Shrink >= time.Hour {
		t.Errorf("%s are left of an hour", k.Shrink)
	}
}

// counts is a property whose program sends a drawn number of messages and fails.
func counts(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 9), "n")
	sys := t.System()
	a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
	for i := range n {
		sys.Send(a, i)
	}
	sys.Run()
	t.Attach("note.txt", func(io.Writer) error { return nil })
	t.Error("too many")
}

// TestShortestRunsAreConcluded: a process that meets a failure several times saves its
// shortest run, and deletes the longer one that it saved before. Another process later
// replaces that case by a shrunk one. Cases that were in the folder before stay unchanged.
func TestShortestRunsAreConcluded(t *testing.T) {
	p := search.Property{Name: "p", Test: "TestP", Func: counts}
	r := p.NewRunner()
	defer r.Close()
	met := func(n int) *finding.Finding {
		for seed := uint64(1); ; seed++ {
			res := r.Run(props.Plan{Seed: seed})
			if len(res.System.Trace().Steps) == n {
				f := finding.From(finding.Origin{Property: "p", Test: "TestP", Seed: seed}, &res)
				f.Confirm(r)
				return f
			}
		}
	}
	folder := corpus.FolderOf(t.TempDir(), "p")
	steps := func() (list []int) {
		cases, _ := folder.Load()
		for _, c := range cases {
			list = append(list, len(c.Record.Deliveries))
		}
		return list
	}
	if _, err := met(9).Save(folder); err != nil {
		t.Fatal(err)
	}
	before, _ := folder.Load()
	engine := &Session{Property: p, Folder: folder, Shortest: true}
	for _, n := range []int{7, 8, 5, 6} { // the runs of 8 and 6 steps are not saved
		if rec := engine.Conclude(t.Context(), r, met(n), ""); rec.Problem != "" {
			t.Error(rec.Problem)
		}
	}
	if got := steps(); !slices.Equal(got, []int{5, 9}) {
		t.Errorf("there are cases of %v steps", got)
	}
	var told []record.Record
	s := &Session{Property: p, Folder: folder, Shrink: time.Hour}
	s.ConcludeNew(t.Context(), r, before, func(f record.Record) { told = append(told, f) })
	if got := steps(); !slices.Equal(got, []int{1, 9}) || len(told) != 1 || !strings.Contains(told[0].Text(0), "found by go test -fuzz as ") {
		t.Errorf("there are cases of %v steps, and told were %+v", got, told)
	}
	if files, _ := os.ReadDir(folder.Dir); len(files) != 4 { // each case has a note file
		t.Errorf("there are %v", files)
	}
}
