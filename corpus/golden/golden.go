// Package golden compares what a test got with a text that is kept in a file.
// The files are written by the tests themselves when JOSTLE_REWRITE=1 is set:
//
//	JOSTLE_REWRITE=1 go test ./... && git diff
//
// Only tests import this package.
package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// File fails the test unless a file, whose path is relative to the folder of
// the test's package, has exactly the text got. With JOSTLE_REWRITE=1 it writes
// got to the file instead.
func File(t testing.TB, path, got string) {
	t.Helper()
	path = filepath.FromSlash(path)
	if os.Getenv("JOSTLE_REWRITE") == "1" {
		if err := write(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\nJOSTLE_REWRITE=1 writes this text to it:\n%s", err, got)
	}
	if difference := diff(string(want), got); difference != "" {
		t.Errorf("%s differs; JOSTLE_REWRITE=1 writes it anew\n%s", path, difference)
	}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// shownLines is how many lines of each text a difference shows at most.
const shownLines = 20

// diff returns where two texts differ: the lines between the beginning and the
// end that they share, those of want after a minus, those of got after a plus.
// It returns "" when the texts are equal.
func diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	last := 0 // how many lines at the end are the same
	for last < min(len(a), len(b))-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	return fmt.Sprintf("from line %d on, - expected, + got\n", first+1) +
		marked("-", a[first:len(a)-last]) + marked("+", b[first:len(b)-last])
}

// marked returns lines with a mark before each, and how many more there are
// when there are too many to show. A line without an end says so.
func marked(mark string, lines []string) string {
	var text strings.Builder
	for i, line := range lines {
		if i == shownLines {
			fmt.Fprintf(&text, "%s … and %d more lines\n", mark, len(lines)-i)
			break
		}
		switch whole, ended := strings.CutSuffix(line, "\n"); {
		case ended:
			fmt.Fprintf(&text, "%s%s\n", mark, whole)
		case whole != "":
			fmt.Fprintf(&text, "%s%s (no line end)\n", mark, whole)
		}
	}
	return text.String()
}
