package search

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

var elapsed = regexp.MustCompile(`in [0-9.]+ ?[µm]?s`)

// TestTextsOfSubjects holds what is told of the shrunk failure of each subject.
func TestTextsOfSubjects(t *testing.T) {
	var b strings.Builder
	for _, s := range subjects.All() {
		out := shrunkBy(t, s.Property(false), 1, 20_000)
		fmt.Fprintf(&b, "--- %s\n%s\n", s.Name, elapsed.ReplaceAllString(out.Finding.Text("found"), "in TIME"))
	}
	golden.File(t, "testdata/told.golden", b.String())
}
