package finding

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse"
)

// Worth reports whether a finding is worth being kept as a file. A property
// that does outside of a step what it must not fails in every run: a case of it
// shows nothing. What a handler must not do it may do in one order only.
func (f *Finding) Worth() bool { return f.Failure.Kind != pulse.KindMisuse || f.Failure.Step >= 0 }

// Save keeps a finding as a file, and what is attached to it beside that. A
// run without a system has nothing to keep but its inputs, which is worth it
// too.
func (f *Finding) Save(folder corpus.Folder) (path string, err error) {
	path, _, err = folder.Save(f.Case)
	if err != nil {
		return path, err
	}
	for _, a := range f.Attachments {
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + "-" + a.Name
		if err := os.WriteFile(beside, a.Data, 0o644); err != nil {
			return path, err
		}
	}
	return path, nil
}
