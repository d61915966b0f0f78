package fuzz

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// nightly says whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// Samples are the tests that other tests run in a process of their own, to
// read what a failing test prints.
func TestSample(t *testing.T) {
	name, _, _ := strings.Cut(os.Getenv("JOSTLE_SAMPLE"), ":")
	for _, group := range []map[string]func(*testing.T){allSamples(), verbSamples, refusedSamples, skippingSamples, lateSamples, renamedSamples, stallSamples, dyingSamples, flightSamples, calmSamples, bugSamples, sharedSamples} {
		if sample := group[name]; sample != nil {
			sample(t)
		}
	}
}

// enoughRuns is a number of runs that suffices to find the bug of every subject (see package search).
const enoughRuns = 15_000

var samples = map[string]func(*testing.T){
	"broken":      func(t *testing.T) { Config{Runs: 1000}.Check(t, subjectNamed("writer").Property(false)) },
	"mended":      func(t *testing.T) { Config{Runs: 1000}.Check(t, subjectNamed("writer").Property(true)) },
	"missed":      func(t *testing.T) { Config{Runs: 64}.Check(t, missesSome) },
	"skipped":     func(t *testing.T) { Config{Runs: 64}.Check(t, skips) },
	"fickle":      func(t *testing.T) { Config{Runs: 64}.Check(t, fickle()) },
	"unknown":     func(t *testing.T) { Config{Strategies: []string{"luck"}}.Check(t, skips) },
	"few":         checksFew,
	"never-early": func(t *testing.T) { Config{Runs: 64}.Check(t, sleeps) },
	"empty":       func(t *testing.T) { Config{Runs: 64}.Check(t, func(*props.T) {}) },
	"labeled":     func(t *testing.T) { Config{Runs: 512, Strategies: []string{"random"}}.Check(t, labeled) },
	"crowded":     func(t *testing.T) { Config{Runs: 2048, Strategies: []string{"guided"}}.Check(t, saysTooMuch) },
	"wandering":   func(t *testing.T) { Config{Runs: 128}.Check(t, wandering()) },
}

func allSamples() map[string]func(*testing.T) {
	all := maps.Clone(samples)
	maps.Copy(all, exploreSamples)
	maps.Copy(all, showSamples)
	maps.Copy(all, mustSamples)
	return all
}

// TestSampleOfAll runs Check on the broken form of the subjects of replayedElsewhere. It is for the process that
// TestEveryCaseReplaysElsewhere starts.
func TestSampleOfAll(t *testing.T) {
	if os.Getenv("JOSTLE_SAMPLE") != "all" {
		return
	}
	for _, s := range replayedElsewhere() {
		t.Run(s.Name, func(t *testing.T) { Config{Runs: enoughRuns}.Check(t, s.Property(false)) })
	}
}

// replayedElsewhere returns every eighth subject by day, and all subjects at night.
func replayedElsewhere() (list []subjects.Subject) {
	for i, s := range subjects.Easy() {
		if i%8 == 0 || nightly() {
			list = append(list, s)
		}
	}
	return list
}

// One process saves failures of subjects and another replays them. The failure and the
// trace must be the same. A replay reported "as saved" has compared the trace's hash.
func TestEveryCaseReplaysElsewhere(t *testing.T) {
	trial.Long(t)
	t.Parallel()
	dir := t.TempDir()
	runSample(t, "all", dir)
	again := runSample(t, "all", dir)
	all := len(replayedElsewhere())
	if n := strings.Count(again, ".case (as saved), TIME"); n != all {
		t.Errorf("%d of %d cases were replayed as saved:\n%s", n, all, again)
	}
	if n := strings.Count(again, "replayed 2 of 2"); n != all {
		t.Errorf("%d of %d cases repeat", n, all)
	}
}

