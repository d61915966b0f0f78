package finding

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// counts is a property of a program that sends n messages, where n is drawn. It fails if n is at least least. With
// fewer messages it may pass, skip, or fail with other words.
type counts struct {
	least int
	texts bool // texts are sent in place of numbers: a different program, with none of the first program's steps
	fewer string
}

func (c *counts) property(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 9), "n")
	sys := t.System()
	a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
	for i := range n {
		if c.texts {
			sys.Send(a, strconv.Itoa(i))
		} else {
			sys.Send(a, i)
		}
	}
	sys.Run()
	t.Attach("note.txt", func(w io.Writer) error { return nil })
	switch {
	case n >= c.least:
		t.Error("too many")
	case c.fewer == "skip":
		t.Skip("too few")
	case c.fewer != "":
		t.Error(c.fewer)
	}
}

// exactly returns the explanation of a condition such as "x before y".
func exactly(condition string) *corpus.Explanation {
	x, y, _ := strings.Cut(condition, " before ")
	return &corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: []corpus.Constraint{
		{First: corpus.Message{Text: x, At: "a", Kind: x + " at a", Send: -1}, Second: corpus.Message{Text: y, At: "a", Kind: y + " at a", Send: -1}}}}
}

// found returns a finding with n messages, shrunk to a condition.
func found(t *testing.T, r *props.Runner, n int, condition string) *Finding {
	t.Helper()
	for seed := range uint64(1000) {
		res := r.Run(props.Plan{Seed: seed + 1})
		if len(res.System.Trace().Steps) == n {
			f := From(Origin{Property: "p", Test: "TestP", Seed: seed}, &res)
			if condition != "" {
				f.Explain("shrunk", exactly(condition))
			}
			f.Case.Condition = condition
			return f
		}
	}
	t.Fatalf("no seed draws %d", n)
	return nil
}

// TestKeep checks what happens to an old case when a finding is saved that may show the same failure. The old case has
// a given number of messages, and the program may have changed.
func TestKeep(t *testing.T) {
	t.Setenv("JOSTLE_OUT", "")
	before := counts{least: 1}
	for _, test := range []struct {
		name      string
		old, new  int
		condition string // of the new finding; the old case has the condition "x before y"
		now       counts
		want      string // what is said
		there     string // the files that exist afterwards
	}{
		{"smaller", 5, 2, "x before y", before, "saved: NEW (runs first from now on, in place of OLD, which showed the same failure)", "new"},
		{"larger", 2, 5, "x before y", before, "not saved: OLD shows the same failure, and is no larger", "old"},
		{"another condition", 5, 2, "y before x", before, "saved: NEW (runs first from now on)", "both"},
		{"another condition, larger", 2, 5, "y before x", before, "saved: NEW (runs first from now on)", "both"},
		{"not explained", 5, 2, "", before, "saved: NEW (runs first from now on)", "both"},
		{"the old one is stale and fails", 2, 5, "x before y", counts{1, true, ""}, "saved: NEW (runs first from now on, in place of OLD, which showed the same failure)", "new"},
		{"the old one is stale and passes", 2, 5, "x before y", counts{4, true, ""}, "saved: NEW (runs first from now on, in place of OLD, which showed the same failure)", "new"},
		{"the old one is stale and skipped", 2, 5, "x before y", counts{4, true, "skip"}, "saved: NEW (runs first from now on)", "both"},
		{"the old one passes as it was saved", 2, 5, "x before y", counts{4, false, ""}, "saved: NEW (runs first from now on)", "both"},
		{"the old one is skipped", 2, 5, "x before y", counts{4, false, "skip"}, "saved: NEW (runs first from now on)", "both"},
		{"the old one fails otherwise", 2, 5, "x before y", counts{4, false, "too few"}, "saved: NEW (runs first from now on)", "both"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := before
			r := props.NewRunner("p", func(t *props.T) { program.property(t) })
			defer r.Close()
			folder := corpus.FolderOf(t.TempDir(), "p")
			old, err := found(t, r, test.old, "x before y").Keep(folder, r)
			if err != nil || !old.Saved() {
				t.Fatalf("%+v, %v", old, err)
			}
			program = test.now
			f := found(t, r, test.new, test.condition)
			kept, err := f.Keep(folder, r)
			if err != nil {
				t.Fatal(err)
			}
			names := strings.NewReplacer(strings.TrimSuffix(filepath.Base(old.Path), ".case"), "OLD",
				strings.TrimSuffix(filepath.Base(kept.Path), ".case"), "NEW", ".case", "")
			if got := names.Replace(kept.InWords("from now on", filepath.Base)); got != test.want {
				t.Errorf("said %s, expected %s", got, test.want)
			}
			t.Setenv("JOSTLE_OUT", "elsewhere") // the case is then saved in a folder from which only runs with the same setting load it
			elsewhere := strings.Replace(test.want, "runs first from now on", "runs first while JOSTLE_OUT is set so", 1)
			if got := names.Replace(kept.InWords("while JOSTLE_OUT is set so", filepath.Base)); got != elsewhere {
				t.Errorf("said %s, expected %s", got, elsewhere)
			}
			want := map[string][]string{"new": {"NEW", "NEW-note.txt"}, "old": {"OLD", "OLD-note.txt"},
				"both": {"NEW", "NEW-note.txt", "OLD", "OLD-note.txt"}}[test.there]
			var got []string
			files, _ := os.ReadDir(folder.Dir)
			for _, file := range files {
				got = append(got, names.Replace(file.Name()))
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("there are %q, expected %q", got, want)
			}
			again, err := f.Keep(folder, r)
			if err != nil || again.Path != kept.Path || again.Fewer {
				t.Errorf("kept again: %+v, %v", again, err)
			}
		})
	}
}

