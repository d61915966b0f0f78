package finding

import (
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestConstraintsHold: the diagram marks only constraints that hold in the run. The first message was received, and the
// second was received later or not at all.
func TestConstraintsHold(t *testing.T) {
	const a, b, lost, none = 0, 1, 2, -1
	tr := &trace.Trace{Sends: []trace.Send{a: {Receipt: 3}, b: {Receipt: 5}, lost: {Receipt: trace.None}}}
	for _, c := range []struct {
		first, second int
		want          bool
	}{
		{a, b, true}, {b, a, false}, {a, lost, true}, {lost, a, false}, {a, none, true}, {none, a, false}, {lost, none, false}, {none, none, false}, {3, a, false}, {a, 3, false},
	} {
		is := corpus.Constraint{First: corpus.Message{Send: c.first}, Second: corpus.Message{Send: c.second}}
		if got := isMet(&is, tr); got != c.want {
			t.Errorf("%d before %d: %t", c.first, c.second, got)
		}
	}
}

// TestFolded: a note has no long lines. No word is lost, and only words that are too long are broken.
func TestFolded(t *testing.T) {
	words := strings.Repeat("lost(1) comes before é, ", 20)
	for _, c := range []struct{ lines, want []string }{
		{nil, nil},
		{[]string{"", " a ", ""}, []string{"a"}},
		{[]string{strings.Repeat("x", 80)}, []string{strings.Repeat("x", 80)}},
		{[]string{strings.Repeat("é", 90) + " b"}, []string{strings.Repeat("é", 80), strings.Repeat("é", 10) + " b"}},
		{[]string{strings.Repeat("x", 79) + " yy"}, []string{strings.Repeat("x", 79), "yy"}},
	} {
		if got := folded(c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%q is folded to %q, want %q", c.lines, got, c.want)
		}
	}
	if got := strings.Join(folded([]string{words}), " "); got != strings.TrimSpace(words) {
		t.Errorf("words are lost: %q", got)
	}
}
