package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	const n = shownLines
	tests := []struct{ name, want, got, diff string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"empty", "", "", ""},
		{"a line in the middle", "a\nb\nc\n", "a\nB\nc\n", "line 2:\n-b\n+B\n"},
		{"one line more", "a\nc\n", "a\nb\nc\n", "line 2:\n+b\n"},
		{"one line less", "a\na\n", "a\n", "line 2:\n-a\n"},
		{"one line more at the end", "a\n", "a\nb\n", "line 2:\n+b\n"},
		{"an empty line", "a\n\nb\n", "a\nb\n", "line 2:\n-\n"},
		{"no end of a line", "a\nb\n", "a\nb", "line 2:\n-b\n+b (without a line end)\n"},
		{"nothing expected", "", "a\n", "line 1:\n+a\n"},
		{"two places", "a\nb\nc\nd\ne\n", "A\nb\nc\nD\nE\ne\n", "line 1:\n-a\n+A\nline 4:\n-d\n+D\n+E\n"},
		{"too much to show", "a\n", strings.Repeat("x\n", n+3) + "a\n", "line 1:\n" + strings.Repeat("+x\n", n) + "…\n"},
	}
	for _, test := range tests {
		if d := diff(test.want, test.got); d != test.diff {
			t.Errorf("%s: the difference is\n%q, expected\n%q", test.name, d, test.diff)
		}
	}
}

// A failing is a testing.TB that records its messages and continues.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}
func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}
func (f *failing) Fatalf(format string, args ...any) { f.Errorf(format, args...); panic(f) }
func (f *failing) Fatal(args ...any)                 { f.Fatalf("%s", fmt.Sprint(args...)) }

// says returns the message of File about a text, "" if there is none.
func says(t *testing.T, path, got string) string {
	f := &failing{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(f) {
				panic(r)
			}
		}()
		File(f, path, got)
	}()
	return strings.Join(f.said, "; ")
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "testdata", "text.golden")
	t.Setenv("JOSTLE_REWRITE", "")
	if s := says(t, path, "one\n"); !strings.Contains(s, path) || !strings.HasSuffix(s, "JOSTLE_REWRITE=1 writes this text to it:\none\n") {
		t.Errorf("of a file that is not there: %s", s)
	}
	t.Setenv("JOSTLE_REWRITE", "1")
	if s := says(t, path, "one\n"); s != "" {
		t.Errorf("when writing: %s", s)
	}
	if text, err := os.ReadFile(path); string(text) != "one\n" {
		t.Errorf("%q was written, %v", text, err)
	}
	t.Setenv("JOSTLE_REWRITE", "")
	if s := says(t, path, "one\n"); s != "" {
		t.Errorf("of the same text: %s", s)
	}
	want := path + " differs (- expected, + got); JOSTLE_REWRITE=1 rewrites it\nline 1:\n-one\n+two\n"
	if s := says(t, path, "two\n"); s != want {
		t.Errorf("of another text: %s, expected %s", s, want)
	}
	t.Setenv("JOSTLE_REWRITE", "1")
	if s := says(t, filepath.Join(path, "below"), "one\n"); s == "" {
		t.Error("nothing is said when the file cannot be written")
	}
}

// TestRows checks which lines count as rows of a file.
func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte("name   runs\na      1\n\nlong   2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]int{"": 0, "name runs\na 1\n": 0, "long 2\n\n": 0, "a 2\n": 1, "a 1\nb 1\nlong\n": 2} {
		f := &failing{TB: t}
		if Rows(f, path, got); len(f.said) != want {
			t.Errorf("%q: %q, want %d", got, f.said, want)
		}
	}
}

// TestPart: by day a part of the rows of a file is enough, at night all are needed.
func TestPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte("a 1\nb 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JOSTLE_REWRITE", "")
	for night, want := range map[string]int{"": 0, "1": 1} {
		t.Setenv("JOSTLE_NIGHTLY", night)
		f := &failing{TB: t}
		if Part(f, path, "b 2\n"); len(f.said) != want || Whole() != (want > 0) {
			t.Errorf("JOSTLE_NIGHTLY=%q: %q, whole %t", night, f.said, Whole())
		}
	}
}
