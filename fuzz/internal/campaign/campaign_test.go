package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// subjects returns the properties of some tests of this test binary.
func subjects(t testing.TB, env []string, tests ...string) []campaign.Subject {
	t.Helper()
	list, err := subjectsOf(env, tests...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// subjectsOf is subjects for callers that have no testing.T.
func subjectsOf(env []string, tests ...string) (list []campaign.Subject, err error) {
	list, err = campaign.Own(context.Background(), "campaign", env, tests...)
	if err != nil {
		return nil, err
	}
	if len(list) != len(tests) {
		return nil, fmt.Errorf("found %d properties of %v", len(list), tests)
	}
	return list, nil
}

// environment returns the environment of workers that save their cases below a folder.
func environment(dir string) []string {
	return []string{isSearched + "=1", "JOSTLE_OUT=" + dir}
}

// campaignOf runs a campaign with its cases in a folder.
func campaignOf(t *testing.T, dir string, o campaign.Options, tests ...string) *campaign.Report {
	t.Helper()
	o.Env = append(o.Env, environment(dir)...)
	r, err := campaign.Run(t.Context(), subjects(t, o.Env, tests...), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found returns a line for each finding of a report: property, failure and number of the run.
func found(r *campaign.Report) (lines []string) {
	for i := range r.Outcomes {
		for _, f := range r.Outcomes[i].Findings {
			lines = append(lines, fmt.Sprintf("%s: %s in run %d", r.Outcomes[i].Subject.Property.Name, f.Exact, f.Run))
		}
	}
	slices.Sort(lines)
	return lines
}

// loads returns the cases below a folder. It fails the test if a .case file cannot be read.
func loads(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if ext := filepath.Ext(path); ext != ".case" {
			continue
		}
		c, err := corpus.Folder{Dir: filepath.Dir(path)}.Find(path)
		if err != nil {
			t.Error(err)
		}
		list = append(list, c.Property+": "+c.Signature)
	}
	slices.Sort(list)
	return list
}

// shownIn returns the part of a report about the orders that were covered.
func shownIn(r *campaign.Report) (lines []string) {
	for i := range r.Outcomes {
		o := r.Outcomes[i].Orders
		lines = append(lines, fmt.Sprintf("%d runs, %+v, never seen: %v", o.Runs(), o.Count(), o.OpenNames()))
	}
	return lines
}

// TestSameFindings: findings and covered orders depend only on
// the seed and the number of runs, not on the number of workers.
func TestSameFindings(t *testing.T) {
	var first, cases, shown []string
	runs := times(1000, 3000)
	for _, workers := range []int{1, 3, 2}[:times(2, 3)] {
		dir := t.TempDir()
		r := campaignOf(t, dir, campaign.Options{Runs: runs, Workers: workers}, "TestHolds", "TestTwoBugs", "TestExits")
		if r.Ended != "runs" {
			t.Errorf("it ended by %q", r.Ended)
		}
		for i, want := range []int{runs, runs, 0} {
			if got := r.Outcomes[i].Runs; want > 0 && i == 0 && got != want {
				t.Errorf("%v had %d runs, want %d", r.Outcomes[i].Subject, got, want)
			}
		}
		if first == nil {
			first, cases, shown = found(r), loads(t, dir), shownIn(r)
			t.Logf("found:\n%s", strings.Join(first, "\n"))
			t.Logf("kept:\n%s", strings.Join(cases, "\n"))
		}
		if got := found(r); !slices.Equal(got, first) {
			t.Errorf("%d workers found\n%s\nand one\n%s", workers, strings.Join(got, "\n"), strings.Join(first, "\n"))
		}
		if got := loads(t, dir); !slices.Equal(got, cases) {
			t.Errorf("%d workers kept\n%s\nand one\n%s", workers, strings.Join(got, "\n"), strings.Join(cases, "\n"))
		}
		if got := shownIn(r); !slices.Equal(got, shown) {
			t.Errorf("%d workers have seen\n%s\nand one\n%s", workers, strings.Join(got, "\n"), strings.Join(shown, "\n"))
		}
	}
	if len(first) != 3 {
		t.Errorf("found %q, want both bugs and the exit", first)
	}
}

// TestDeaths: if a run ends its process, in whatever way, the campaign
// reports a finding and goes on. The saved case ends its process again.
func TestDeaths(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct{ test, signature, said string }{
		{"TestExits", "process: exit status #", "the last words"},
		{"TestFatal", "process: fatal error: sync: unlock of unlocked mutex", "properties_test.go:"},
		{"TestHangs", "process: no progress, in step #, in which last receives int", "does a loop never end?"},
		{"TestEats", "process: it had more than # MB of memory", ""},
	} {
		t.Run(c.test, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			stall := "JOSTLE_STALL=1m"
			if c.test == "TestHangs" {
				stall = fmt.Sprintf("JOSTLE_STALL=%ds", times(1, 2))
			}
			o := campaign.Options{Runs: 200, Workers: 1, Memory: 256 << 20, First: true, Env: []string{stall}}
			r := campaignOf(t, dir, o, c.test, "TestHolds")
			slices.SortFunc(r.Outcomes, func(a, b campaign.Outcome) int { return len(b.Findings) - len(a.Findings) })
			f := r.Outcomes[0].Findings
			if len(f) != 1 || !f[0].Died {
				t.Fatalf("found %d, want one death: %+v", len(f), r.Outcomes[0])
			}
			if f[0].Exact != c.signature {
				t.Errorf("its signature is %q, want %q", f[0].Exact, c.signature)
			}
			if !strings.Contains(f[0].Text(0), c.said) {
				t.Errorf("want %q in\n%s", c.said, f[0].Text(0))
			}
			if f[0].Path == "" {
				t.Fatalf("no case is kept:\n%s", f[0].Text(0))
			}
			if got := r.Outcomes[1]; got.Runs != 200 || len(got.Findings) > 0 {
				t.Errorf("beside it there were %d runs, want 200", got.Runs)
			}
			p, err := campaign.Start(t.Context(), r.Outcomes[0].Subject, worker.Command{Env: append(environment(dir), stall), Memory: 256 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(f[0].Path); err != nil || strings.Contains(string(text), "repeat") {
				t.Errorf("%v: the case doubts what has died each time:\n%s", err, text)
			}
			_, err = p.Do(t.Context(), session.Request{Do: session.Replay, File: f[0].Path})
			if death, ok := err.(*worker.Death); !ok || death.Outside() {
				t.Errorf("the case does not end its process: %v", err)
			}
		})
	}
}

// TestAgain: to find the run that ended its process, a batch
// is rerun. It then makes the same runs, with every strategy.
func TestAgain(t *testing.T) {
	env := environment(t.TempDir())
	p, err := campaign.Start(t.Context(), subjects(t, env, "TestHolds")[0], worker.Command{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for batch := range 8 {
		var made [2]string
		for i, do := range []session.Kind{session.Run, session.Again} {
			r, err := p.Do(t.Context(), session.Request{Do: do, Seed: 1, First: batch, Count: 1})
			if err != nil {
				t.Fatal(err)
			}
			made[i] = fmt.Sprint(r.Runs, r.Steps, r.By, r.Tally.Fresh)
		}
		if made[0] != made[1] {
			t.Errorf("batch %d has\n%s\nand made again\n%s", batch, made[0], made[1])
		}
	}
}

// TestStandsAtTheEnd: when the time is up, a run may be hanging, or about to end its process.
// Both are failures with a case, even if the run has hung for less than JOSTLE_STALL.
func TestStandsAtTheEnd(t *testing.T) {
	for _, c := range []struct{ test, signature string }{
		{"TestStandsAtOnce", "process: no progress, in step #, in which last receives int"},
		{"TestExitsLate", "process: exit status #"},
	} {
		t.Run(c.test, func(t *testing.T) {
			t.Parallel()
			o := campaign.Options{For: 300 * time.Millisecond, First: true, Env: []string{"JOSTLE_STALL=4s"}}
			r := campaignOf(t, t.TempDir(), o, c.test)
			out := &r.Outcomes[0]
			if r.Ended != "time" || len(out.Findings) != 1 || out.Findings[0].Exact != c.signature {
				t.Fatalf("ended by %q after %d runs: found %+v, %q", r.Ended, out.Runs, out.Findings, out.Complaints)
			}
			if f := out.Findings[0]; f.Path == "" || !f.Died {
				t.Errorf("no case is kept:\n%s", f.Text(0))
			}
		})
	}
}

// TestSlowRunsAtTheEnd: if a batch is not finished when
// the time is up, the runs that it has made count.
func TestSlowRunsAtTheEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	o := campaign.Options{For: 300 * time.Millisecond, First: true, File: filepath.Join(t.TempDir(), "state.json")}
	r := campaignOf(t, t.TempDir(), o, "TestWaits")
	again, err := campaign.Read(o.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*campaign.Report{r, again} {
		if out := &r.Outcomes[0]; out.Runs < 1 || out.Runs > 15 || len(out.Complaints) > 0 || !strings.HasPrefix(out.Ran, fmt.Sprint(out.Runs, " run")) {
			t.Errorf("%d runs (%s), %q", out.Runs, out.Ran, out.Complaints)
		}
	}
}

// TestSlowPropertiesCostThemselves: a campaign searches normal properties together with
// troubled ones. These hang, take a second for each run, use much memory or print much.
// Each normal property must get at least four fifths of the runs that it has without
// the troubled ones. Both campaigns run at the same time, so that other load on the
// machine affects both. They take three minutes each, since the end and the first slow
// runs would distort a shorter one. TestTroubledLanes tests the planning alone.
//
// Skips: unless JOSTLE_NIGHTLY is set, since it takes minutes.
func TestSlowPropertiesCostThemselves(t *testing.T) {
	if os.Getenv("JOSTLE_NIGHTLY") == "" {
		t.Skip("only with JOSTLE_NIGHTLY=1")
	}
	usual := []string{"TestUsual3", "TestUsual4", "TestUsual5", "TestUsual6", "TestUsual7", "TestUsual8"}
	for _, second := range []string{"TestWaits", "TestBurns"} {
		all := append([]string{"TestStands", "TestHogs", "TestPrints", second}, usual...)
		var runs [2]map[string]int
		var both sync.WaitGroup
		for i, tests := range [][]string{usual, all} {
			both.Go(func() {
				runs[i] = runsOf(campaignOf(t, t.TempDir(), campaign.Options{For: 3 * time.Minute, Workers: 2, Memory: 4 << 30}, tests...))
			})
		}
		both.Wait()
		alone, with := runs[0], runs[1]
		for _, name := range all {
			t.Logf("%-11s %8d runs, without the slow ones %8d: %.2f", name, with[name], alone[name], float64(with[name])/float64(alone[name]))
			if with[name] < alone[name]*8/10 {
				t.Errorf("%s has %d runs, and without the slow ones %d", name, with[name], alone[name])
			}
		}
	}
}

// runsOf returns the number of runs of each test of a campaign.
func runsOf(r *campaign.Report) map[string]int {
	runs := map[string]int{}
	for i := range r.Outcomes {
		runs[r.Outcomes[i].Subject.Property.Test] = r.Outcomes[i].Runs
	}
	return runs
}

// TestStallsByChance: a run that hung once, and does not hang when it
// is rerun, is not a failure. The machine may have been suspended.
func TestStallsByChance(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	var notes []string
	o := campaign.Options{Runs: 500, Env: []string{"JOSTLE_STALL=1s", onceFile + "=" + filepath.Join(dir, "once")}, Tell: func(e campaign.Event) {
		if e.Kind == campaign.Noted {
			notes = append(notes, e.Text)
		}
	}}
	r := campaignOf(t, dir, o, "TestStalls")
	if n := r.Failures() + r.Complaints(); n > 0 || r.Outcomes[0].Runs != 500 || r.Deaths != 1 {
		t.Errorf("%d failures and complaints, %d runs, %d deaths", n, r.Outcomes[0].Runs, r.Deaths)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "a worker ended (NO PROGRESS for ") || !strings.HasSuffix(notes[0], "; its work was restarted") {
		t.Errorf("notes: %q", notes)
	}
}

// TestOnlyInOldProcesses: a failure may depend on variables that earlier runs of its process left behind.
// It fails in every replay in that process. It is reported and saved as not repeating in a new process.
func TestOnlyInOldProcesses(t *testing.T) {
	dir := t.TempDir()
	r := campaignOf(t, dir, campaign.Options{Runs: 100}, "TestRemembers")
	if r.Failures() != 1 {
		t.Fatalf("%d failures, want 1", r.Failures())
	}
	f := r.Outcomes[0].Findings[0]
	if f.Confirmed() || !strings.Contains(f.Text(0), "replayed 2 of 2") || !strings.Contains(f.Text(0), "IT DOES NOT REPEAT in a new process") {
		t.Errorf("confirmed is %v:\n%s", f.Confirmed(), f.Text(0))
	}
	if !f.Saved() || f.Path == "" || len(loads(t, dir)) != 1 {
		t.Errorf("%+v, and there are %q", f.Kept, loads(t, dir))
	}
	p, err := campaign.Start(t.Context(), r.Outcomes[0].Subject, worker.Command{Env: environment(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	again, err := p.Do(t.Context(), session.Request{Do: session.Replay, File: f.Path})
	if err != nil || len(again.Notes) != 1 || !strings.Contains(again.Notes[0], "and did not repeat when it was saved") {
		t.Errorf("replayed: %v, %+v", err, again)
	}
}

// TestArms: each strategy is credited with the orders that it covered first. The credits add up to
// all covered orders, even if several chunks cover the same ones. All reports have the same numbers.
func TestArms(t *testing.T) {
	for _, test := range []string{"TestHolds", "TestFew"} {
		var told []campaign.Arm
		dir := t.TempDir()
		o := campaign.Options{Runs: 3000, Workers: 2, File: filepath.Join(dir, "state.json"), Say: time.Millisecond, Tell: func(e campaign.Event) {
			if e.Kind == campaign.Went {
				told = e.Properties[0].Arms
			}
		}}
		r := campaignOf(t, dir, o, test)
		again, err := campaign.Read(o.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*campaign.Report{r, again} {
			sum, out := 0.0, &r.Outcomes[0]
			for _, a := range out.Arms {
				sum += a.Fresh
			}
			if seen := out.Orders.Count().Seen; len(out.Arms) < 2 || math.Round(1000*sum) != float64(1000*seen) {
				t.Errorf("%s: of %d orders the arms have shown %v first: %v", test, seen, sum, out.Arms)
			}
			for _, a := range told {
				i := slices.IndexFunc(out.Arms, func(b campaign.Arm) bool { return a.Name == b.Name })
				if i < 0 || a.Runs > out.Arms[i].Runs || a.Fresh > out.Arms[i].Fresh {
					t.Errorf("%s: told was %+v, and in the end there are %+v", test, a, out.Arms)
				}
			}
		}
	}
}

// inTime runs a campaign with a time limit. While the property gets
// no runs, it doubles the limit and starts again. Above half a minute
// it fails the test. On a busy machine a process may start late.
func inTime(t *testing.T, dir, test string) *campaign.Report {
	t.Helper()
	for d := 300 * time.Millisecond; ; d *= 2 {
		r := campaignOf(t, dir, campaign.Options{For: d}, test)
		if r.Outcomes[0].Runs > 0 || r.Ended != "time" {
			return r
		}
		if d > 30*time.Second {
			t.Fatalf("there were no runs in %v", d)
		}
	}
}

// TestBounds: a campaign ends at the limit that it reaches first, and reports which one.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	if r := inTime(t, dir, "TestHolds"); r.Ended != "time" || r.Complaints() > 0 {
		t.Errorf("ended by %q after %d runs: %q", r.Ended, r.Outcomes[0].Runs, r.Outcomes[0].Complaints)
	}
	r := campaignOf(t, dir, campaign.Options{For: time.Hour, Runs: 100}, "TestFew")
	if r.Ended != "complete" || r.Outcomes[0].Complete != "complete: all 6 orders were run" {
		t.Errorf("ended by %q: %q", r.Ended, r.Outcomes[0].Complete)
	}
	if got := r.Outcomes[0].Orders.Summary(); !strings.HasPrefix(got, "3 of 3 receive pairs seen in both orders") {
		t.Errorf("all orders were run, and seen were %s", got)
	}
	if r := campaignOf(t, t.TempDir(), campaign.Options{For: time.Hour, First: true}, "TestTwoBugs", "TestFew"); r.Ended != "failures" || r.Failures() != 1 {
		t.Errorf("ended by %q with %d failures", r.Ended, r.Failures())
	}
	r = campaignOf(t, dir, campaign.Options{Runs: 100}, "TestSkipped")
	if got := r.Outcomes[0].Complaints; len(got) != 1 || !strings.HasPrefix(got[0], "all of 100 runs were skipped") {
		t.Errorf("complaints: %q", got)
	}
	if cases := loads(t, dir); len(cases) > 0 {
		t.Errorf("kept %q", cases)
	}
}

// TestConditional: the distinct orders of a property have all passed, but its actors may
// share more than messages. So it counts as complete only after a quarter of its runs.
// Earlier it was complete at once, and the bug of the sharing property was missed.
func TestConditional(t *testing.T) {
	r := campaignOf(t, t.TempDir(), campaign.Options{Runs: 40_000}, "TestUnshared", "TestShared")
	const whole = "complete if actors share nothing but messages: the only possible order was run"
	if out := r.Outcomes[1]; out.Complete != whole || out.Runs < 10_000 || len(out.Findings) > 0 {
		t.Errorf("%q after %d runs, %d findings", out.Complete, out.Runs, len(out.Findings))
	}
	if out := r.Outcomes[0]; out.Complete != "" || len(out.Findings) != 1 {
		t.Errorf("%q after %d runs, %d findings", out.Complete, out.Runs, len(out.Findings))
	}
}

// TestHinted: a campaign is guided by the hints of a property. Earlier it ignored them.
func TestHinted(t *testing.T) {
	r := campaignOf(t, t.TempDir(), campaign.Options{Runs: 4096}, "TestLocked")
	if out := r.Outcomes[0]; len(out.Findings) != 1 || !slices.ContainsFunc(out.Arms, func(a campaign.Arm) bool { return a.Name == "guided" }) {
		t.Errorf("%d findings in %d runs of %v", len(out.Findings), out.Runs, out.Arms)
	}
}

// TestInterrupted: an interrupted campaign ends at once. Resumed
// from its file, it finds the same as one that was not interrupted.
func TestInterrupted(t *testing.T) {
	want := undisturbed(t)
	dir := t.TempDir()
	o := campaign.Options{Runs: 20_000, Workers: 2, File: filepath.Join(dir, "state.json")}
	o.Env = environment(dir)
	list := subjects(t, o.Env, killed...)
	runs, parts := 0, 0
	for ended := campaign.End(""); ended != campaign.EndRuns; parts++ {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(60+100*parts)*time.Millisecond, cancel)
		r, err := campaign.Run(ctx, list, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Resume = true
		now := 0
		for i := range r.Outcomes {
			now += r.Outcomes[i].Runs
		}
		if now < runs {
			t.Errorf("it went back from %d runs to %d", runs, now)
		}
		runs, ended = now, r.Ended
		if got := found(r); ended == campaign.EndRuns && !slices.Equal(got, want) {
			t.Errorf("found\n%s\nand without interruption\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if parts < 2 {
		t.Errorf("it was over after %d interruptions: too few to show anything", parts)
	}
	t.Logf("%d interruptions", parts)
}

// TestSaturated: a search ends when few new orders are expected. The number of runs until then
// does not depend on the number of workers. Orders covered by earlier campaigns count too.
func TestSaturated(t *testing.T) {
	dir := t.TempDir()
	want, chance := 0, 0.12
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		chance = 0.01
	}
	for _, workers := range []int{1, 2, 3} {
		o := campaign.Options{Saturated: chance, Workers: workers, File: filepath.Join(dir, fmt.Sprint(workers))}
		r := campaignOf(t, dir, o, "TestHolds")
		out := &r.Outcomes[0]
		if r.Ended != "saturated" || out.Orders.Chance().High >= chance {
			t.Errorf("it ended by %q, with a chance of %v", r.Ended, out.Orders.Chance())
		}
		if want == 0 {
			want = out.Runs
		}
		if out.Runs != want {
			t.Errorf("%d workers made %d runs, and one %d", workers, out.Runs, want)
		}
		if out.Orders.Runs() != out.Runs {
			t.Errorf("%d runs are known of %d", out.Orders.Runs(), out.Runs)
		}
	}
	if want < 400 {
		t.Errorf("it ended after %d runs, before anything can be known", want)
	}
}

// TestSaturatedFurther: a campaign is resumed with another bound on the chance of
// a new order. With a smaller bound it runs until that is reached. With the same
// or a larger bound it ends at once. Without such a bound it makes all its runs.
func TestSaturatedFurther(t *testing.T) {
	trial.Long(t)
	dir := t.TempDir()
	o := campaign.Options{Saturated: 0.05, Runs: 500_000, File: filepath.Join(dir, "state.json")}
	before := campaignOf(t, dir, o, "TestHolds").Outcomes[0].Runs
	for _, c := range []struct {
		chance float64
		more   bool
	}{{0.05, false}, {0.1, false}, {float64(times(3, 1)) / 100, true}} {
		o.Saturated, o.Resume = c.chance, true
		r := campaignOf(t, dir, o, "TestHolds")
		if out := &r.Outcomes[0]; r.Ended != "saturated" || out.Orders.Chance().High >= c.chance || (out.Runs > before) != c.more || out.Runs >= o.Runs {
			t.Errorf("to %v it ended by %q, with a chance of %v, after %d runs and before that %d", c.chance, r.Ended, out.Orders.Chance(), out.Runs, before)
		}
	}
	o.Saturated, o.Runs = 0, 20_000
	if r := campaignOf(t, dir, o, "TestHolds"); r.Ended != "runs" || r.Outcomes[0].Runs < o.Runs {
		t.Errorf("without it, it ended by %q after %d runs", r.Ended, r.Outcomes[0].Runs)
	}
}

// TestNeverSaturated: if the chance of a new order cannot be estimated, the search gives up. The number
// of runs until then does not depend on the number of workers. Another bound may end it earlier.
func TestNeverSaturated(t *testing.T) {
	for _, test := range []string{"TestPlain", "TestSkipped"} {
		want := 0
		for _, c := range []struct {
			workers, runs int
			ended         campaign.End
		}{{1, 0, "given up"}, {3, 0, "given up"}, {2, 3000, "runs"}} {
			r := campaignOf(t, t.TempDir(), campaign.Options{Saturated: 0.01, Workers: c.workers, Runs: c.runs}, test)
			out := &r.Outcomes[0]
			given := strings.Contains(strings.Join(out.Complaints, "\n"), "the search was given up: saturation is measured on runs in random order")
			if r.Ended != c.ended || given != (c.runs == 0) {
				t.Errorf("%s with %d runs ended by %q: %q", test, c.runs, r.Ended, out.Complaints)
			}
			if want == 0 || c.runs > 0 {
				want = max(out.Runs, c.runs)
			}
			if out.Runs != want {
				t.Errorf("%s: %d workers made %d runs, want %d", test, c.workers, out.Runs, want)
			}
		}
	}
}

// TestSaturatedAtLast: a search does not give up only because its first runs were skipped.
func TestSaturatedAtLast(t *testing.T) {
	trial.Long(t)
	if r := campaignOf(t, t.TempDir(), campaign.Options{Saturated: 0.1}, "TestSeldom"); r.Ended != "saturated" {
		t.Errorf("it ended by %q: %q", r.Ended, r.Outcomes[0].Complaints)
	}
}

// TestFromNightToNight: the next night knows the covered orders. Runs that
// both nights make count once. An unreadable state file is reported once.
func TestFromNightToNight(t *testing.T) {
	dir := t.TempDir()
	o := campaign.Options{Runs: 1000, Workers: 2, File: filepath.Join(dir, "state.json")}
	for _, c := range []struct {
		seed  uint64
		known int
	}{{1, 1000}, {1, 1000}, {2, 2000}, {1, 2000}} {
		o.Seed = c.seed
		r := campaignOf(t, dir, o, "TestHolds")
		again, err := campaign.Read(o.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*campaign.Report{r, again} {
			if out := &r.Outcomes[0]; out.Runs != 1000 || out.Orders.Runs() != c.known {
				t.Errorf("seed %d: %d runs, and %d are known; want 1000 and %d", c.seed, out.Runs, out.Orders.Runs(), c.known)
			}
		}
	}
	if err := os.Truncate(o.File, 100); err != nil { // damaged
		t.Fatal(err)
	}
	var notes []string
	o.Tell = func(e campaign.Event) {
		if e.Kind == campaign.Noted {
			notes = append(notes, e.Text)
		}
	}
	campaignOf(t, dir, o, "TestHolds")
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "the coverage of earlier campaigns is lost: ") {
		t.Errorf("notes: %q", notes)
	}
}

// TestOldFiles: if a state file is for another batch size, its campaign is not resumed,
// since it counts in batches. The next night reports that its coverage is lost.
func TestOldFiles(t *testing.T) {
	dir := t.TempDir()
	var notes []string
	o := campaign.Options{Runs: 100, File: filepath.Join(dir, "state.json"), Env: environment(dir), Tell: func(e campaign.Event) {
		if e.Kind == campaign.Noted {
			notes = append(notes, e.Text)
		}
	}}
	campaignOf(t, dir, o, "TestHolds")
	text, err := os.ReadFile(o.File)
	if err != nil || !strings.HasPrefix(string(text), `{"Version":4,`) {
		t.Fatalf("%v: %.40s", err, text)
	}
	if err := os.WriteFile(o.File, []byte(strings.Replace(string(text), `"Version":4`, `"Version":2`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	const why = "state.json is of version 2, expected 4"
	o.Resume = true
	_, err = campaign.Run(t.Context(), subjects(t, o.Env, "TestHolds"), o)
	if err == nil || !strings.HasSuffix(err.Error(), why+": remove the file and start again") {
		t.Errorf("it is resumed: %v", err)
	}
	o.Resume = false
	r := campaignOf(t, dir, o, "TestHolds")
	if len(notes) != 1 || !strings.HasSuffix(notes[0], why) || r.Outcomes[0].Orders.Runs() != 100 {
		t.Errorf("%d runs are known, and noted is %q", r.Outcomes[0].Orders.Runs(), notes)
	}
}

// TestDamagedFiles: a state file with content that no campaign writes is refused, both when
// resuming and when reading. Such files used to cause errors, or campaigns that never ended.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	o := campaign.Options{Runs: 100, File: filepath.Join(dir, "state.json"), Env: environment(dir)}
	campaignOf(t, dir, o, "TestHolds")
	text, err := os.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	for _, c := range [][2]string{
		{`"Elapsed":`, `"Elapsed":-`}, {`"Runs":`, `"Runs":-`}, {`"Done":`, `"Done":-`}, {`"Batch":`, `"Batch":-`}, {`"Steps":`, `"Steps":-`},
		{`"Tally":`, `"Tale":`}, {`"By":`, `"Bye":`}, {`"Fresh":`, `"Flesh":`}, {`"Rejected":`, `"Read":`}, {`"TooLarge":`, `"TooLong":`},
		{`"Findings":null`, `"Findings":[null]`}, {`"Met":null`, `"Met":[null]`},
	} {
		edited := strings.ReplaceAll(string(text), c[0], c[1])
		if err := os.WriteFile(o.File, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		const why = "state.json is damaged: it has values that no campaign writes"
		_, err := campaign.Run(t.Context(), subjects(t, o.Env, "TestHolds"), o)
		if err == nil || !strings.HasSuffix(err.Error(), why+": remove the file and start again") {
			t.Errorf("%s: it is resumed: %v", c[1], err)
		}
		if _, err := campaign.Read(o.File); err == nil || !strings.HasSuffix(err.Error(), why) {
			t.Errorf("%s: it is read: %v", c[1], err)
		}
	}
}

// TestForeignFiles: a campaign overwrites only files that campaigns have written,
// and does not touch other files of the folder. The same holds with a race search.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	env := environment(dir)
	list := subjects(t, env, "TestFew")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range map[string]string{"notes.txt": "to buy: milk\n", "go.sum": "example.com/a v1.0.0 h1:x=\n", "a.json": `{"Version":3,"Name":"mine"}`, "brace": "{"} {
		path := write(name, text)
		_, err := campaign.Run(t.Context(), list, campaign.Options{Runs: 10, File: path, Env: env})
		if got, _ := os.ReadFile(path); !errors.Is(err, campaign.ErrForeign) || string(got) != text {
			t.Errorf("%s: %v; it has %q", name, err, got)
		}
	}
	race := write("night.race.json", "mine")
	_, err := campaign.Run(t.Context(), list, campaign.Options{Runs: 10, File: filepath.Join(dir, "night.json"), Races: list, Env: env})
	if got, _ := os.ReadFile(race); !errors.Is(err, campaign.ErrForeign) || string(got) != "mine" {
		t.Errorf("beside: %v; it has %q", err, got)
	}
	if _, err := campaign.Run(t.Context(), list, campaign.Options{Runs: 10, File: dir, Env: env}); !errors.Is(err, campaign.ErrForeign) {
		t.Errorf("a folder: %v", err)
	}
	empty, lock := write("yarn", ""), write("yarn.lock", "mine")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(empty, link); err != nil {
		t.Fatal(err)
	}
	campaignOf(t, dir, campaign.Options{Runs: 10, File: link}, "TestFew")
	if _, err := campaign.Read(empty); err != nil {
		t.Errorf("an empty file is nobody's: %v", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("a link was written over: %v, %v", info, err)
	}
	if got, _ := os.ReadFile(lock); string(got) != "mine" {
		t.Errorf("the file beside has %q", got)
	}
}

// TestSeeds: each night uses the seed after that of the night before. A
// given seed takes precedence, and a resumed campaign keeps its seed.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	o := campaign.Options{Runs: 100, File: filepath.Join(dir, "state.json")}
	for i, c := range []struct {
		given  uint64
		resume bool
		want   uint64
	}{{0, false, 1}, {0, false, 2}, {0, true, 2}, {0, false, 3}, {9, false, 9}, {0, true, 9}, {9, true, 9}, {0, false, 10}} {
		o.Seed, o.Resume = c.given, c.resume
		if r := campaignOf(t, dir, o, "TestHolds"); r.Seed != c.want {
			t.Errorf("night %d has the seed %d, want %d", i+1, r.Seed, c.want)
		}
	}
	if r := campaignOf(t, dir, campaign.Options{Runs: 100}, "TestHolds"); r.Seed != 1 {
		t.Errorf("without a file the seed is %d, want 1", r.Seed)
	}
}

// TestCorpusFromNightToNight: the next night runs the saved cases first and so finds the
// failures again. Other runs with the same failure add no case, whatever the number of nights.
func TestCorpusFromNightToNight(t *testing.T) {
	dir := t.TempDir()
	o := campaign.Options{Runs: 1000, File: filepath.Join(dir, "state.json")}
	var first []string
	for night := 1; night <= 4; night++ {
		r := campaignOf(t, dir, o, "TestTwoBugs")
		if n := r.Failures(); n != 2 {
			t.Errorf("night %d has %d failures, want 2", night, n)
		}
		for _, f := range r.Outcomes[0].Findings {
			if saved := strings.HasPrefix(f.Where, "saved case "); saved != (night > 1) {
				t.Errorf("night %d found %s in %s", night, f.Exact, f.Where)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil || night > 1 && !slices.Equal(files, first) {
			t.Errorf("night %d leaves %q, and the first %q (%v)", night, files, first, err)
		}
		first = files
	}
	if len(first) != 2 {
		t.Errorf("there are %q, want two cases", first)
	}
}