// If the trace's hash differs from the hash in a saved case, the replay is not reported "as saved".
func TestWrongHashIsNoticed(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "broken", dir)
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	text, err := os.ReadFile(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	planted := regexp.MustCompile(`(?m)^hash .*$`).ReplaceAll(text, []byte("hash 0123456789abcdef"))
	if err := os.WriteFile(cases[0], planted, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := runSample(t, "broken", dir); strings.Contains(out, "(as saved)") {
		t.Errorf("a wrong hash goes unnoticed:\n%s", out)
	}
}

func subjectNamed(name string) subjects.Subject {
	s, _ := subjects.ByName(name)
	return s
}

func missesSome(t *props.T) {
	t.System().Run()
	t.Sometimes("it rains", false)
	t.Sometimes("it is dry", true)
}

// saysTooMuch gives a feature a different value in each run.
func saysTooMuch(t *props.T) {
	t.Feature("number", props.Draw(t, rapid.Uint64(), "number"))
	t.System().Run()
}

// If features have too many values, the test passes and reports this.
func TestCrowdedFeaturesAreTold(t *testing.T) {
	out := runSample(t, "crowded", t.TempDir())
	want := `Feature "number" has too many values: a guided search keeps only the first; give it fewer, such as ranges of numbers`
	if !strings.Contains(out, want) || !strings.Contains(out, "--- PASS") {
		t.Errorf("want %s:\n%s", want, out)
	}
}

// labeled passes its draw to T.Label.
func labeled(t *props.T) {
	t.Label("customers", props.Draw(t, rapid.IntRange(1, 2), "customers"))
	t.System().Run()
}

// sleeps has a timer that never fires while a message can be delivered.
func sleeps(t *props.T) {
	sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
	sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
	sys.Run()
}

func skips(t *props.T) { t.Skip("not today") }

// fickle fails in one run and never again in its process.
func fickle() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		t.System().Run()
		if runs++; runs == 5 {
			t.Errorf("failed in run %d", runs)
		}
	}
}

// runSample runs a sample, which is a test that TestSample calls, in a process of its
// own. That process saves cases in dir. runSample returns its output, without parts
// that differ from run to run.
func runSample(t *testing.T, sample, dir string, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pattern := "^TestSample(OfAll)?$"
	if strings.HasPrefix(sample, "fuzz-") {
		pattern = "^FuzzSubject$"
	}
	cmd := exec.Command(exe, "-test.run", pattern, "-test.v")
	cmd.Env = append(os.Environ(), append(env, "JOSTLE_SAMPLE="+sample, "JOSTLE_OUT="+dir)...)
	out, _ := cmd.CombinedOutput()
	text := timeless(strings.ReplaceAll(string(out), dir, "DIR"))
	return regexp.MustCompile(`(check|explore|mustfind)_test\.go:\d+`).ReplaceAllString(text, "${1}_test.go:N")
}

// The exact output of each kind of test.
func TestOutput(t *testing.T) {
	samples := allSamples()
	for name := range samples {
		t.Run(name, func(t *testing.T) {
			golden.File(t, "testdata/sample-"+name+".golden", runSample(t, name, t.TempDir()))
		})
	}
	if old, _ := filepath.Glob("testdata/sample-*.golden"); len(old) != len(samples) {
		t.Errorf("there are %d golden files for %d samples", len(old), len(samples))
	}
}

// A failing case is saved and runs first from
// then on. It passes once the program is mended.
func TestSavedCasesRunFirst(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "broken", dir)
	golden.File(t, "testdata/saved-again.golden", runSample(t, "broken", dir))
	golden.File(t, "testdata/saved-mended.golden", runSample(t, "mended", dir))
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	if len(cases) != 1 {
		t.Fatalf("kept %d cases, want 1: %v", len(cases), cases)
	}
	golden.File(t, "testdata/saved-replay.golden", runSample(t, "broken", dir, "JOSTLE_REPLAY="+filepath.Base(cases[0])))
}

