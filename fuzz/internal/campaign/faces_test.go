package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// TestGrouped: findings with the same cause become one, with
// the saved case. Findings with other causes stay separate.
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
			if strings.Count(f.Text(0), "same cause, another failure") != len(f.Faces) {
				t.Errorf("%s: the text is %q", c.name, f.Text(0))
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

// faceOf returns a case with a failure, its cause and the given number of deliveries.
func faceOf(signature, cause string, deliveries int) corpus.Case {
	c := corpus.Case{Property: "p", Test: "TestP", Signature: signature, Condition: cause, Explanation: &corpus.Explanation{Orders: 2, Failing: 1, Complete: true,
		Exact: true, Constraints: []corpus.Constraint{{First: corpus.Message{Text: cause, At: "a", Kind: cause, Send: -1}, Second: corpus.Message{Text: "z", At: "a", Kind: "z", Send: -1}}}}}
	for i := range deliveries {
		c.Record.Deliveries = append(c.Record.Deliveries, uint64(i)+1)
	}
	return c
}

// TestFacesKeptTogether: at the same time two workers save two failures with the same
// cause. Only the smaller case remains, and it names the other failure, whichever was
// saved first. If a user has edited or renamed one of the files, both remain.
func TestFacesKeptTogether(t *testing.T) {
	edited := func(path string) (string, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		return path, os.WriteFile(path, []byte(strings.Replace(string(text), "\n", "\n# see ticket 7\n", 1)), 0o600)
	}
	renamed := func(path string) (string, error) {
		mine := filepath.Join(filepath.Dir(path), "mine.case")
		return mine, os.Rename(path, mine)
	}
	asKept := func(path string) (string, error) { return path, nil }
	asIs := func(path string) string { return path }
	for _, c := range []struct {
		name   string
		causes [2]string
		then   [2]func(path string) (string, error) // what happens to each file after it was saved
		want   string
		told   [2]string // the last reported finding if the small one is settled first, and if the large one is settled first
	}{
		{"one cause", [2]string{"x", "x"}, [2]func(string) (string, error){asKept, asKept}, "small [large].html", [2]string{"large []", "small [large]"}},
		{"two causes", [2]string{"x", "y"}, [2]func(string) (string, error){asKept, asKept}, "small [].html, large [].html", [2]string{"large []", "small []"}},
		{"the larger is edited", [2]string{"x", "x"}, [2]func(string) (string, error){asKept, edited}, "small [].html, large [].html", [2]string{"large []", "small []"}},
		{"the larger is renamed", [2]string{"x", "x"}, [2]func(string) (string, error){asKept, renamed}, "small [].html, large []", [2]string{"large []", "small []"}},
		{"the smaller is edited", [2]string{"x", "x"}, [2]func(string) (string, error){edited, asKept}, "small [].html, large [].html", [2]string{"large []", "small []"}},
		{"the smaller is renamed", [2]string{"x", "x"}, [2]func(string) (string, error){renamed, asKept}, "small [], large [].html", [2]string{"large []", "small []"}},
	} {
		for first, told := range c.told {
			var said string
			folder := corpus.FolderOf(t.TempDir(), "p")
			run := planned(1, Options{Tell: func(e Event) { said = fmt.Sprintf("%s %v", e.Finding.Signature, e.Finding.Faces) }})
			target := run.targets[0]
			target.subject.Property.Name, target.subject.Property.Folder = "p", folder.Dir
			jobs := []*job{keptAside(t, target, faceOf("small", c.causes[0], 3), c.then[0]), keptAside(t, target, faceOf("large", c.causes[1], 4), c.then[1])}
			run.settle(jobs[first])
			run.settle(jobs[1-first])
			if got := keptIn(folder); got != c.want || said != told {
				t.Errorf("%s: there are %s, told last is %s; want %s and %s", c.name, got, said, c.want, told)
			}
			for _, f := range target.Findings {
				if isGone(f.Path) || f.Problem != "" || !strings.Contains(f.InWords("", asIs), f.Path) {
					t.Errorf("%s: %s is kept at %s, said to be %q, with problem %q", c.name, f.Signature, f.Path, f.InWords("", asIs), f.Problem)
				}
			}
			bugs := target.outcome(false).Findings
			if one := c.causes[0] == c.causes[1]; bugs[0].Signature != "small" || (len(bugs) == 1) != one || (len(bugs[0].Faces) == 1) != one {
				t.Errorf("%s: reported are %d bugs, the first %s with faces %q", c.name, len(bugs), bugs[0].Signature, bugs[0].Faces)
			}
		}
	}
}

// keptAside saves a case of a new finding, as a worker would that knows
// no other worker's cases. It returns the job that shrank the case.
func keptAside(t *testing.T, target *target, c corpus.Case, then func(string) (string, error)) *job {
	path, _, err := corpus.Folder{Dir: target.subject.Property.Folder}.Save(c)
	if err == nil {
		err = os.WriteFile(strings.TrimSuffix(path, ".case")+".html", nil, 0o600)
	}
	if err == nil {
		path, err = then(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &Finding{Record: record.Record{Exact: c.Signature, Worth: true, Tried: 1, Replays: 1}, Times: 1}
	target.Findings = append(target.Findings, f)
	small := record.Record{Exact: c.Signature, Signature: c.Signature, Kept: record.Kept{Path: path}, Cause: c.Cause()}
	return &job{target: target, finding: f, request: session.Request{Do: session.Shrink}, reply: &session.Reply{Findings: []record.Record{small}}}
}

// keptIn lists the cases of a folder, their other failures, and whether each has a page.
func keptIn(folder corpus.Folder) string {
	var list []string
	cases, _ := folder.Load()
	for i := range cases {
		page := ""
		if !isGone(strings.TrimSuffix(cases[i].Path, ".case") + ".html") {
			page = ".html"
		}
		list = append(list, fmt.Sprintf("%s %v%s", cases[i].Signature, cases[i].Faces, page))
	}
	return strings.Join(list, ", ")
}
