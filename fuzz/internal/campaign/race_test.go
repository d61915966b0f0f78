package campaign_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// beside returns the subjects, marked as if their test binary had the race detector.
func beside(list []campaign.Subject) (races []campaign.Subject) {
	for _, s := range list {
		b := *s.Binary
		b.Race = true
		races = append(races, campaign.Subject{Binary: &b, Property: s.Property})
	}
	return races
}

// TestRacesAreBeside: a second search runs with the race detector. The findings of the
// normal search stay the same, with two workers, and at night with one. A failure that both searches
// find is reported and counted once. A failure that only the race search finds is kept.
func TestRacesAreBeside(t *testing.T) {
	trial.Long(t)
	want := undisturbed(t)
	for _, workers := range []int{2, 1}[:times(1, 2)] {
		dir := t.TempDir()
		told := map[string]int{}
		ends := 0
		o := campaign.Options{Runs: 3000, Workers: workers, RaceWorkers: workers, Env: environment(dir), File: filepath.Join(dir, "state.json"), Tell: func(e campaign.Event) {
			switch e.Kind {
			case campaign.Found:
				told[e.Finding.Exact]++
			case campaign.Ended:
				ends++
			}
		}}
		list := subjects(t, o.Env, "TestHolds", "TestTwoBugs", "TestExits")
		o.Races = beside(list)
		r, err := campaign.Run(t.Context(), list[:2], o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Outcomes) != 5 || r.Ended != "runs" || ends != 1 {
			t.Fatalf("%d outcomes, ended by %q, told %d times", len(r.Outcomes), r.Ended, ends)
		}
		if got := found(&campaign.Report{Outcomes: r.Outcomes[:2]}); !slices.Equal(got, want) {
			t.Errorf("found\n%s\nand alone\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		rest := &campaign.Report{Outcomes: r.Outcomes[2:]}
		if got := found(rest); len(got) != 1 || !strings.HasPrefix(got[0], "exits: process: exit status #") {
			t.Errorf("only beside were found %q, want the exit", got)
		}
		if notes := r.Outcomes[3].Notes; !slices.Contains(notes, "2 failures that the search without the race detector also found") {
			t.Errorf("its notes are %q", notes)
		}
		for signature, n := range told {
			if n != 1 {
				t.Errorf("%s was told of %d times", signature, n)
			}
		}
		if len(told) != 3 {
			t.Errorf("told of %v, want three", told)
		}
		if got, want := rest.Outcomes[0].Runs, 3000/8; got != want || !strings.HasSuffix(rest.Outcomes[0].Subject.String(), " (race)") {
			t.Errorf("%s had %d runs, want %d", rest.Outcomes[0].Subject.String(), got, want)
		}
		again, err := campaign.Read(o.File)
		if err != nil || fmt.Sprint(found(again)) != fmt.Sprint(found(r)) || len(again.Outcomes) != 5 {
			t.Errorf("the file has %q (%v), and the report %q", found(again), err, found(r))
		}
	}
}

// TestRaceIsResumed: a campaign can be resumed although
// its race search ended before it had saved anything.
func TestRaceIsResumed(t *testing.T) {
	dir := t.TempDir()
	o := campaign.Options{Runs: 800, Env: environment(dir), File: filepath.Join(dir, "state.json")}
	list := subjects(t, o.Env, "TestHolds")
	o.Races = beside(list)
	for range 2 {
		r, err := campaign.Run(t.Context(), list, o)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Outcomes[1].Runs; n != 100 {
			t.Errorf("beside it %d runs were made, want 100", n)
		}
		o.Resume = true
		if err := os.Remove(filepath.Join(dir, "state.race.json")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := campaign.Read(o.File); err != nil {
		t.Error(err)
	}
}