// With JOSTLE_OUT set, an HTML page, JSON and a diagram are written next to the case.
// Without it the folder, which is under version control, contains only the case.
func TestPagesBesideCases(t *testing.T) {
	for _, out := range []bool{true, false} {
		dir := t.TempDir()
		want := []string{".case"}
		if t.Setenv("JOSTLE_OUT", ""); out {
			t.Setenv("JOSTLE_OUT", dir)
			want = []string{".case", ".html", ".json", ".mmd"}
		}
		v := Config{Folder: dir}.begin(t, "Check", checkBudget, func(t *props.T) {
			said := ""
			sys := t.System()
			trial.Crowd(sys, 2, func(word string) { said += word })
			if sys.Run(); said == "ba" {
				t.Error("backwards")
			}
		})
		found := search.Sample(context.Background(), v.session.Property, search.Options{Runs: 1000, Seed: 1})
		r := v.session.Property.NewRunner()
		defer r.Close()
		if kept := v.session.Conclude(t.Context(), r, found.Finding, ""); kept.Problem != "" {
			t.Fatal(kept.Problem)
		}
		var got []string
		list, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		for _, path := range list {
			got = append(got, filepath.Ext(path))
		}
		if !slices.Equal(got, want) {
			t.Errorf("JOSTLE_OUT %v: %q", out, got)
		}
	}
}

// A case that cannot be run as saved is not reported as passing, and the user is not told
// to delete it. Jostle used to do both when only message types had been renamed.
func TestStaleCasesAreKept(t *testing.T) {
	dir := t.TempDir()
	if out := runSample(t, "renamed-from", dir); !strings.Contains(out, "saved: ") {
		t.Fatalf("nothing was found:\n%s", out)
	}
	out := runSample(t, "renamed-to", dir)
	for _, want := range []string{"not known whether its failure is mended", "none of its 4 deliveries applied: was the type of a message or of an actor renamed",
		"keep it: every test run tries what still applies"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "passes now") || strings.Contains(out, "delete") {
		t.Errorf("a case that was not run is said to pass:\n%s", out)
	}
	if out := runSample(t, "renamed-mended", dir); !strings.Contains(out, ".case passes now (as saved): a regression test, as long as you keep it; delete it only if no other function literal of the test has failed so") {
		t.Errorf("a case that was run as saved, and passes:\n%s", out)
	}
}

// casesIn returns the names of the cases of all properties.
func casesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		names = append(names, timeless(filepath.Base(path)))
	}
	return names
}

// A saved case that passes as it was saved costs one run.
func TestCasesThatPassRunOnce(t *testing.T) {
	runs, mended := 0, false
	v := Config{Folder: t.TempDir()}.begin(t, "Check", checkBudget, func(t *props.T) {
		runs++
		said := ""
		sys := t.System()
		trial.Crowd(sys, 2, func(word string) { said += word })
		if sys.Run(); said == "ba" && !mended {
			t.Error("backwards")
		}
	})
	r := v.session.Property.NewRunner()
	defer r.Close()
	found := search.Sample(context.Background(), v.session.Property, search.Options{Runs: 1000, Seed: 1})
	if kept := v.session.Conclude(t.Context(), r, found.Finding, ""); kept.Problem != "" {
		t.Fatal(kept.Problem)
	}
	runs, mended = 0, true
	if r := v.ask(session.Saved); r.Fails() || runs != 1 {
		t.Errorf("%+v, %d runs", r, runs)
	}
}

// lossy is a declared function, so its cases have a folder of their own. Its runs fail after about 16 steps; shrunk, after 7.
func lossy(t *props.T) { subjectNamed("writer-error").Property(false)(t) }

// When a case that was saved without shrinking fails again, it is reported like a new
// failure. The shrunk run replaces its file. Later replays leave the new file unchanged.
func TestSavedCasesAreExplained(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "lossy", dir, "JOSTLE_SHRINK=0")
	old := casesIn(t, dir)
	for _, row := range []struct {
		env, want, no string
		stays         bool
	}{
		{"JOSTLE_SHRINK=0", "10 steps, replayed 2 of 2", "order", true},
		{"JOSTLE_SHRINK=1m", "shrunk from 10 steps to 7 in TIME, replayed 2 of 2, depth 2\n            fails in 1 of 7 orders: exactly where", "its file says", false},
		{"JOSTLE_SHRINK=1m", "7 steps, replayed 2 of 2, depth 2\n            fails in 1 of 7 orders: exactly where", "JOSTLE_REPAIR", true},
		{"JOSTLE_SHRINK=0", "its file says: fails in 1 of 7 orders: exactly where lost(1) comes before checkForError at terminator\n            after step 5 (lost(1) at terminator) 100 of 100", "JOSTLE_REPAIR", true},
	} {
		out := runSample(t, "lossy", dir, row.env)
		if !strings.Contains(out, row.want) || strings.Contains(out, row.no) || strings.Contains(out, "shrinking") {
			t.Errorf("%s: want %q, and no %q, in:\n%s", row.env, row.want, row.no, out)
		}
		now := casesIn(t, dir)
		if len(now) != 1 || slices.Equal(now, old) != row.stays {
			t.Errorf("%s: the cases were %q and are %q", row.env, old, now)
		}
		old = now
	}
}

