package search

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
)

// TestMediansOfArms records how many runs the arms bita and guided need to find the bug of each subject,
// compared with plain random. Every other run of guided is random, so it never takes much more than twice as
// many.
//
// Skips: with -short, since it runs on one goroutine, and for long.
func TestMediansOfArms(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one goroutine, and for long")
	}
	const searches = 50
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	arms := []string{"random", "bita", "guided"}
	fmt.Fprintf(w, "runs until found: median, most\t%s\t\n", strings.Join(arms, "\t"))
	for i, s := range fewSubjects() {
		if i%2 > 0 && !golden.Whole() {
			continue
		}
		var medians []int
		fmt.Fprintf(w, "%s\t", s.Name)
		for _, arm := range arms {
			var list []int
			for seed := range uint64(searches) {
				list = append(list, searchBy(t, s.Property(false), Options{Seed: seed + 1, Runs: enoughRuns}, arm).Runs)
			}
			slices.Sort(list)
			medians = append(medians, list[searches/2])
			fmt.Fprintf(w, "%d, %d\t", list[searches/2], list[searches-1])
		}
		fmt.Fprintln(w)
		if random, guided := medians[0], medians[2]; guided > 2*random+2 {
			t.Errorf("%s: guided takes %d runs, and random %d", s.Name, guided, random)
		}
	}
	w.Flush()
	golden.Part(t, "testdata/arms.txt", b.String())
}

// The results of the arms depend neither on the number of workers nor on the time.
func TestGuidesRepeatThemselves(t *testing.T) {
	for _, name := range []string{"barber", "writer-error", "raft-dupvote", "procreg"} {
		s, _ := subjects.ByName(name)
		for _, arm := range []string{"bita", "guided"} {
			var first string
			for _, workers := range []int{1, 1, 2, 3} {
				res := searchBy(t, s.Property(false), Options{Seed: 3, Runs: enoughRuns, Workers: workers}, arm)
				if res.Finding == nil {
					t.Fatalf("%s by %s: nothing found", name, arm)
				}
				got := fmt.Sprint(res.Index, res.Finding.Case.Signature, res.Finding.Case.Inputs)
				if first == "" {
					first = got
				}
				if got != first || res.Finding.Differs != "" {
					t.Errorf("%s by %s with %d workers: %s, want %s; %s", name, arm, workers, got, first, res.Finding.Differs)
				}
			}
		}
	}
}

// TestGuidesAreSilent searches programs without a bug: programs without a step, with every feature, and programs that
// skip.
func TestGuidesAreSilent(t *testing.T) {
	trial.Long(t)
	runs, others := 200, 1000
	if nightly() {
		runs, others = 2000, 3000
	}
	for name, property := range map[string]func(*props.T){
		"no steps":  func(t *props.T) { t.System().Run() },
		"one step":  trial.Crowded(0),
		"skips":     func(t *props.T) { t.Skip("no") },
		"crowd":     trial.Crowded(6),
		"chosen":    trial.Chosen,
		"monitored": trial.Monitored,
		"rich":      func(t *props.T) { trial.Rich(t.System()) },
	} {
		for _, arm := range []string{"bita", "guided"} {
			res := searchBy(t, property, Options{Seed: 1, Runs: others}, arm)
			if res.Finding != nil {
				t.Errorf("%s by %s: %v, %s", name, arm, res.Finding.Failure, res.Finding.Differs)
			} else if res.Runs != others {
				t.Errorf("%s by %s: %d runs", name, arm, res.Runs)
			}
		}
	}
	for _, s := range subjects.Easy() {
		for _, arm := range []string{"bita", "guided"} {
			if res := searchBy(t, s.Property(true), Options{Seed: 1, Runs: runs}, arm); res.Finding != nil {
				t.Errorf("%s, mended, by %s: %v", s.Name, arm, res.Finding.Failure)
			}
		}
	}
}

// The arm bita finds the bugs that its first run misses with one forced order.
func TestBitaForcesOrders(t *testing.T) {
	for name, want := range map[string]int{"writer": 2, "gatling": 2, "gatling-records": 2, "attach": 2, "bank": 3, "threadring": 2, "server": 2, "messenger": 2} {
		s, _ := subjects.ByName(name)
		if res := searchBy(t, s.Smallest(false), Options{Seed: 1, Runs: 1000}, "bita"); res.Runs != want {
			t.Errorf("%s: found in run %d, want %d", name, res.Runs, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range Names() {
		if list, err := Strategies(name); err != nil || len(list) != 1 || list[0].Name != name || list[0].New(0) == nil {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	_, err := Strategies("random", "luck")
	if want := `no strategy is called "luck"; there are plain, random, pct, pctcp, pos, urw, slow, bita, guided`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A batch is as long as its most demanding arm needs. It repeats the portfolio an even number of
// times.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		arms string
		want int
	}{
		{"random", 32}, {"bita", 32}, {"guided", guidedBatch}, {"random,guided,bita", guidedBatch / 6 * 6}, {"random,pos,urw", 30},
	} {
		list, err := Strategies(strings.Split(c.arms, ",")...)
		if err != nil {
			t.Fatal(err)
		}
		s := sampler{Options: Options{Portfolio: list}}
		if got := s.BatchSize(); got != c.want || got%(2*len(list)) != 0 {
			t.Errorf("%s: %d runs, want %d", c.arms, got, c.want)
		}
	}
}

// TestChangedInputs counts the changes that the arm guided makes to the inputs of a run.
func TestChangedInputs(t *testing.T) {
	inputs := []choice.Input{{Label: "a", Seed: 1}, {Label: "b", Words: []uint64{7}}}
	kept, anew, single := 0, 0, [2]int{}
	for seed := range uint64(1000) {
		list, exact := changed(inputs, seed*0x9e3779b97f4a7c15)
		switch {
		case exact != (list != nil && &list[0] == &inputs[0]):
			t.Errorf("%v: exact %v", list, exact)
		case list == nil:
			anew++
		case &list[0] == &inputs[0]:
			kept++
		case list[0].Seed != 1 && list[1].Words[0] == 7:
			single[0]++
		case list[0].Seed == 1 && list[1].Words == nil:
			single[1]++
		}
	}
	if kept != 500 || anew < 200 || anew > 300 || min(single[0], single[1]) < 90 || kept+anew+single[0]+single[1] != 1000 {
		t.Errorf("%d kept, %d anew, %v with one of two changed", kept, anew, single)
	}
	if list, exact := changed(nil, 1); list != nil || !exact {
		t.Error("no inputs are other inputs")
	}
}
