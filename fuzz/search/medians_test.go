package search

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"text/tabwriter"

	"github.com/jostle-go/jostle/corpus/golden"
)

// runsWithOldInputs has the median number of runs until each bug was found, from the time when the portfolio kept each
// drawn input for 32 runs. TestMedians measures the same.
var runsWithOldInputs = map[string]int{
	"writer": 2, "writer-error": 49, "gatling": 1, "gatling-records": 4, "barber": 20, "messenger": 8,
	"procreg": 597, "procreg-forgets": 785, "pingreg": 3, "attach": 18, "bank": 155, "threadring": 4,
	"server": 3, "raft-dupvote": 102, "guard": 65, "2pc-early": 38, "2pc-stuck": 2, "paxos-quorum": 55,
	"cache": 1797, "closing": 513,
}

// inputsMatter are the subjects whose bug needs one of few inputs.
var inputsMatter = []string{"guard", "2pc-early", "paxos-quorum", "cache", "closing"}

// The default portfolio finds bugs of few inputs several times sooner than an older portfolio that kept each input
// for 32 runs, and no bug much later.
//
// Skips: with -short, since it runs on one goroutine, and for long.
func TestMedians(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one goroutine, and for long")
	}
	const searches = 60 // with fewer seeds, chance changes a median of 8 runs by a quarter
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "median runs until found\tinputs kept for 32 runs\tfor 2\t")
	for _, s := range fewSubjects() {
		old, known := runsWithOldInputs[s.Name]
		if !known {
			continue // the subject was added after the old medians were measured
		}
		var list []int
		for seed := range uint64(searches) {
			list = append(list, searchFor(t, s.Property(false), seed+1, 1, enoughRuns).Runs)
		}
		slices.Sort(list)
		median := list[searches/2]
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", s.Name, old, median)
		if 10*median > 12*old {
			t.Errorf("%s: found in %d runs by the median, and in %d when inputs were kept", s.Name, median, old)
		}
		if slices.Contains(inputsMatter, s.Name) && 4*median > old {
			t.Errorf("%s: found in %d runs by the median; want a quarter of %d, which it took when inputs were kept", s.Name, median, old)
		}
	}
	w.Flush()
	golden.Part(t, "testdata/medians.txt", b.String())
}
