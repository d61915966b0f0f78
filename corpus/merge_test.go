package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
)

// savedIn saves a case in a folder, and returns it with its path.
func savedIn(t *testing.T, f Folder, c Case) Case {
	t.Helper()
	path, _, err := f.Save(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Path = path
	return c
}

// held returns the conditions and comments in the files of a folder.
func held(t *testing.T, f Folder) (list []string) {
	t.Helper()
	cases, problems := f.Load()
	if len(problems) > 0 {
		t.Error(problems)
	}
	for _, c := range cases {
		list = append(list, c.Condition+"|"+strings.Join(c.Comment, " "))
	}
	slices.Sort(list)
	return list
}

// TestMerge: a case of another folder is added with its name, once. Of two files with
// the same run, the one with a condition stays. The other folder does not change.
func TestMerge(t *testing.T) {
	explained := samples["explained"]()
	explained.Comment = []string{"first"}
	bare := explained
	bare.Condition = ""
	reworded := explained
	reworded.Comment = []string{"second"}
	other := explained
	other.Record.Deliveries = append(slices.Clone(other.Record.Deliveries), 7)
	other.Comment = []string{"other"}
	with := explained.Condition + "|"
	for _, c := range []struct {
		name       string
		there, new Case
		fresh      bool
		want       []string
	}{
		{"another run", explained, other, true, []string{with + "first", with + "other"}},
		{"the same file", explained, explained, false, []string{with + "first"}},
		{"the same run in other words", explained, reworded, false, []string{with + "first"}},
		{"the same run, explained", bare, reworded, true, []string{with + "second"}},
		{"the same run, not explained", explained, bare, false, []string{with + "first"}},
	} {
		here, there := Folder{Dir: t.TempDir()}, Folder{Dir: t.TempDir()}
		savedIn(t, here, c.there)
		from := savedIn(t, there, c.new)
		before, _ := os.ReadFile(from.Path)
		path, fresh, err := here.Merge(from)
		if err != nil || fresh != c.fresh || filepath.Dir(path) != here.Dir {
			t.Errorf("%s: %s, %v, %v", c.name, path, fresh, err)
		}
		if got := held(t, here); !slices.Equal(got, c.want) {
			t.Errorf("%s: the folder has %q, want %q", c.name, got, c.want)
		}
		if after, _ := os.ReadFile(from.Path); string(after) != string(before) || fresh && !has(path, before) || fresh && filepath.Base(path) != filepath.Base(from.Path) {
			t.Errorf("%s: the file was changed on its way to %s", c.name, path)
		}
		if path, fresh, err = here.Merge(from); fresh || err != nil {
			t.Errorf("%s, again: %s, %v, %v", c.name, path, fresh, err)
		}
	}
}

// TestMergeConflicts: text that people have written is never overwritten, and a case
// whose name is taken is added under another.
func TestMergeConflicts(t *testing.T) {
	here, there := Folder{Dir: t.TempDir()}, Folder{Dir: t.TempDir()}
	c := samples["explained"]()
	c.Comment = []string{"first"}
	savedIn(t, here, c)
	from := savedIn(t, there, c)
	text, _ := os.ReadFile(from.Path)
	if err := os.WriteFile(from.Path, []byte(strings.Replace(string(text), "# first", "# by hand", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, fresh, err := here.Merge(from); fresh || !errors.Is(err, ErrWords) {
		t.Errorf("%v, %v", fresh, err)
	}
	if got := held(t, here); len(got) != 1 || !strings.HasSuffix(got[0], "|first") {
		t.Errorf("the folder has %q", got)
	}

	other := c
	other.Record.Deliveries = append(slices.Clone(c.Record.Deliveries), 7)
	moved := savedIn(t, there, other)
	taken := filepath.Join(there.Dir, filepath.Base(from.Path))
	if err := os.Rename(moved.Path, taken); err != nil {
		t.Fatal(err)
	}
	moved.Path = taken
	if path, fresh, err := here.Merge(moved); err != nil || !fresh || filepath.Base(path) == filepath.Base(taken) {
		t.Errorf("%s, %v, %v", path, fresh, err)
	}
	if got := held(t, here); len(got) != 2 {
		t.Errorf("the folder has %q", got)
	}
	if _, _, err := (Folder{Dir: here.Dir, Property: "another"}).Merge(moved); err == nil {
		t.Error("a case of another property is taken")
	}
}

// TestThin: of several cases of one failure, the smallest stays. If their files do not show that they have one failure,
// all of them stay.
func TestThin(t *testing.T) {
	explained := samples["explained"]
	larger := func(change func(*Case)) Case {
		c := explained()
		c.Record.Deliveries = append(slices.Clone(c.Record.Deliveries), 7)
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		change func(*Case)
		gone   int
	}{
		"the same failure":     {func(*Case) {}, 1},
		"another condition":    {func(c *Case) { c.Condition = "other" }, 0},
		"not explained":        {func(c *Case) { c.Condition = "" }, 0},
		"another signature":    {func(c *Case) { c.Signature = "other" }, 0},
		"of function literals": {func(c *Case) { c.Test = c.Property }, 0},
		"not run yet": {func(c *Case) {
			c.Schedule.Seed = 3
			c.Record = choice.Record{}
		}, 0},
	} {
		f := Folder{Dir: t.TempDir()}
		small := savedIn(t, f, explained())
		large := savedIn(t, f, larger(c.change))
		gone, err := f.Thin()
		if err != nil || len(gone) != c.gone || len(gone) == 1 && gone[0] != large.Path {
			t.Errorf("%s: gone are %q (%v), want %d", name, gone, err, c.gone)
		}
		if _, err := os.Stat(small.Path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