// When a search finds the failure of a stale case again, the new case replaces the stale one.
func TestStaleCasesGiveWay(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "declared-from", dir)
	old := casesIn(t, dir)
	out := runSample(t, "declared-idle", dir)
	want := "(runs first while JOSTLE_OUT is set so, in place of " + old[0] + ", which showed the same failure)"
	if now := casesIn(t, dir); len(old) != 1 || len(now) != 1 || now[0] == old[0] || !strings.Contains(out, want) {
		t.Errorf("the cases were %q and are %q:\n%s", old, now, out)
	}
	if again := runSample(t, "declared-idle", dir); !strings.Contains(again, "saved case "+casesIn(t, dir)[0]+" (as saved)") {
		t.Errorf("run again:\n%s", again)
	}
}

// If a corpus contains the same case twice, as after merging two
// branches, both are run. With JOSTLE_REPAIR=1 one of them is deleted.
func TestCasesThatAreThereTwice(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "broken", dir)
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	whole, err := os.ReadFile(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(string(whole), "\n# ", "\n# seen in May\n# ", 1)
	if err := os.WriteFile(filepath.Join(dir, "TestSample", "71b3ca-0.case"), []byte(twice), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := runSample(t, "broken", dir); !strings.Contains(out, "saved case 71b3ca-0.case (as saved)") || len(casesIn(t, dir)) != 2 {
		t.Errorf("there are %q:\n%s", casesIn(t, dir), out)
	}
	const want = "removed case 71b3ca-TEXT.case: another case shows the same failure and is no larger"
	if out := runSample(t, "broken", dir, "JOSTLE_REPAIR=1"); !strings.Contains(out, want) || len(casesIn(t, dir)) != 1 {
		t.Errorf("there are %q:\n%s", casesIn(t, dir), out)
	}
}

// With JOSTLE_REPAIR=1 a stale case is replaced by a similar run, if one still fails.
func TestStaleCasesAreRepaired(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "declared-from", dir)
	old := casesIn(t, dir)
	out := runSample(t, "declared-to", dir, "JOSTLE_REPAIR=1")
	if want := "case " + old[0] + " cannot be repaired: no run near it fails as it did"; !strings.Contains(out, want) || !slices.Equal(casesIn(t, dir), old) {
		t.Errorf("of a mended program there are %q:\n%s", casesIn(t, dir), out)
	}
	if out := runSample(t, "declared-still", dir); strings.Contains(out, "FAIL") || !slices.Equal(casesIn(t, dir), old) {
		t.Errorf("nobody asked for repair, and there are %q:\n%s", casesIn(t, dir), out)
	}
	out = runSample(t, "declared-still", dir, "JOSTLE_REPAIR=1")
	now := casesIn(t, dir)
	if want := "near case " + old[0] + " (stale, "; len(now) != 1 || now[0] == old[0] || !strings.Contains(out, want) || !strings.Contains(out, "/"+now[0]+" (runs first") {
		t.Errorf("the cases were %q and are %q:\n%s", old, now, out)
	}
	if again := runSample(t, "declared-still", dir); !strings.Contains(again, "saved case "+now[0]+" (as saved)") {
		t.Errorf("run again:\n%s", again)
	}
}

