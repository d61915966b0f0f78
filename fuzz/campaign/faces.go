package campaign

import (
	"fmt"
	"os"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/pulse/trace"
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
	if a.Yields && !b.Yields || a.Yields == b.Yields && isGone(a.Path) && !isGone(b.Path) {
		a, b = b, a
	}
	both := *a
	both.Times += b.Times
	if b.Yields && isGone(a.Path) { // it was written anew, with the name of the face
		both.Path, both.Saved = b.Path, savedAt(b.Path)
	}
	both.addFaces(b)
	return &both
}

// addFaces notes that another finding is a face of the same bug.
func (f *Finding) addFaces(o *Finding) {
	for _, face := range append([]string{o.Lasting}, o.Faces...) {
		if face == f.Lasting || slices.Contains(f.Faces, face) {
			continue
		}
		f.Faces = append(slices.Clip(f.Faces), face)
		f.Text += fmt.Sprintf("        one bug with another face, of the same cause: %s\n", trace.Visible(face))
	}
	if slices.Sort(f.Faces); f.Page != nil {
		page := *f.Page
		page.Faces = f.Faces
		f.Page = &page
	}
}

// join makes one case of those of a finding that was made smaller and of others with its cause.
// A worker has done so already, unless another worker has kept the other at the same time.
func (t *target) join(f *Finding) {
	folder := corpus.Folder{Dir: t.subject.Property.Folder, Property: t.subject.Property.Name}
	for _, o := range t.Findings {
		if o == f || f.Cause == "" || o.Cause != f.Cause || f.Path == "" || o.Path == "" || o.Path == f.Path {
			continue
		}
		k, err := finding.Join(folder, o.Path, f.Path)
		if err != nil {
			f.Problem = err.Error()
		}
		if k.Fewer {
			t.gaveWay(f, o, &k)
		}
	}
}

// gaveWay notes that one of the cases of two findings has given way to the other.
func (t *target) gaveWay(f, o *Finding, k *finding.Kept) {
	shown := func(path string) string { return path }
	was, gone := f.Path, o.Path
	if k.Alike[0] == f.Path {
		was, gone = gone, was
	}
	for _, g := range t.Findings {
		if g.Path != was && g.Path != gone {
			continue
		}
		g.Yields = g.Yields || g.Path == gone
		if g.Path, g.Saved = k.Path, savedAt(k.Path); g.Yields {
			g.Saved = k.Yielded(shown)
		}
	}
	if !f.Yields {
		f.Saved = k.Line(shown)
		f.addFaces(o)
	}
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}
