package finding

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Worth reports whether a finding is worth saving. A misuse of the library outside of steps is
// not worth saving, because it fails in every run. A misuse in a step is worth saving, because
// it may depend on the order. A nondeterministic run is not worth saving, because it cannot be
// replayed.
func (f *Finding) Worth() bool {
	switch f.Failure.Kind {
	case pulse.KindMisuse:
		return f.Failure.Step >= 0
	case pulse.KindNondeterminism:
		return false
	}
	return true
}

// Save saves a finding as a case file, and its attachments next to it. A run without a system
// is saved for its inputs.
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

// besides returns the paths of the attachments of a case with the given path.
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

// fileName turns the name of an attachment into a valid file name that does not end in ".case".
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

// Whole returns the text of the case, so that a user can save it if jostle cannot.
func (f *Finding) Whole() string {
	text, err := corpus.Encode(f.Case)
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}

// attach stores the contents of attachments. If an attachment cannot be made, attach adds a log
// line instead.
func (f *Finding) attach(list []props.Attachment) {
	for _, a := range list {
		data, err := written(a)
		if err != nil {
			f.Logs = append(f.Logs, a.Name+" could not be made: "+err.Error())
			continue
		}
		f.Attachments = append(f.Attachments, Attachment{a.Name, data})
	}
}

// written returns the data that an attachment writes. It calls a.Write on another goroutine, so
// that a panic or runtime.Goexit there does not lose the finding.
func written(a props.Attachment) (data []byte, err error) {
	if a.Write == nil {
		return nil, errors.New("it has no Write function")
	}
	done := make(chan struct{})
	var b bytes.Buffer
	go func() {
		defer close(done)
		err = errors.New("its Write function called runtime.Goexit, as FailNow and Skip of a testing.T do")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("its Write function panicked: %s", trace.Label(v))
			}
		}()
		err = a.Write(&b)
	}()
	<-done
	return b.Bytes(), err
}
