package search

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// nightly reports whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// fewSubjects returns some of the easy subjects by day, and all of them at night.
func fewSubjects() []subjects.Subject {
	if golden.Whole() {
		return subjects.Easy()
	}
	return subjects.Few()
}

// searchFor searches a property with the default portfolio and a limit of runs, so that the result does not depend on
// the machine's speed.
func searchFor(t *testing.T, property func(*props.T), seed uint64, workers, runs int) Result {
	t.Helper()
	p := Property{Name: t.Name(), Test: t.Name(), Func: property}
	return Sample(context.Background(), p, Options{Seed: seed, Workers: workers, Runs: runs})
}

// searchBy searches a property with some arms in turns.
func searchBy(t *testing.T, property func(*props.T), o Options, arms ...string) Result {
	t.Helper()
	var err error
	if o.Portfolio, err = Strategies(arms...); err != nil {
		t.Fatal(err)
	}
	return Sample(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: property}, o)
}

// A run of a subject takes 3 to 60 µs, so the default budget of 2 seconds allows at least 30,000 runs. Half as many
// must suffice.
const enoughRuns = 15_000

func TestEverySubjectIsFound(t *testing.T) {
	easy, hard := uint64(6), uint64(1)
	if nightly() {
		easy, hard = 20, 2
	}
	for i, s := range subjects.All() {
		seeds, runs := easy, enoughRuns
		if i >= len(subjects.Easy()) {
			seeds, runs = hard, 10*enoughRuns
			if testing.Short() {
				break
			}
		}
		for seed := uint64(1); seed <= seeds; seed++ {
			x := searchFor(t, s.Property(false), seed, 1, runs)
			if x.Finding == nil {
				t.Errorf("%s, seed %d: not found in %d runs", s.Name, seed, x.Runs)
				continue
			}
			if f := x.Finding; f.Replays != finding.Tried {
				t.Errorf("%s, seed %d: replayed %d of %d: %s", s.Name, seed, f.Replays, finding.Tried, f.Differs)
			}
		}
	}
}

func TestMendedSubjectsAreSilent(t *testing.T) {
	runs, seeds := 200, uint64(2)
	if nightly() {
		runs, seeds = 2*enoughRuns, 20
	}
	for _, s := range subjects.All() {
		for seed := uint64(1); seed <= seeds; seed++ {
			x := searchFor(t, s.Property(true), seed, 1, runs)
			if f := x.Finding; f != nil {
				t.Errorf("%s, seed %d, run %d: %s", s.Name, seed, x.Index, f.Text(""))
			}
			if x.Runs != runs {
				t.Errorf("%s, seed %d: %d runs, want %d", s.Name, seed, x.Runs, runs)
			}
		}
	}
}

// The same seed finds the same failing run with any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, s := range subjects.Easy() {
		alone := searchFor(t, s.Property(false), 3, 1, enoughRuns)
		for _, workers := range []int{2, 5} {
			x := searchFor(t, s.Property(false), 3, workers, enoughRuns)
			if x.Finding == nil || x.Index != alone.Index || x.Finding.Trace.Hash != alone.Finding.Trace.Hash {
				t.Errorf("%s: one worker finds run %d, %d workers find %+v", s.Name, alone.Index, workers, x.Finding)
			}
		}
	}
}

// If the first run uses up the budget, the search ends after that run and not after its
// batch.
func TestTimeIsUpAfterAnyRun(t *testing.T) {
	writer, _ := subjects.ByName("writer")
	ctx, cancel := context.WithTimeout(context.Background(), 1)
	defer cancel()
	x := Sample(ctx, Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}, Options{Seed: 1})
	if x.Finding != nil || x.Runs != 1 {
		t.Errorf("%d runs, found %v; want 1 run that holds", x.Runs, x.Finding)
	}
}

// If each run has a new name for a situation that was never reached, the report names some of these situations and
// counts the others. The report once had a line for each run.
func TestManySituationsAreCounted(t *testing.T) {
	for situations, more := range map[int]int{19: 0, 20: 0, 21: 1, 500: 480} {
		n := 0 // a real property must not have such state
		x := searchFor(t, func(t *props.T) {
			n++
			t.Sometimes(fmt.Sprint(n%situations), false)
			t.System().Run()
		}, 1, 1, 1000)
		c := x.Complaints()
		if len(c) != min(situations, 21) || !strings.HasPrefix(c[0], `sometimes "1": reached in none of 1,000 runs`) {
			t.Errorf("%d situations: %q", situations, c)
			continue
		}
		want := fmt.Sprintf("sometimes: %s more reached in none of 1,000 runs: are their names the same in each run?", words.Count(more, "situation"))
		if more > 0 && c[20] != want {
			t.Errorf("%d situations: %q, want %q", situations, c[20], want)
		}
	}
}

