package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	many := strings.Repeat("x\n", shownLines+3)
	tests := []struct{ name, want, got, diff string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"empty", "", "", ""},
		{"a line in the middle", "a\nb\nc\n", "a\nB\nc\n", "from line 2 on, - expected, + got\n-b\n+B\n"},
		{"one line more", "a\nc\n", "a\nb\nc\n", "from line 2 on, - expected, + got\n+b\n"},
		{"one line less", "a\na\n", "a\n", "from line 2 on, - expected, + got\n-a\n"},
		{"an empty line", "a\n\n", "a\n", "from line 2 on, - expected, + got\n-\n"},
		{"no end of a line", "a\nb\n", "a\nb", "from line 2 on, - expected, + got\n-b\n+b (no line end)\n"},
		{"nothing expected", "", "a\n", "from line 1 on, - expected, + got\n+a\n"},
		{"too much to show", "a\n", many + "a\n",
			"from line 1 on, - expected, + got\n" + strings.Repeat("+x\n", shownLines) + "+ … and 3 more lines\n"},
	}
	for _, test := range tests {
		if d := diff(test.want, test.got); d != test.diff {
			t.Errorf("%s: the difference is\n%q, expected\n%q", test.name, d, test.diff)
		}
	}
}

// A failing is a test that keeps what it is told and goes on.
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

// says returns what File says of a text, "" when it says nothing.
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
	want := path + " differs; JOSTLE_REWRITE=1 writes it anew\nfrom line 1 on, - expected, + got\n-one\n+two\n"
	if s := says(t, path, "two\n"); s != want {
		t.Errorf("of another text: %s, expected %s", s, want)
	}
	t.Setenv("JOSTLE_REWRITE", "1")
	if s := says(t, filepath.Join(path, "below"), "one\n"); s == "" {
		t.Error("nothing is said when the file cannot be written")
	}
}
