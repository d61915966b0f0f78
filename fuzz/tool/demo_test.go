package tool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestDemo runs the demonstration of every fifth subject. At night it runs those of all
// subjects, including the hard ones, whose texts it does not compare.
func TestDemo(t *testing.T) {
	trial.Long(t)
	list, every := subjects.Easy(), 5
	if golden.Whole() {
		list, every = subjects.All(), 1
	}
	for i, s := range list {
		if i%every > 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), []string{"demo", s.Name}, &out, &errs); code != succeeded || errs.Len() > 0 {
				t.Errorf("exit code %d, errors %q", code, errs.String())
			}
			if i < len(subjects.Easy()) {
				golden.File(t, strings.Replace("testdata/demo-*.golden", "*", s.Name, 1), timeless(out.String()))
			}
		})
	}
}

// timeless replaces how long it took to shrink a case.
func timeless(text string) string {
	return regexp.MustCompile(`shrunk (from [^,]* )?in [0-9.]+(µs|ms|s)`).ReplaceAllString(text, "shrunk ${1}in TIME")
}

// TestDemoKeeps: jostle demo with a folder saves the case there, with its pages.
func TestDemoKeeps(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"demo", "writer", dir}, &out, &errs); code != succeeded || errs.Len() > 0 {
		t.Fatalf("exit code %d, errors %q", code, errs.String())
	}
	for _, ext := range []string{"case", "html", "json"} {
		if found, _ := filepath.Glob(filepath.Join(dir, "writer", "*."+ext)); len(found) != 1 {
			t.Errorf("files *.%s: %q", ext, found)
		}
	}
	if !strings.Contains(out.String(), "Saved: "+filepath.Join(dir, "writer")) {
		t.Error(out.String())
	}
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if code := run(t.Context(), []string{"demo", "writer", blocked}, &out, &errs); code != failed || !strings.Contains(out.String(), "It cannot be saved: ") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
}

// TestFailingDemo demonstrates subjects that do not behave as they should.
func TestFailingDemo(t *testing.T) {
	writer, _ := subjects.ByName("writer")
	harmless, hopeless, fickle, plain := writer, writer, writer, writer
	harmless.Broken = writer.Mended
	hopeless.Mended = writer.Broken
	n := 0
	fickle.Broken = func(sys *pulse.System) func() error {
		if n++; n == 2 {
			return func() error { return errors.New("fails the second time") }
		}
		return func() error { return nil }
	}
	plain.Broken = func(sys *pulse.System) func() error {
		return func() error { return errors.New("fails every time") }
	}
	harmless.Property = func(bool) func(*props.T) { return harmless.Smallest(false) }
	fickle.Property = func(bool) func(*props.T) { return fickle.Smallest(false) }
	for _, c := range []struct {
		golden  string
		subject subjects.Subject
	}{
		{"harmless", harmless},
		{"hopeless", hopeless},
		{"fickle", fickle},
		{"plain", plain},
	} {
		t.Run(c.golden, func(t *testing.T) {
			var out bytes.Buffer
			if show(c.subject, "", &out) {
				t.Error("the demonstration says that all went well")
			}
			golden.File(t, strings.Replace("testdata/failing-*.golden", "*", c.golden, 1), timeless(out.String()))
		})
	}
}
