package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/record"
)

// TestGrouped: findings of one cause are one, whose case is the one that is kept; others are
// findings of their own.
func TestGrouped(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept.case")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found := func(name, cause, path string, yields bool, times int) *Finding {
		f := &Finding{Record: record.Record{Exact: name + " (x.go:1)", Signature: name, Cause: cause, Kept: record.Kept{Path: path}}, Times: times}
		if yields {
			f.Alike, f.OneCause = []string{path}, true
		}
		return f
	}
	for _, c := range []struct {
		name string
		list []*Finding
		want string
	}{
		{"one", []*Finding{found("a", "x", kept, false, 1)}, "a 1 [] kept"},
		{"two causes", []*Finding{found("a", "x", kept, false, 1), found("b", "y", kept, false, 1)}, "a 1 [] kept, b 1 [] kept"},
		{"no cause", []*Finding{found("a", "", kept, false, 1), found("b", "", kept, false, 1)}, "a 1 [] kept, b 1 [] kept"},
		{"the second yields", []*Finding{found("a", "x", "gone", false, 1), found("b", "x", kept, true, 2)}, "a 3 [b] kept"},
		{"the second takes the place", []*Finding{found("a", "x", "gone", false, 1), found("b", "x", kept, false, 2)}, "b 3 [a] kept"},
		{"the first has yielded", []*Finding{found("a", "x", kept, true, 1), found("b", "x", kept, false, 2)}, "b 3 [a] kept"},
		{"both are kept", []*Finding{found("a", "x", kept, false, 1), found("b", "x", kept, false, 2)}, "a 3 [b] kept"},
		{"three", []*Finding{found("a", "x", kept, false, 1), found("c", "x", kept, true, 1), found("b", "x", kept, true, 1)}, "a 3 [b c] kept"},
		{"on two lines", []*Finding{found("a", "x", kept, false, 1), found("a", "x", kept, true, 1)}, "a 2 [] kept"},
	} {
		var got []string
		for _, f := range grouped(c.list) {
			path := strings.TrimSuffix(filepath.Base(f.Path), ".case")
			got = append(got, f.Signature+" "+string(rune('0'+f.Times))+" ["+strings.Join(f.Faces, " ")+"] "+path)
			if strings.Count(f.Text(), "one bug with another face") != len(f.Faces) {
				t.Errorf("%s: the text is %q", c.name, f.Text())
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
		for _, f := range c.list {
			if f.Faces != nil {
				t.Errorf("%s: what is grouped was changed", c.name)
			}
		}
	}
}