// If a finding cannot be saved, nothing is removed.
func TestKeepWhatCannotBeSaved(t *testing.T) {
	program := counts{least: 1}
	r := props.NewRunner("p", program.property)
	defer r.Close()
	folder := corpus.FolderOf(t.TempDir(), "p")
	old, err := found(t, r, 5, "x before y").Keep(folder, r)
	if err != nil {
		t.Fatal(err)
	}
	f := found(t, r, 2, "x before y")
	f.Case.Record.Choices = []choice.Choice{{Kind: 99, N: 2}}
	if kept, err := f.Keep(folder, r); err == nil || kept.Path != "" || kept.Fewer {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := os.Stat(old.Path); err != nil {
		t.Error(err)
	}
}

// A case that was saved unshrunk gets an explanation when its failure is shrunk to the same run. If people have changed
// the comment of the case, the comment stays.
func TestKeepExplains(t *testing.T) {
	program := counts{least: 1}
	r := props.NewRunner("p", program.property)
	defer r.Close()
	for _, note := range []string{"", "see ticket 7"} {
		folder := corpus.FolderOf(t.TempDir(), "p")
		first := found(t, r, 3, "")
		if note != "" {
			first.Case.Comment = append(first.Case.Comment, note)
		}
		path, err := first.Save(folder)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := found(t, r, 3, "x before y").Keep(folder, r)
		if err != nil || filepath.Base(kept.Path)[:6] != filepath.Base(path)[:6] {
			t.Fatalf("%+v, %v", kept, err)
		}
		cases, _ := folder.Load()
		said := slices.Contains(cases[0].Comment, "fails in 1 of 2 orders: exactly where x comes before y at a")
		if len(cases) != 1 || said != (note == "") || note != "" && !slices.Contains(cases[0].Comment, note) || cases[0].Explanation == nil || cases[0].Condition == "" {
			t.Errorf("with %q in it the file has %+v", note, cases[0])
		}
	}
}

// TestPagesGoWithTheirCase: when a smaller case replaces a case, the pages of the replaced case are removed.
func TestPagesGoWithTheirCase(t *testing.T) {
	r := props.NewRunner("p", (&counts{least: 1}).property)
	defer r.Close()
	folder := corpus.FolderOf(t.TempDir(), "p")
	for _, n := range []int{5, 3} {
		f := found(t, r, n, "order")
		f.Confirm(r)
		kept, err := f.Keep(folder, r)
		if err == nil {
			err = f.AddPages(r, &kept)
		}
		if err != nil || kept.Page != strings.TrimSuffix(kept.Path, ".case")+".html" {
			t.Fatalf("%+v, %v", kept, err)
		}
		var got []string
		files, _ := os.ReadDir(folder.Dir)
		for _, file := range files {
			got = append(got, strings.TrimPrefix(file.Name(), strings.TrimSuffix(filepath.Base(kept.Path), ".case")))
		}
		if !slices.Equal(got, []string{"-note.txt", ".case", ".html", ".json", ".mmd"}) {
			t.Errorf("after %d messages there are %q", n, got)
		}
	}
}
