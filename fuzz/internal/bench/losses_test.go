package bench

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// toMeasure is the command that measures missing cells.
const toMeasure = "go run ./cmd/jostle bench --missing --out fuzz/internal/bench/testdata"

func kept(t *testing.T) *Table {
	t.Helper()
	text, err := os.ReadFile("testdata/runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := readCSV(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// small returns options for the few searches that each test run makes: as few as
// TestLosersAreCaught needs.
func small() Options {
	o := Options{Seeds: 10, Runs: 150, Subjects: subjects.Quick()}
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		return Options{}
	case testing.Short():
		o.Seeds, o.Runs = 4, 100
	}
	return o
}

func again(t *testing.T, o Options) *Table {
	t.Helper()
	fresh, err := kept(t).again(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// TestNoArmLoses: no arm finds bugs later than in the table
// in testdata, and the table has all subjects and arms.
func TestNoArmLoses(t *testing.T) {
	table := kept(t)
	for _, l := range table.losses(again(t, small())) {
		t.Error(l)
	}
	if missing, err := table.missing(Options{}); missing != "" || err != nil {
		t.Errorf("the table has no searches of %s (%v); to add them: %s", missing, err, toMeasure)
	}
}

func measured(t *testing.T, o Options) *Table {
	t.Helper()
	table, err := Measure(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// posing returns an arm with the strategies of another, under a given name.
func posing(t *testing.T, name string, as ...string) Arm {
	t.Helper()
	entries, err := search.Strategies(as...)
	if err != nil {
		t.Fatal(err)
	}
	return Arm{Name: name, Portfolio: entries}
}

// TestLosersAreCaught: the comparison reports an arm that became worse. An arm that always uses
// plain order is reported on many subjects. An arm that uses plain order in every second run is
// reported on all subjects together. An arm that is worse on one subject is reported on that
// subject.
func TestLosersAreCaught(t *testing.T) {
	trial.Long(t)
	table := kept(t)
	caught := func(o Options, arm Arm) (together bool, by []string) {
		o.Arms = []Arm{arm}
		for _, l := range table.losses(again(t, o)) {
			if l.Arm != arm.Name {
				t.Errorf("of the arm %s: %v", arm.Name, l)
			}
			if l.Subject == "" {
				together = true
			} else {
				by = append(by, l.Subject)
			}
		}
		return together, by
	}
	o := Options{Seeds: 10, Runs: 150}
	if together, by := caught(o, posing(t, "portfolio", "plain")); !together || len(by) < 8 {
		t.Errorf("plain order instead of the portfolio is caught on %q, and together: %v", by, together)
	}
	if together, by := caught(o, posing(t, "random", "random", "plain")); !together {
		t.Errorf("every second run in plain order is caught on %q, and not together", by)
	}
	o.Runs, o.Subjects = 500, some(t, "procreg")
	if _, by := caught(o, posing(t, "urw", "pctcp")); len(by) != 1 {
		t.Errorf("pctcp instead of urw is caught on %q", by)
	}
}

// TestLossesAreSeldomFalse: of a hundred tables with equal arms, about one at most reports a loss.
func TestLossesAreSeldomFalse(t *testing.T) {
	const tables = 400
	r := rand.New(rand.NewPCG(11, 12))
	drawn := func(seeds, most int) *Table {
		t := &Table{}
		for _, s := range []struct {
			name string
			mean float64
		}{{"a", 2}, {"b", 20}, {"c", 300}, {"d", 5000}} {
			for _, arm := range []string{"x", "y", "z"} {
				for i, o := range geometric(r, seeds, s.mean, float64(most)) {
					end := OutOfRuns
					if o.Found {
						end = Found
					}
					t.Searches = append(t.Searches, Search{Subject: s.name, Arm: arm, Seed: uint64(i), Runs: int(o.At), Most: most, End: end})
				}
			}
		}
		return t
	}
	n := 0
	for range tables {
		if len(drawn(50, 10_000).losses(drawn(10, 500))) > 0 {
			n++
		}
	}
	t.Logf("%d of %d", n, tables)
	if n > tables*2/100 {
		t.Errorf("%d of %d tables of arms that are as good have a loss", n, tables)
	}
}

// TestAgain: only the searches that the options name are repeated
// or added. Cells in which no search finds the bug are left out.
func TestAgain(t *testing.T) {
	arms, err := ArmsByName("random", "plain", "jitter")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Subjects: some(t, "writer", "barber", "guard"), Arms: arms, Seeds: 2, Runs: 50}
	table := &Table{}
	for _, s := range kept(t).Searches {
		if s.Subject != "guard" || s.Arm != "jitter" {
			table.Searches = append(table.Searches, s)
		}
	}
	fresh, err := table.again(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range fresh.Searches {
		got = append(got, s.Subject+" "+s.Arm)
	}
	if text := strings.Join(slices.Compact(got), ", "); text != "writer random, writer jitter, guard random, guard plain" || len(got) != 8 {
		t.Errorf("%d searches: %s", len(got), text)
	}
	if missing, err := table.missing(o); missing != "guard by jitter" || err != nil {
		t.Errorf("%q, %v", missing, err)
	}
	o.Arms, o.Subjects = append(o.Arms, posing(t, "new", "urw")), append(o.Subjects, endless())
	const want = "any subject by new, guard by jitter, endless by any arm"
	if missing, err := table.missing(o); missing != want || err != nil {
		t.Errorf("%q, %v, want %q", missing, err, want)
	}
	o.Seeds = -1
	if _, err := table.again(context.Background(), o); err == nil {
		t.Error("-1 seeds are taken")
	}
	if _, err := table.missing(o); err == nil {
		t.Error("-1 seeds are taken")
	}
}

// TestLossInWords checks the message for a developer whose change makes an arm worse.
func TestLossInWords(t *testing.T) {
	worse := made("first", "second")
	for i, s := range worse.Searches {
		if s.Subject == "first" && s.Arm == "good" {
			worse.Searches[i].Runs, worse.Searches[i].Most, worse.Searches[i].End = 8, 8, OutOfRuns
		}
	}
	var text strings.Builder
	for _, l := range made("first", "second").losses(worse) {
		text.WriteString(l.String() + "\n")
	}
	golden.File(t, "testdata/losses.golden", text.String())
}

// TestTableIsOfItsSearches: table.txt has the text for runs.csv. By day, only the rows of
// every eighth subject are compared.
func TestTableIsOfItsSearches(t *testing.T) {
	if !golden.Whole() {
		var text strings.Builder
		all := kept(t)
		part := &Table{}
		for i, subject := range all.Subjects() {
			for _, s := range all.Searches {
				if i%8 == 0 && s.Subject == subject {
					part.Searches = append(part.Searches, s)
				}
			}
		}
		part.medians(&text)
		part.details(&text)
		golden.Rows(t, "testdata/table.txt", text.String())
		return
	}
	text, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != kept(t).Text() {
		t.Errorf("testdata/table.txt is not of testdata/runs.csv; to write it anew: %s", toMeasure)
	}
}