// A saved case may be impossible: it holds messages back until a timer
// fires, but no timer is set. The test reports the case and passes.
func TestImpossibleCasesAreTold(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "broken", dir)
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	text, err := os.ReadFile(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	held := strings.Replace(strings.Replace(string(text), "jostle case 4", "jostle case 5", 1), "\ndeliveries ", "\ndeliveries hold ", 1)
	if err := os.WriteFile(cases[0], []byte(held), 0o644); err != nil {
		t.Fatal(err)
	}
	name := casesIn(t, dir)[0]
	want := "case " + name + " shows no failure: no run can be as it was saved"
	const why = "stale, since it fires more timers early than allowed, as only an older version did (early timers: 1, allowed: 0)"
	out := runSample(t, "mended", dir)
	if !strings.Contains(out, want) || !strings.Contains(out, why) || strings.Contains(out, "FAIL") || len(casesIn(t, dir)) != 1 {
		t.Errorf("of a mended program there are %q:\n%s", casesIn(t, dir), out)
	}
	if out := runSample(t, "broken", dir, "JOSTLE_REPAIR=1"); !strings.Contains(out, "near case "+name+" ("+why) {
		t.Errorf("it was not repaired:\n%s", out)
	}
}

// A case that is stale for one function literal may belong to another literal of the same test, so it is kept.
func TestStaleCasesOfLiteralsStay(t *testing.T) {
	for sample, env := range map[string]string{"renamed-idle": "JOSTLE_REPAIR=0", "renamed-still": "JOSTLE_REPAIR=1"} {
		dir := t.TempDir()
		runSample(t, "renamed-from", dir)
		old := casesIn(t, dir)
		out := runSample(t, sample, dir, env)
		if now := casesIn(t, dir); len(now) != 2 || !slices.Contains(now, old[0]) || !strings.Contains(out, "(runs first while JOSTLE_OUT is set so)") {
			t.Errorf("%s: the cases were %q and are %q:\n%s", sample, old, now, out)
		}
	}
}

// declared is not a function literal, so its cases have a folder of their own. JOSTLE_SAMPLE chooses its program.
func declared(t *props.T) {
	switch os.Getenv("JOSTLE_SAMPLE") {
	case "declared-from":
		second(t, func(n int) any { return letter{n} }, "%d came first")
	case "declared-idle":
		second(t, func(n int) any { return letter{n} }, "%d came first", "idle")
	case "declared-still":
		second(t, func(n int) any { return parcel{n} }, "%d came first")
	case "declared-to":
		second(t, func(n int) any { return parcel{n} }, "")
	}
}

// A saved case that now fails with another failure is not reported "as saved".
func TestCasesThatFailOtherwise(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "renamed-from", dir)
	out := runSample(t, "renamed-otherwise", dir)
	const want = `(its decisions as saved; it now fails with "property at fuzz.second: %d came first, to everybody's surprise", but was saved for "property at fuzz.second: %d came first")`
	if !strings.Contains(out, want) {
		t.Errorf("want %s in:\n%s", want, out)
	}
}

type (
	letter struct{ n int }
	parcel struct{ n int }
)

// second fails with the given text if the second of two senders comes first. The
// idle actors do nothing, but adding them changes the identity of every step.
func second(t *props.T, message func(int) any, text string, idle ...string) {
	sys := t.System()
	for _, name := range idle {
		sys.Spawn(name, pulse.Func(func(*pulse.Ctx, any) {}))
	}
	first := 0
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if n := fmt.Sprintf("%d", msg)[1]; first == 0 {
			first = int(n - '0')
		}
	}))
	for n := range 2 {
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), message(n+1))
	}
	sys.Run()
	if first == 2 && text != "" {
		t.Errorf(text, first)
	}
}

var renamedSamples = map[string]func(*testing.T){
	"declared-from":  func(t *testing.T) { Config{Runs: 50}.Check(t, declared) },
	"declared-idle":  func(t *testing.T) { Config{Runs: 50}.Check(t, declared) },
	"declared-still": func(t *testing.T) { Config{Runs: 1}.Check(t, declared) },
	"declared-to":    func(t *testing.T) { Config{Runs: 1}.Check(t, declared) },
	"lossy":          func(t *testing.T) { Config{Runs: 1000}.Check(t, lossy) },
	"full-disk":      func(t *testing.T) { fill(t); Check(t, overdraws) },
	"renamed-from": func(t *testing.T) {
		Config{Runs: 50}.Check(t, func(t *props.T) { second(t, func(n int) any { return letter{n} }, "%d came first") })
	},
	"renamed-to": func(t *testing.T) {
		Config{Runs: 1}.Check(t, func(t *props.T) { second(t, func(n int) any { return parcel{n} }, "") })
	},
	"renamed-still": func(t *testing.T) {
		Config{Runs: 1}.Check(t, func(t *props.T) { second(t, func(n int) any { return parcel{n} }, "%d came first") })
	},
	"renamed-idle": func(t *testing.T) {
		Config{Runs: 50}.Check(t, func(t *props.T) { second(t, func(n int) any { return letter{n} }, "%d came first", "idle") })
	},
	"renamed-mended": func(t *testing.T) {
		Config{Runs: 1}.Check(t, func(t *props.T) { second(t, func(n int) any { return letter{n} }, "") })
	},
	"renamed-otherwise": func(t *testing.T) {
		Config{Runs: 1}.Check(t, func(t *props.T) {
			second(t, func(n int) any { return letter{n} }, "%d came first, to everybody's surprise")
		})
	},
}

