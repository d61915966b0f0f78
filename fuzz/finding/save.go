package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse"
)

// Worth reports whether a finding is worth being kept as a file. A property
// that does outside of a step what it must not fails in every run: a case of it
// shows nothing. What a handler must not do it may do in one order only. What
// was seen of a program that does not repeat itself cannot be run again.
func (f *Finding) Worth() bool {
	switch f.Failure.Kind {
	case pulse.KindMisuse:
		return f.Failure.Step >= 0
	case pulse.KindNondeterminism:
		return false
	}
	return true
}

// Save keeps a finding as a file, and what is attached to it beside that. A
// run without a system has nothing to keep but its inputs, which is worth it
// too.
func (f *Finding) Save(folder corpus.Folder) (path string, err error) {
	path, _, err = folder.Save(f.Case)
	if err != nil {
		return path, err
	}
	return path, f.saveBeside(path)
}

// saveBeside writes the attachments beside a case.
func (f *Finding) saveBeside(path string) error {
	for i, attached := range f.besides(path) {
		if err := os.WriteFile(attached, f.Attachments[i].Data, 0o644); err != nil {
			return fmt.Errorf("the case is saved, but not all that belongs beside it: %w", err)
		}
	}
	return nil
}

// besides returns the files of the attachments beside a case.
func (f *Finding) besides(path string) (list []string) {
	taken := map[string]bool{}
	for i, a := range f.Attachments {
		name := fileName(a.Name)
		if taken[name] {
			name = fmt.Sprintf("%d-%s", i+1, name)
		}
		taken[name] = true
		list = append(list, beside(path, "-"+name))
	}
	return list
}

// fileName makes a name given by a property one of a file in the folder of the
// case, which is not taken for a case.
func fileName(name string) string {
	const most = 100
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	for len(name) > most {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	if name == "" || strings.EqualFold(filepath.Ext(name), ".case") {
		name += ".txt"
	}
	return name
}

// Whole returns the text of the case, to be kept by hand where it cannot be saved.
func (f *Finding) Whole() string {
	text, err := corpus.Encode(f.Case)
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}
