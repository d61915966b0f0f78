package campaign

import (
	"os"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// grouped returns the findings with those of one cause joined: they are faces of one bug, and
// the joined finding names them.
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

// joined returns, of two findings with one cause, the one whose case stays, with the other as
// its face.
func joined(a, b *Finding) *Finding {
	if a.yields() && !b.yields() || a.yields() == b.yields() && isGone(a.Path) && !isGone(b.Path) {
		a, b = b, a
	}
	both := *a
	both.Times += b.Times
	if b.yields() && isGone(a.Path) { // it was rewritten to name the face
		both.Kept = record.Kept{Path: b.Path}
	}
	both.addFaces(b)
	return &both
}

// yields reports whether the finding has the case of another.
func (f *Finding) yields() bool { return f.Path != "" && !f.Saved() }

// addFaces records that another finding is a face of the same bug.
func (f *Finding) addFaces(o *Finding) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != f.Signature && !slices.Contains(f.Faces, face) {
			f.Faces = append(slices.Clip(f.Faces), face)
		}
	}
	slices.Sort(f.Faces)
}

// join merges the case of a shrunk finding with those of others with the same cause. Usually a
// worker has done this, unless another worker saved the other case at the same time.
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

// gaveWay records that one of two findings' cases replaced the other.
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