// A verdict names as many unreached situations as a complaint does, and counts the rest.
func TestVerdictNamesSituations(t *testing.T) {
	var v Verdict
	for i := range mostMissed + 2 {
		v.Unreached = append(v.Unreached, fmt.Sprint("s", i))
		got := v.String()
		named, end := strings.Count(got, "; sometimes \"s"), "; "+words.Count(i-mostMissed+1, "situation")+" more reached in no run"
		if named != min(i+1, mostMissed) || strings.HasSuffix(got, end) != (i >= mostMissed) {
			t.Errorf("of %d situations: %s", i+1, got)
		}
	}
}

// Situations that have a new name in each run are stored up to a limit, and the limit is reported. A search once
// stored all of them.
func TestSituationsAreBounded(t *testing.T) {
	const note = "Sometimes is given more than 1,000 names: later names are not checked; use few names, the same in each run"
	n := 0 // a real property must not have such state
	property := func(t *props.T) {
		sys := t.System()
		to := sys.Spawn("to", pulse.Func(func(*pulse.Ctx, any) {}))
		for range 7 {
			sys.Send(sys.Spawn("from", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(to, msg) })), 1)
		}
		n++
		t.Sometimes("the first name", n > 1500)
		t.Sometimes(fmt.Sprint(n), true)
		sys.Run()
	}
	x := searchFor(t, property, 1, 1, 2000)
	if c := x.Complaints(); len(c) > 0 || !slices.Equal(x.Crowds(), []string{note}) {
		t.Errorf("complaints %q, crowds %q", c, x.Crowds())
	}
	n = 0
	if v := exploreFor(t, ExploreOptions{Runs: 2000}, property); len(v.Complaints) > 0 || !strings.HasSuffix(v.Verdict.String(), "; "+note) {
		t.Errorf("explored: %q, %v", v.Complaints, v.Verdict)
	}
	r := props.NewRunner("property", func(t *props.T) {
		for i := range 3000 {
			t.Sometimes(fmt.Sprint(i), false)
		}
		t.System().Run()
	})
	defer r.Close()
	if r.Run(props.Plan{}); len(r.Missed()) != 1000 || !r.Crowded() {
		t.Errorf("a runner keeps %d names, crowded %v", len(r.Missed()), r.Crowded())
	}
}

// If draws need more numbers than they may read, the report says so. It once said that the generators reject too
// much.
func TestLargeDrawsAreNotRejected(t *testing.T) {
	property := func(t *props.T) {
		props.Draw(t, rapid.SliceOfN(rapid.Int(), 100_000, -1), "huge")
		t.System().Run()
	}
	const want = `draw "huge" found no value in 8 of 8 runs: it needs more than 65,536 numbers`
	x := searchFor(t, property, 1, 2, 8)
	if c := x.Complaints(); len(c) != 1 || !strings.HasPrefix(c[0], want) {
		t.Errorf("Sample complains %q", c)
	}
	e, err := Explore(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: property}, ExploreOptions{Seed: 1, Inputs: 1})
	if err != nil || len(e.Complaints) == 0 || !strings.Contains(e.Complaints[0], "it needs more than 65,536 numbers") {
		t.Errorf("Explore complains %q, %v", e.Complaints, err)
	}
}

// tallyOf returns the tally of some runs of a property, which gets the number of the run, from 1.
func tallyOf(runs int, property func(t *props.T, run int)) Tally {
	tally := NewTally()
	r := props.NewRunner("property", func(t *props.T) {
		property(t, tally.Runs+1)
		t.System().Run()
	})
	defer r.Close()
	for range runs {
		res := r.Run(props.Plan{})
		tally.Count("random", &res)
	}
	return tally
}

