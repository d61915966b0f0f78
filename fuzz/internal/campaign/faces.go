package campaign

import (
	"os"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// grouped merges findings that have the same cause, and returns one finding for each bug. Faces of
// a merged finding lists the signatures of the findings that it replaces.
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

// joined merges two findings that have the same cause. It returns a copy of the finding whose case
// remains, and adds the signature of the other finding to Faces.
func joined(a, b *Finding) *Finding {
	if a.yields() && !b.yields() || a.yields() == b.yields() && isGone(a.Path) && !isGone(b.Path) {
		a, b = b, a
	}
	both := *a
	both.Times += b.Times
	if b.yields() && isGone(a.Path) { // a's case was merged into the case at b.Path
		both.Kept = record.Kept{Path: b.Path}
	}
	both.addFaces(b)
	return &both
}

// yields reports whether f.Path is the case of a different finding with the same cause. Then f has
// no case of its own.
func (f *Finding) yields() bool { return f.Path != "" && !f.Saved() }

// addFaces adds the signatures of o, a finding with the same cause, to Faces.
func (f *Finding) addFaces(o *Finding) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != f.Signature && !slices.Contains(f.Faces, face) {
			f.Faces = append(slices.Clip(f.Faces), face)
		}
	}
	slices.Sort(f.Faces)
}

// join merges the case of a shrunk finding with the cases of findings that have the same cause. The
// worker that shrinks the finding usually does this, but it may miss a case that another worker
// saves at the same time.
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

// gaveWay updates the paths of all findings after the cases of f and o were merged into one.
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
