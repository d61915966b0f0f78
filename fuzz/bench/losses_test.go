package bench

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// toMeasure is the command that measures what the table lacks.
const toMeasure = "go run ./cmd/jostle bench -missing -out fuzz/bench/testdata"

func kept(t *testing.T) *Table {
	t.Helper()
	table, err := ReadFolder("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// small has as many searches as there is time for in each test run, and none that is
// long.
func small() Options {
	o := Options{Seeds: 10, Runs: 500}
	if testing.Short() {
		o = Options{Seeds: 4, Runs: 200}
	}
	return o
}

// TestNoArmLoses: no arm finds bugs later than the table of testdata says, and that has
// all subjects and arms.
func TestNoArmLoses(t *testing.T) {
	fresh := measured(t, small())
	table := kept(t)
	for _, l := range table.Losses(fresh) {
		t.Error(l)
	}
	if missing := table.Missing(fresh); missing != "" {
		t.Errorf("the table has no searches of %s; to add them: %s", missing, toMeasure)
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

// posing returns an arm that goes by the name of another.
func posing(t *testing.T, name string, as ...string) Arm {
	t.Helper()
	entries, err := search.Strategies(as...)
	if err != nil {
		t.Fatal(err)
	}
	return Arm{name, entries}
}

// TestLosersAreCaught: arms that are worse than the table says are caught: one that does
// not look for orders at all, on each of many subjects; one that wastes every second
// run, with all subjects together; and one that is worse on one subject only, on that.
func TestLosersAreCaught(t *testing.T) {
	table := kept(t)
	caught := func(o Options, arm Arm) (together bool, by []string) {
		o.Arms = []Arm{arm}
		for _, l := range table.Losses(measured(t, o)) {
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
	if together, by := caught(small(), posing(t, "portfolio", "plain")); !together || len(by) < 8 {
		t.Errorf("plain order instead of the portfolio is caught on %q, and together: %v", by, together)
	}
	if together, by := caught(small(), posing(t, "random", "random", "plain")); !together {
		t.Errorf("every second run in plain order is caught on %q, and not together", by)
	}
	one, _ := subjects.ByName("procreg")
	o := Options{Seeds: 10, Runs: 500, Subjects: []subjects.Subject{one}}
	if _, by := caught(o, posing(t, "urw", "pctcp")); len(by) != 1 {
		t.Errorf("pctcp instead of urw is caught on %q", by)
	}
}

// TestLossesAreSeldomFalse: of tables of arms that are as good as they were, hardly one
// in a hundred has a loss.
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
		if len(drawn(50, 10_000).Losses(drawn(10, 500))) > 0 {
			n++
		}
	}
	t.Logf("%d of %d", n, tables)
	if n > tables*2/100 {
		t.Errorf("%d of %d tables of arms that are as good have a loss", n, tables)
	}
}

func TestMissing(t *testing.T) {
	old, fresh := made("first", "second"), made("third", "second")
	if text := old.Missing(fresh); text != "third by random, third by good, third by never" {
		t.Error(text)
	}
	if text := fresh.Missing(fresh); text != "" {
		t.Error(text)
	}
}

// TestLossInWords has what a developer reads whose change makes an arm worse.
func TestLossInWords(t *testing.T) {
	worse := made("first", "second")
	for i, s := range worse.Searches {
		if s.Subject == "first" && s.Arm == "good" {
			worse.Searches[i].Runs, worse.Searches[i].End = 1000, OutOfRuns
		}
	}
	var text strings.Builder
	for _, l := range made("first", "second").Losses(worse) {
		text.WriteString(l.String() + "\n")
	}
	golden.File(t, "testdata/losses.golden", text.String())
}

// TestTableIsOfItsSearches: the table as text is what the searches come to.
func TestTableIsOfItsSearches(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", TableFile))
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != kept(t).Text() {
		t.Errorf("testdata/table.txt is not of testdata/runs.csv; to write it anew: %s", toMeasure)
	}
}
