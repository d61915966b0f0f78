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
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// turns are the strategies that a search uses in turns.
var turns = []string{"random", "pos", "pctcp", "urw"}

const (
	searches = 20     // searches for each property and strategy, with the seeds 1, 2, 3, …
	limit    = 20_000 // the most runs of a search
)

// A hunt runs a property with inputs and orders that differ from run to run.
type hunt struct {
	runner *props.Runner
	by     []pulse.Strategy // take turns
	state  uint64
	runs   int
}

func newHunt(property func(*props.T), names []string, seed uint64) *hunt {
	h := &hunt{runner: props.NewRunner("test", property), state: seed << 32}
	for _, name := range names {
		h.by = append(h.by, byName(name))
	}
	return h
}

// next makes one run.
func (h *hunt) next() props.Result {
	by := h.by[h.runs%len(h.by)]
	h.runs++
	h.state++
	return h.runner.Run(props.Plan{Seed: h.state * 0x9e3779b97f4a7c15, Strategy: by, StrategySeed: h.state})
}

// untilFound returns the number of runs until
// the first failure, or limit if there is none.
func untilFound(t *testing.T, property func(*props.T), names []string, seed uint64, limit int) int {
	h := newHunt(property, names, seed)
	defer h.runner.Close()
	for h.runs < limit {
		res := h.next()
		if res.Skipped || res.Stray != "" {
			t.Fatalf("run %d was skipped: %+v", h.runs, res)
		}
		if res.Failure != nil {
			return h.runs
		}
	}
	return limit
}

// TestPropertiesFindBugs counts how many runs it takes to find each bug.
// It compares the median and the maximum of all searches with stored
// numbers. JOSTLE_REWRITE=1 stores them. By day it searches every sixth
// subject; with -short it only requires that a few searches find each bug.
func TestPropertiesFindBugs(t *testing.T) {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "runs until found: median, most\t%s\tin turns\t\n", strings.Join(turns, "\t"))
	whole := nightly() || os.Getenv("JOSTLE_REWRITE") == "1"
	for i, s := range subjects.Easy() {
		if i%6 > 0 && !whole && !testing.Short() {
			continue
		}
		if testing.Short() {
			found(t, s, turns, 4)
			continue
		}
		fmt.Fprint(w, s.Name)
		for i := range turns {
			fmt.Fprint(w, "\t", found(t, s, turns[i:i+1], searches))
		}
		fmt.Fprint(w, "\t", found(t, s, turns, searches), "\t\n")
	}
	w.Flush()
	switch {
	case testing.Short():
	case whole:
		golden.File(t, "testdata/found.txt", b.String())
	default:
		golden.Rows(t, "testdata/found.txt", b.String())
	}
}

// found makes n searches of a subject and returns how many
// runs they took to find its bug: the median and the maximum.
func found(t *testing.T, s subjects.Subject, names []string, n int) string {
	list := make([]int, n)
	for i := range list {
		list[i] = untilFound(t, s.Property(false), names, uint64(i+1), limit)
	}
	slices.Sort(list)
	if list[n-1] == limit {
		t.Errorf("%s, %v: a search of %d runs finds nothing", s.Name, names, limit)
	}
	return fmt.Sprintf("%d, %d", list[n/2], list[n-1])
}

// TestPropertiesReplay runs each property with the inputs and decisions of a run
// in which it fails.
func TestPropertiesReplay(t *testing.T) {
	for _, s := range subjects.All() {
		h := newHunt(s.Property(false), turns, 1)
		res := h.next()
		for res.Failure == nil && h.runs < limit {
			res = h.next()
		}
		text, hash := fmt.Sprint(res.Failure), res.System.Trace().Hash
		inputs, record := choice.CloneInputs(res.Inputs), res.System.Record().Clone()
		res = h.runner.Run(props.Plan{Inputs: inputs, Strategy: strategy.Replay(record, strategy.ReplayOptions{})})
		if got := fmt.Sprint(res.Failure); got != text || res.System.Trace().Hash != hash || res.Stray != "" {
			t.Errorf("%s fails with %s and again with %s %s", s.Name, text, got, res.Stray)
		}
		h.runner.Close()
	}
}