// A planned case, written by hand here, is run by its schedule.
func TestPlannedCase(t *testing.T) {
	dir := t.TempDir()
	r := props.NewRunner("TestSample", subjectNamed("writer").Property(false))
	defer r.Close()
	res := r.Run(props.Plan{Seed: 1})
	tr := res.System.Trace()
	ids := map[string]uint64{}
	for i := range tr.Steps {
		if tr.Name(tr.Steps[i].Actor) == "writer" {
			ids[trace.TypeLabel(tr.Sends[tr.Steps[i].Send].Body)] = tr.Steps[i].ID
		}
	}
	planned := corpus.Case{Property: "TestSample", Test: "TestSample", Comment: []string{"flush before write"}, Inputs: choice.CloneInputs(res.Inputs),
		Schedule: choice.Schedule{Before: []choice.Constraint{{First: ids["flush"], Second: ids["write"]}}}}
	if _, _, err := corpus.FolderOf(dir, "TestSample").Save(planned); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/planned.golden", runSample(t, "broken", dir))
}

// Files that are not cases of this test make it fail. Each is reported with
// what to do. Otherwise the test would pass as if these files had been run.
func TestBadCases(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "broken", dir)
	cases, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	good, err := os.ReadFile(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	for name, bad := range map[string]string{
		"another":   strings.Replace(text, `property "TestSample"`, `property "TestOther"`, 1),
		"newer":     strings.Replace(text, "jostle case 7", "jostle case 8", 1),
		"truncated": text[:len(text)/2],
		"empty":     "",
		"noise":     "\x00\xff\x01",
	} {
		if bad == text {
			t.Fatalf("%s: nothing was changed in\n%s", name, text)
		}
		if err := os.WriteFile(filepath.Join(dir, "TestSample", name+".case"), []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(cases[0])
	golden.File(t, "testdata/bad-cases.golden", runSample(t, "mended", dir))
}

// A search that skips nearly all of its runs fails. One that skips
// most reports how many. Both used to pass without a message.
func TestSkippingIsTold(t *testing.T) {
	for sample, want := range map[string]string{
		"skips-999":  "999 of 1,000 runs were skipped (not today), so fewer than one in 10 tests anything: ",
		"skips-60":   "60 of 100 runs were skipped (not today)",
		"explore-99": "22 of 24 runs were skipped (not this order), so fewer than one in 10 tests anything: ",
	} {
		out := runSample(t, sample, t.TempDir())
		if fails := sample != "skips-60"; !strings.Contains(out, want) || strings.Contains(out, "--- FAIL") != fails {
			t.Errorf("%s:\n%s\nwant %s", sample, out, want)
		}
	}
}

// If a goroutine of a property misuses a T after Check has returned, the test
// fails. If it does so after the test is over, the process panics with an
// explanation, as with testing's own T. Both misuses used to go unnoticed.
func TestLateGoroutinesAreTold(t *testing.T) {
	for sample, want := range map[string]string{
		"late-t":    "Errorf on the T of a run that is over: does the property leave a goroutine behind?",
		"late-send": "Send on a system from another goroutine when no step was running: does a handler leave a goroutine behind?",
		"too-late":  "panic: after TestSample was over: Errorf on the T of a run that is over",
	} {
		out := runSample(t, sample, t.TempDir())
		if !strings.Contains(out, want) || sample != "too-late" && !strings.Contains(out, "--- FAIL: TestSample ") {
			t.Errorf("%s:\n%s\nwant %s", sample, out, want)
		}
	}
}

// lately runs Check, and then calls the function late on another goroutine.
func lately(t *testing.T, late func(t *props.T, sys *pulse.System)) {
	var last func()
	Config{Runs: 20}.Check(t, func(t *props.T) {
		sys := t.System()
		sys.Run()
		last = func() { late(t, sys) }
	})
	done := make(chan bool)
	go func() { defer close(done); last() }()
	<-done
}

var lateSamples = map[string]func(*testing.T){
	"late-t":    func(t *testing.T) { lately(t, func(t *props.T, _ *pulse.System) { t.Errorf("late") }) },
	"late-send": func(t *testing.T) { lately(t, func(_ *props.T, sys *pulse.System) { sys.Send(pulse.Ref{}, "late") }) },
	"too-late": func(t *testing.T) {
		over := make(chan bool)
		t.Cleanup(func() { // the verb's own cleanups run before this one
			close(over)
			time.Sleep(10 * time.Second) // until Errorf has ended the process
		})
		lately(t, func(t *props.T, _ *pulse.System) {
			go func() {
				<-over
				t.Errorf("too late")
			}()
		})
	},
}

// skipping returns a property that skips the given number of runs out of each `of` runs.
func skipping(skipped, of int) func(*props.T) {
	runs := 0
	return func(t *props.T) {
		t.System().Run()
		if runs++; runs%of < skipped {
			t.Skip("not today")
		}
	}
}

var skippingSamples = map[string]func(*testing.T){
	"skips-999": func(t *testing.T) { Config{Runs: 1000}.Check(t, skipping(999, 1000)) },
	"skips-60":  func(t *testing.T) { Config{Runs: 100}.Check(t, skipping(60, 101)) }, // of 101, because Check repeats one of its 100 runs
	"explore-99": func(t *testing.T) {
		Explore(t, func(t *props.T) {
			order := ""
			sys := t.System()
			trial.Crowd(sys, 4, func(word string) { order += word })
			sys.Run()
			if order[:3] != "abc" && order[:3] != "bac" {
				t.Skip("not this order")
			}
		})
	},
}

func TestEnvironment(t *testing.T) {
	settled := func(c Config) (Config, error) {
		e, err := env.Read(search.Names())
		return c.settle(&e, checkBudget), err
	}
	for _, c := range []struct{ name, value, want string }{
		{"JOSTLE_SEED", "x", `JOSTLE_SEED is "x": set it to a number of at least 1`},
		{"JOSTLE_SEED", "0", `JOSTLE_SEED is "0": set it to a number of at least 1`},
		{"JOSTLE_BUDGET", "soon", `JOSTLE_BUDGET is "soon": set it to a duration such as 30s, or to a number of runs`},
		{"JOSTLE_WORKERS", "0", `JOSTLE_WORKERS is "0": set it to a number of at least 1`},
		{"JOSTLE_WORKERS", "many", `JOSTLE_WORKERS is "many": set it to a number of at least 1`},
		{"JOSTLE_BUDGET", "-3s", `JOSTLE_BUDGET is "-3s": set it to a duration such as 30s, or to a number of runs`},
	} {
		t.Setenv(c.name, c.value)
		if _, err := settled(Config{}); err == nil || err.Error() != c.want {
			t.Errorf("%s=%s: %v, want %s", c.name, c.value, err, c.want)
		}
		t.Setenv(c.name, "")
	}
	t.Setenv("JOSTLE_BUDGET", "500")
	t.Setenv("JOSTLE_SEED", "7")
	if s, err := settled(Config{}); err != nil || s.Runs != 500 || s.Budget != 0 || s.Seed != 7 {
		t.Errorf("settled to %+v, %v", s, err)
	}
	t.Setenv("JOSTLE_WORKERS", "3")
	t.Setenv("JOSTLE_STRATEGY", "random,pos")
	if s, err := settled(Config{Workers: 2}); err != nil || s.Workers != 3 || !slices.Equal(s.Strategies, []string{"random", "pos"}) {
		t.Errorf("settled to %+v, %v", s, err)
	}
	if s, err := settled(Config{File: "kept"}); err != nil || s.Workers != 1 {
		t.Errorf("an exploration with a file: settled to %+v, %v", s, err)
	}
}

// JOSTLE_STRATEGY chooses the strategies of a search. Each verb checks the names when it starts.
func TestStrategiesOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	if out := runSample(t, "mended", dir, "JOSTLE_STRATEGY=pos"); !strings.Contains(out, "pos: 1,000 runs") {
		t.Errorf("with pos alone:\n%s", out)
	}
	if out := runSample(t, "mended", dir, "JOSTLE_STRATEGY=guided,bita"); !strings.Contains(out, "bita: 500 runs") {
		t.Errorf("with guided and bita:\n%s", out)
	}
	if out := runSample(t, "mended", dir, "JOSTLE_STRATEGY=luck"); !strings.Contains(out, "--- FAIL") || !strings.Contains(out, `JOSTLE_STRATEGY is "luck": set it to one or more of plain`) {
		t.Errorf("with a strategy that there is not:\n%s", out)
	}
	if out := runSample(t, "explore-mended", dir, "JOSTLE_STRATEGY= pos, random", "JOSTLE_WORKERS=2"); !strings.Contains(out, "--- PASS") {
		t.Errorf("an exploration has none:\n%s", out)
	}
}

// With JOSTLE_DISTILL=1 a search first runs passing cases of the previous
// search, and saves its own for the next. Without it the cache is not read.
func TestDistilledCases(t *testing.T) {
	cache := t.TempDir()
	run := func(env ...string) string {
		return runSample(t, "mended", t.TempDir(), append(env, "JOSTLE_CACHE="+cache)...)
	}
	without := run()
	if files, _ := filepath.Glob(filepath.Join(cache, "distill", "*", "*")); len(files) > 0 || strings.Contains(without, "passing case") {
		t.Errorf("nobody asked, and there are %q:\n%s", files, without)
	}
	first, second := run("JOSTLE_DISTILL=1"), run("JOSTLE_DISTILL=1")
	kept := regexp.MustCompile(`began with (\d+) passing cases? of earlier searches, and saved (\d+)`)
	one, two := kept.FindStringSubmatch(first), kept.FindStringSubmatch(second)
	if one == nil || two == nil || one[1] != "0" || two[1] != one[2] || one[2] == "0" {
		t.Errorf("the first search:\n%s\nthe second:\n%s", first, second)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "distill", "*", "*.cases")); len(files) != 1 {
		t.Errorf("there are %q", files)
	}
	if again := run(); again != without {
		t.Errorf("the cache changes a search that was not to look at it:\n%s\nwas\n%s", again, without)
	}
	runSample(t, "calm", t.TempDir(), "JOSTLE_CACHE="+cache, "JOSTLE_DISTILL=1")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for distilled, want := range map[string]string{"0": "0/8 completed", "1": "0/9 completed"} {
		cmd := exec.Command(exe, "-test.run=^$", "-test.fuzz=^FuzzSubject$", "-test.fuzzcachedir="+t.TempDir(), "-test.fuzztime=1x", "-test.parallel=1")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "JOSTLE_SAMPLE=fuzz-calm", "JOSTLE_OUT=", "JOSTLE_CACHE="+cache, "JOSTLE_DISTILL="+distilled)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, no %q in:\n%s", err, want, out)
		}
	}
	if out := run("JOSTLE_DISTILL=2"); !strings.Contains(out, `JOSTLE_DISTILL is "2": set it to 1 to begin with`) {
		t.Errorf("%s", out)
	}
}

// Target also writes an HTML page for a failure, and prints the path of the page.
func TestPagesOfTarget(t *testing.T) {
	dir := t.TempDir()
	out := runSample(t, "fuzz-overdraws", dir)
	pages, _ := filepath.Glob(filepath.Join(dir, "overdraws", "*.html"))
	if len(pages) != 1 || !strings.Contains(out, "page: DIR/overdraws/"+timeless(filepath.Base(pages[0]))) {
		t.Errorf("wrote %q:\n%s", pages, out)
	}
}
