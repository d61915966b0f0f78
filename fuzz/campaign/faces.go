package campaign

import (
	"os"
	"slices"

	"github.com/jostle-go/jostle/fuzz/record"
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
	if a.Yields() && !b.Yields() || a.Yields() == b.Yields() && isGone(a.Path) && !isGone(b.Path) {
		a, b = b, a
	}
	both := *a
	both.Times += b.Times
	if b.Yields() && isGone(a.Path) { // it was written anew, with the name of the face
		both.Kept = record.Kept{Path: b.Path}
	}
	for _, face := range append([]string{b.Signature}, b.Faces...) {
		if face != a.Signature && !slices.Contains(both.Faces, face) {
			both.Faces = append(slices.Clip(both.Faces), face)
		}
	}
	slices.Sort(both.Faces)
	return &both
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}
