package finding

import (
	"os"

	"github.com/jostle-go/jostle/corpus"
)

// An Early is the cases of a search that goes on after failures, saved when each was
// met: the process may be killed before the end, when they are confirmed and shrunk.
type Early struct {
	Folder corpus.Folder
	paths  []string
}

// Save saves the case of a finding. If that cannot be done it is told of at the end,
// when the case is saved again.
func (e *Early) Save(f *Finding) {
	if !f.Worth() {
		return
	}
	if path, fresh, err := e.Folder.Save(f.Case); err == nil && fresh {
		e.paths = append(e.paths, path)
	}
}

// Clear removes what was saved early and is not kept in the end.
func (e *Early) Clear(kept map[string]bool) {
	for _, path := range e.paths {
		if !kept[path] {
			os.Remove(path)
		}
	}
}
