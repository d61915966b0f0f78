package subjects_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

const (
	hardSearches = 50     // searches for each hard subject and strategy
	hardLimit    = 10_000 // the most runs of such a search
	hardMedian   = 1000   // a subject is hard if random order needs more runs than this, in the median
	hardFile     = "testdata/hard.txt"
)

// TestHardMedians compares how many runs the hard subjects need with stored numbers:
// the median, the maximum, and how many searches find nothing. At night it measures
// them; JOSTLE_REWRITE=1 stores them.
//
// Skips: the measurement without JOSTLE_NIGHTLY. The stored numbers are checked always.
func TestHardMedians(t *testing.T) {
	if golden.Whole() {
		golden.File(t, hardFile, hardTable(t))
	}
	text, err := os.ReadFile(hardFile)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var name string
		var median int
		if _, err := fmt.Sscanf(line, "%s %d,", &name, &median); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if median <= hardMedian {
			t.Errorf("%s: random order finds the bug in %d runs by the median: it is not hard", name, median)
		}
		names = append(names, name)
	}
	var want []string
	for _, s := range subjects.Hard() {
		want = append(want, s.Name)
	}
	if !slices.Equal(names, want) || len(want) < 10 {
		t.Errorf("%s has %q, the hard subjects are %q", hardFile, names, want)
	}
}

func hardTable(t *testing.T) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "runs until found: median, most, not found\t%s\t\n", strings.Join(turns, "\t"))
	for _, s := range subjects.Hard() {
		fmt.Fprint(w, s.Name)
		for _, name := range turns {
			list, missed := make([]int, hardSearches), 0
			for i := range list {
				list[i] = untilFound(t, s.Property(false), []string{name}, uint64(i+1), hardLimit)
				if list[i] == hardLimit {
					missed++
				}
			}
			slices.Sort(list)
			fmt.Fprintf(w, "\t%d, %d, %d", list[hardSearches/2], list[hardSearches-1], missed)
		}
		fmt.Fprint(w, "\t\n")
	}
	w.Flush()
	return b.String()
}