// TestLabels: a search counts in how many runs each value of a label was given, however often a run
// gives it. It bounds the number of names and values, and prints the most frequent values first.
func TestLabels(t *testing.T) {
	a, b := tallyOf(11, func(t *props.T, run int) {
		for i := range 3 {
			t.Label("size", run%3)
			t.Label("kind", "a b")
			t.Label(fmt.Sprintf("run %d", run), i)
		}
	}), NewTally()
	b.By["random"], b.Runs = 189, 500 // the others are runs of an exploration, which counts no labels
	for i := range 2 * mostLabels {
		b.label("size", fmt.Sprint(i), 1)
		b.label(fmt.Sprint(i), "x", 1)
	}
	a.Add(&b)
	if len(b.Labels) != mostLabels || len(b.Labels["size"]) != mostLabels+1 || b.Labels["size"][otherValues] != mostLabels {
		t.Errorf("%d labels, with %d values, of which others: %d", len(b.Labels), len(b.Labels["size"]), b.Labels["size"][otherValues])
	}
	if len(a.Labels) != mostLabels || a.Labels["size"]["2"] != 5 || a.Labels["size"][otherValues] != mostLabels || a.Labels["run 7"]["2"] != 1 {
		t.Errorf("added up: %d names, sizes %v", len(a.Labels), a.Labels["size"])
	}
	var got []string
	for _, d := range a.Distributions() {
		if d.Name == "kind" || d.Name == "run 7" || d.Name == "size" {
			got = append(got, d.String())
		}
	}
	want := []string{`kind: "a b" in 11 runs (6%)`, `run 7: 0 in 1 run (under 1%), 1 in 1 run (under 1%), 2 in 1 run (under 1%)`,
		`size: other values in 100 runs (50%), 1 in 5 runs (2%), 2 in 5 runs (2%), 0 in 4 runs (2%), 10 in 1 run (under 1%), 11 in 1 run (under 1%), ` +
			`12 in 1 run (under 1%), 13 in 1 run (under 1%), 14 in 1 run (under 1%), 15 in 1 run (under 1%), and 91 more`}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestOtherValues: if a search has no room for several values of a label that a run gives, it
// counts the run once under "other values". If it adds the counts of two workers, it counts at most
// all runs there.
func TestOtherValues(t *testing.T) {
	tally, full := NewTally(), props.Result{}
	for i := range mostLabels - 1 {
		full.Labels = append(full.Labels, props.Label{Name: "size", Value: fmt.Sprint(i)})
	}
	tally.Count("random", &full)
	more := props.Result{Labels: []props.Label{{Name: "size", Value: "x"}, {Name: "size", Value: "y"}, {Name: "size", Value: "z"}}}
	for range 2 {
		tally.Count("random", &more)
	}
	if got := tally.Labels["size"]; got["x"] != 2 || got[otherValues] != 2 || len(got) != mostLabels+1 {
		t.Errorf("x in %d runs, others in %d, of %d values", got["x"], got[otherValues], len(got))
	}
	worker := NewTally()
	worker.Count("random", &props.Result{Labels: []props.Label{{Name: "size", Value: "p"}, {Name: "size", Value: "q"}, {Name: "size", Value: "r"}}})
	tally.Add(&worker)
	if d := tally.Distributions(); d[0].Values[0] != (ValueCount{otherValues, 4, 1}) {
		t.Errorf("most often: %v, want other values in all 4 runs", d[0].Values[0])
	}
}

// TestReached: a search counts the runs that reached each situation. A run counts once, even if it
// reports the situation several times. If there are too many names, the search keeps the first ones,
// also when it adds the counts of two workers.
func TestReached(t *testing.T) {
	a, b := tallyOf(10, func(t *props.T, run int) {
		t.Sometimes("never", false)
		for range 2 {
			t.Sometimes("always", true)
			t.Sometimes("in some", run%5 == 0)
		}
	}), NewTally()
	for i := range 2 * mostReached {
		b.reach(fmt.Sprint(i), 1)
	}
	b.reach("0", 1)
	if want := map[string]int{"always": 10, "in some": 2}; !maps.Equal(a.Reached, want) || len(b.Reached) != mostReached || b.Reached["0"] != 2 {
		t.Errorf("reached: %v, want %v; and %d names", a.Reached, want, len(b.Reached))
	}
	b.Add(&a)
	a.Add(&a)
	if len(b.Reached) != mostReached || a.Reached["in some"] != 4 {
		t.Errorf("added up, %d names and %v", len(b.Reached), a.Reached)
	}
}
