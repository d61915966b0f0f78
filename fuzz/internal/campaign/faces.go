package campaign

import (
	"os"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// grouped returns findings with those of one cause as one, which names the others: they are
// faces of one bug.
func grouped(list []*Finding) (bugs []*Finding) {
	at := map[string]int{}
	for _, f := range list {
		i, known := at[f.Cause]
		switch {
		case f.Cause == "":
			bugs = append(bugs, f)
		case known:
			bugs[i] = joined(bugs[i], f)
		default:
			at[f.Cause] = len(bugs)
			bugs = append(bugs, f)
		}
	}
	return bugs
}

// joined returns the one of two findings of one cause whose case is kept, with the other as a
// face of it.
func joined(a, b *Finding) *Finding {
	if a.yields() && !b.yields() || a.yields() == b.yields() && isGone(a.Path) && !isGone(b.Path) {
		a, b = b, a
	}
	both := *a
	both.Times += b.Times
	if b.yields() && isGone(a.Path) { // it was written anew, with the name of the face
		both.Kept = record.Kept{Path: b.Path}
	}
	both.addFaces(b)
	return &both
}

// yields reports whether the case of a finding is that of another.
func (f *Finding) yields() bool { return f.Path != "" && !f.Saved() }

// addFaces notes that another finding is a face of the same bug.
func (f *Finding) addFaces(o *Finding) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != f.Signature && !slices.Contains(f.Faces, face) {
			f.Faces = append(slices.Clip(f.Faces), face)
		}
	}
	slices.Sort(f.Faces)
}

// join makes one case of those of a finding that was shrunk and of others with its cause. A
// worker has done so already, unless another worker saved the other at the same time.
func (t *target) join(f *Finding) {
	for _, o := range t.Findings {
		if o == f || f.Cause == "" || o.Cause != f.Cause || f.Path == "" || o.Path == "" || o.Path == f.Path {
			continue
		}
		k, err := finding.Join(t.subject.Cases(), o.Path, f.Path)
		if err != nil {
			f.Problem = err.Error()
		}
		if k.Fewer {
			t.gaveWay(f, o, &k)
		}
	}
}

// gaveWay notes that one of the cases of two findings gave way to the other.
func (t *target) gaveWay(f, o *Finding, k *record.Kept) {
	was, gone := f.Path, o.Path
	if k.Alike[0] == f.Path {
		was, gone = gone, was
	}
	for _, g := range t.Findings {
		switch {
		case g.Path == gone || g.Path == was && g.yields():
			g.Kept = k.Yielded()
		case g.Path == was:
			g.Kept.Path = k.Path
			if g.Page != "" {
				g.Page = strings.TrimSuffix(k.Path, ".case") + ".html"
			}
		}
	}
	if !f.yields() {
		f.Alike, f.Fewer, f.OneCause = k.Alike, k.Fewer, k.OneCause
		f.addFaces(o)
	}
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}
