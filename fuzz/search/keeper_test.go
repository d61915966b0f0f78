package search

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// A replay is a saved case that fails again, and what there is to tell it.
type replay struct {
	name    string
	subject string
	found   bool               // the case was saved as it was found; else shrunk and explained
	change  func(*corpus.Case) // what an older version or another program has saved
	keeper  func(*Keeper)      // else it has all the time it needs, and repairs nothing
	fickle  bool               // the program does not repeat itself
}

var (
	noTime  = func(k *Keeper) { k.Left = 0 }
	repairs = func(k *Keeper) { k.Repair = true }
	older   = func(c *corpus.Case) {
		c.Condition, c.Explanation = "", nil
		c.Comment = slices.DeleteFunc(slices.Clone(c.Comment), func(line string) bool { return strings.HasPrefix(line, "fails in ") })
	}
	editedByHand = func(c *corpus.Case) { c.Condition, c.Explanation, c.Comment = "", nil, []string{"by hand"} }
)

var replays = []replay{
	{name: "saved as it was found", subject: "writer-error", found: true},
	{name: "saved as it was found, no time", subject: "writer-error", found: true, keeper: noTime},
	{name: "saved as it was found, to be repaired", subject: "writer-error", found: true, keeper: repairs},
	{name: "saved as it was found, of a literal, to be repaired", subject: "writer-error", found: true, keeper: repairs,
		change: func(c *corpus.Case) { c.Property = c.Test }},
	{name: "explained", subject: "writer-error"},
	{name: "explained, to be repaired", subject: "writer-error", keeper: repairs},
	{name: "explained, no time", subject: "writer-error", keeper: noTime},
	{name: "explained, no time for all", subject: "writer-error", keeper: func(k *Keeper) { k.Left = 1 }},
	{name: "explained from plain order, no time", subject: "raft-dupvote", keeper: noTime},
	{name: "saved by an older version", subject: "writer-error", change: older},
	{name: "saved by an older version, to be repaired", subject: "writer-error", change: older, keeper: repairs},
	{name: "saved by an older version, its comment edited, to be repaired", subject: "writer-error", change: editedByHand, keeper: repairs},
	{name: "fails otherwise now, no time", subject: "writer-error", keeper: noTime,
		change: func(c *corpus.Case) { c.Signature = "another" }},
	{name: "does not repeat itself", subject: "writer-error", fickle: true},
}

// play does what a verb does with a saved case, in a folder with that case alone. It
// returns what is told.
func (p *replay) play(t *testing.T, out *Shrunk, f *finding.Finding) string {
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
	k := &Keeper{Folder: folder, Left: time.Hour, Shown: filepath.Base}
	if p.keeper != nil {
		p.keeper(k)
	}
	played := finding.Play(r, &c)
	again := played.Finding(r, finding.Origin{Property: c.Property, Test: c.Test, Strategy: c.Strategy, Seed: c.Seed}, &c)
	told, kept, err := k.Retell(r, again, &c)
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
	}
	text := told.Text(fmt.Sprintf("saved case (%s)", played.How)) + kept.Line(filepath.Base) + "\n"
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

// TestRetold holds what is told of saved cases that fail again, and what becomes of their
// files.
func TestRetold(t *testing.T) {
	var b strings.Builder
	found, shrunk := map[string]*finding.Finding{}, map[string]*Shrunk{}
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

// TestOthersAreKept: failures that are met on the way are saved, each with pages if pages
// are asked for, and the finding names them. What is kept for itself is not.
func TestOthersAreKept(t *testing.T) {
	for _, c := range []struct {
		pages, known bool
		want         []string // endings of the files of the other failure
	}{{false, false, []string{".case"}}, {true, false, []string{".case", ".html", ".json", ".mmd"}}, {true, true, nil}} {
		p, f := foundBy(t, quarrels, 1)
		r := p.NewRunner()
		defer r.Close()
		k := &Keeper{Folder: corpus.FolderOf(t.TempDir(), f.Case.Property), Left: time.Hour, Pages: c.pages}
		if c.known {
			k.Found = map[string]int{}
			for _, other := range Shrink(t.Context(), r, f, shrink.Options{}).Others {
				k.Found[other.Failure.Signature()] = 1
			}
		}
		small, kept, err := k.Save(r, f)
		if err != nil {
			t.Fatal(err)
		}
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
		if own := strings.HasSuffix(kept.Line(filepath.Base), ".html"); own != c.pages {
			t.Errorf("%+v: told %q", c, kept.Line(filepath.Base))
		}
	}
}

// quarrels fails in two ways.
func quarrels(t *props.T) {
	said := ""
	sys := t.System()
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { said += msg.(string) }))
	for _, word := range []string{"a", "b", "c"} {
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), word)
	}
	switch sys.Run(); said[0] {
	case 'b':
		t.Error("b is first")
	case 'c':
		t.Fatal("c is first")
	}
}

// TestShrinkingTellsHowFarItIs: each run is told of, with the size of the best one so far,
// and what comes of it is the same.
func TestShrinkingTellsHowFarItIs(t *testing.T) {
	s, _ := subjects.ByName("writer-error")
	alone := shrunkBy(t, s.Property(false), 1, 20_000)
	p, f := foundBy(t, s.Property(false), 1)
	r := p.NewRunner()
	defer r.Close()
	var told []shrink.Progress
	over := false
	k := &Keeper{Folder: corpus.FolderOf(t.TempDir(), "p"), Left: time.Hour, Shown: filepath.Base,
		Progress: func() (func(shrink.Progress), func()) {
			return func(p shrink.Progress) { told = append(told, p) }, func() { over = true }
		}}
	small := k.Shrunk(r, f)
	for i, p := range told {
		if p.Runs != i+1 || p.From != f.Steps() || p.Steps > p.From || i > 0 && p.Steps > told[i-1].Steps {
			t.Fatalf("run %d: %+v", i, p)
		}
	}
	if last := len(told) - 1; !over || last < alone.Runs || told[last].Steps != small.Steps() || !small.Case.Same(&alone.Finding.Case) {
		t.Errorf("over %t, %d runs, the last %+v, of %d", over, len(told), told[max(0, last)], alone.Runs)
	}
	if k.Left <= 0 || k.Left >= time.Hour {
		t.Errorf("%s are left of an hour", k.Left)
	}
}

// TestNoTimeToExplain: what was not run for want of time is not said to be too much.
func TestNoTimeToExplain(t *testing.T) {
	out := shrunkInNoTime(t, quarrels)
	if !out.Cut || !out.Why.Cut || !strings.HasSuffix(out.Finding.Why(), "there was no time to run all orders") {
		t.Errorf("cut %t, %t: %s", out.Cut, out.Why.Cut, out.Finding.Why())
	}
}
