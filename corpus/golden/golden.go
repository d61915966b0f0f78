// Package golden compares the results of tests with golden files, which hold the expected texts.
// If JOSTLE_REWRITE=1 is set, the tests write the golden files:
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

// File fails the test unless the file at path has the content got. The path is relative to the
// folder of the test's package. With JOSTLE_REWRITE=1, File does not compare; it writes got to
// the file.
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
	if got != string(want) {
		t.Errorf("%s differs (- expected, + got); JOSTLE_REWRITE=1 rewrites it\n%s", path, diff(string(want), got))
	}
}

// Rows fails the test unless each line of got is a line of the file at path. It is for tests that
// compute only some lines of the file, because the whole file takes long. Rows ignores the number
// of blanks between words, because the widths of columns depend on all lines. It writes nothing.
func Rows(t testing.TB, path, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range lines(string(want)) {
		known[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, line := range lines(got) {
		if text := strings.Join(strings.Fields(line), " "); !known[text] {
			t.Errorf("%s does not have the line\n%s", path, text)
		}
	}
}

// Whole reports whether a slow test computes all lines of its golden file, or only some. Whole is
// true in nightly runs and when golden files are rewritten.
func Whole() bool {
	return os.Getenv("JOSTLE_NIGHTLY") != "" || os.Getenv("JOSTLE_REWRITE") == "1"
}

// Part calls File if Whole returns true, and Rows otherwise.
func Part(t testing.TB, path, got string) {
	t.Helper()
	if Whole() {
		File(t, path, got)
		return
	}
	Rows(t, path, got)
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// shownLines limits the number of lines that diff returns.
const shownLines = 40

// diff returns the differences of two texts, or "" if the texts are equal. Lines that are only in
// want begin with a minus, and lines that are only in got begin with a plus. Before each group of
// differing lines, diff writes the line number in want.
func diff(want, got string) string {
	a, b := lines(want), lines(got)
	common := inCommon(a, b)
	var text strings.Builder
	shown, together := 0, false
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j, together = i+1, j+1, false
			continue
		case shown == shownLines:
			text.WriteString("…\n")
			return text.String()
		case !together:
			fmt.Fprintf(&text, "line %d:\n", i+1)
		}
		if shown, together = shown+1, true; j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1] {
			text.WriteString("-" + a[i] + "\n")
			i++
			continue
		}
		text.WriteString("+" + b[j] + "\n")
		j++
	}
	return text.String()
}

// lines returns the lines of a text. If the text does not end with a line end, lines appends a
// note to the last line.
func lines(text string) []string {
	list := strings.Split(text, "\n")
	if last := len(list) - 1; list[last] == "" {
		return list[:last]
	}
	list[len(list)-1] += " (without a line end)"
	return list
}

// inCommon returns a table. Element [i][j] is the length of the longest common subsequence of
// a[i:] and b[j:].
func inCommon(a, b []string) [][]int32 {
	n := make([][]int32, len(a)+1)
	for i := range n {
		n[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			n[i][j] = max(n[i+1][j], n[i][j+1])
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			}
		}
	}
	return n
}
