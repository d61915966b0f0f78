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

// Worth reports whether a finding is worth saving. A misuse outside of a step fails in
// every run, so a case of it shows nothing; a handler may misuse the library in one order
// only. A program that does not repeat itself cannot be replayed.
func (f *Finding) Worth() bool {
	switch f.Failure.Kind {
	case pulse.KindMisuse:
		return f.Failure.Step >= 0
	case pulse.KindNondeterminism:
		return false
	}
	return true
}

// Save saves a finding as a case file, with its attachments next to it. A run without
// a system is saved too, for its inputs.
func (f *Finding) Save(folder corpus.Folder) (path string, err error) {
	path, _, err = folder.Save(f.Case)
	if err != nil {
		return path, err
	}
	return path, f.saveBeside(path)
}

// saveBeside writes the attachments next to a case.
func (f *Finding) saveBeside(path string) error {
	for i, attached := range f.besides(path) {
		if err := os.WriteFile(attached, f.Attachments[i].Data, 0o644); err != nil {
			return fmt.Errorf("the case is saved, but not all of its attachments: %w", err)
		}
	}
	return nil
}

// besides returns the paths of the attachments of a case.
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

// fileName turns a name given by a property into a valid file name that does not look
// like a case.
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

// Whole returns the text of the case, for a user to save if jostle cannot.
func (f *Finding) Whole() string {
	text, err := corpus.Encode(f.Case)
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}
