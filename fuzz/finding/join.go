package finding

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// Join merges two cases in a folder that show one bug. Keep prevents such cases, except if two
// processes save them at the same time. The smaller case stays. If the other case has a
// different signature, the smaller case is rewritten to list that signature in Faces. Then the
// larger case and its pages are removed; other files next to it stay. If the process is killed
// during Join, at least one case of the bug remains.
//
// Join returns the zero Kept if both cases stay, because they are not known to show one bug,
// one no longer exists, or somebody has changed or renamed one.
func Join(folder corpus.Folder, one, two string) (k record.Kept, err error) {
	small, errOne := folder.Find(one)
	large, errTwo := folder.Find(two)
	if errOne != nil || errTwo != nil || !small.OneCause(&large) && !small.Alike(&large) ||
		!folder.IsAsSaved(small) || !folder.IsAsSaved(large) {
		return k, nil
	}
	if cmp.Or(small.Compare(&large), cmp.Compare(small.Signature, large.Signature), cmp.Compare(one, two)) > 0 {
		small, large = large, small
	}
	both := small
	if both.AddFaces(&large); len(both.Faces) > len(small.Faces) {
		if both.Path, err = folder.Rewrite(both); err != nil {
			return k, err
		}
		moveAllBeside(small.Path, both.Path)
	}
	if err = folder.Remove(large); err == nil {
		removePages(large.Path)
		k.Alike, k.Fewer = []string{large.Path}, true
	}
	k.Path, k.OneCause = both.Path, small.Signature != large.Signature
	return k, err
}

// moveAllBeside renames the attachments and pages of a case whose file was renamed.
func moveAllBeside(from, to string) {
	dir, name := filepath.Split(beside(from, "-"))
	files, _ := os.ReadDir(dir) // after an error the list is empty
	for _, file := range files {
		if rest, is := strings.CutPrefix(file.Name(), name); is {
			os.Rename(filepath.Join(dir, file.Name()), beside(to, "-"+rest))
		}
	}
	movePages(from, to)
}

// movePages renames the pages of a case whose file was renamed.
func movePages(from, to string) {
	for _, ending := range pages {
		os.Rename(beside(from, ending), beside(to, ending)) // the page may not exist
	}
}

// removePages removes the pages of the case at path.
func removePages(path string) {
	for _, ending := range pages {
		os.Remove(beside(path, ending))
	}
}
