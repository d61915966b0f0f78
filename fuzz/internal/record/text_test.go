package record

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func wrappedDraws(draws []string) []string {
	return wrapped(drewPrefix, len(drewPrefix), draws, ",", mostInLine)
}

// TestDrawsAreWrapped: draws are printed on lines of about 100 columns. A line break is
// only between two draws. Draws used to be one line of any length.
func TestDrawsAreWrapped(t *testing.T) {
	if got := wrappedDraws(nil); got != nil {
		t.Errorf("no draws are %q", got)
	}
	if got := wrappedDraws([]string{"a = 1", "b = 2"}); len(got) != 1 || got[0] != "drew a = 1, b = 2" {
		t.Errorf("two short draws are %q", got)
	}
	long := strings.Repeat("é", 150)
	lines := wrappedDraws([]string{long, "a = 1", strings.Repeat("x", 50), strings.Repeat("y", 50), "b = 2"})
	want := []string{"drew " + long + ",", "     a = 1, " + strings.Repeat("x", 50) + ",", "     " + strings.Repeat("y", 50) + ", b = 2"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for _, line := range lines[1:] {
		if n := utf8.RuneCountInString(line); n > mostInLine {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
