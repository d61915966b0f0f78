package desk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// TestOwners: a case is found by its path, by its name or by the beginning of its name, and so
// is the property to which it belongs. If there is no such case, or several, the error says
// what to do.
func TestOwners(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	text := func(property string) string {
		return "jostle case 3\n\nproperty \"" + property + "\"\ntest \"Test\"\nsignature \"\"\nstrategy \"random\"\nseed 0000000000000001\nhash 0000000000000000\nend\n"
	}
	for name, text := range map[string]string{"one/a1.case": text("one"), "two/a2.case": text("two"), "two/b1.case": text("two"), "one/f.case": text("one"), "two/f2.case": text("two"), "one/.f3.case": "half", "one/f4": "half",
		"three/b2.case": "half", "three/b3.case": "half", "three/d1.case": "half", "other/c1.case": text("other"), "e1.case": text("two")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var subjects []campaign.Subject
	b := &binary.Binary{}
	for _, name := range []string{"none", "one", "two", "three"} {
		subjects = append(subjects, campaign.Subject{Binary: b, Property: worker.Property{Name: name, Test: "Test", Folder: filepath.Join(dir, name)}})
	}
	d := New(subjects, worker.Command{}, 1)
	for _, c := range []struct{ file, owner, want string }{
		{"a1", "one", ""},
		{"a2.case", "two", ""},
		{filepath.FromSlash("two/b1.case"), "two", ""},
		{"f", "one", ""},
		{"f.case", "one", ""},
		{"e1.case", "two", ""},
		{"b1", "two", ""},
		{"a", "", `case "a" is ambiguous (one/a1.case, two/a2.case): give more of the name, or the path`},
		{"b2", "", "b2.case:1: "},
		{"b", "", `case "b" is ambiguous (two/b1.case, three/b2.case, three/b3.case): give more of the name, or the path`},
		{"d", "", "d1.case:1: "},
		{"x", "", `there is no case "x": give the path of a case file or the start of its name (cases here: one/a1.case, one/f.case, two/a2.case, two/b1.case, two/f2.case, three/b2.case, three/b3.case, three/d1.case`},
		{"c1", "", "the case c1 belongs to no property here: give its package"},
		{filepath.FromSlash("other/c1.case"), "", "belongs to no property here: give its package"},
	} {
		owners, saved, err := d.owners(c.file)
		if c.owner == "" {
			if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), c.want) {
				t.Errorf("%s: %v, want %s", c.file, err, c.want)
			}
			continue
		}
		if err != nil || len(owners) != 1 || subjects[owners[0]].Property.Name != c.owner || saved.Property != c.owner {
			t.Errorf("%s: %v, %v, %v, want %s", c.file, owners, saved, err, c.owner)
		}
	}
}
