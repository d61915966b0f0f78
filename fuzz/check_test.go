package fuzz

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/schedule"
	"github.com/jostle-go/jostle/pulse/trace"
)

// nightly says whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// Samples are the tests that other tests run in a process of their own, to
// read what a failing test prints.
func TestSample(t *testing.T) {
	name := os.Getenv("JOSTLE_SAMPLE")
	for _, group := range []map[string]func(*testing.T){allSamples(), verbSamples, refusedSamples} {
		if sample := group[name]; sample != nil {
			sample(t)
		}
	}
}

// enoughRuns is how many find every subject's bug: see package search.
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
}

func allSamples() map[string]func(*testing.T) {
	all := maps.Clone(samples)
	maps.Copy(all, exploreSamples)
	return all
}

// TestSampleOfAll checks every subject's broken form, for TestEveryCaseReplaysElsewhere.
func TestSampleOfAll(t *testing.T) {
	if os.Getenv("JOSTLE_SAMPLE") != "all" {
		return
	}
	for _, s := range subjects.All() {
		t.Run(s.Name, func(t *testing.T) { Config{Runs: enoughRuns}.Check(t, s.Property(false)) })
	}
}

// Every subject's failure is kept by one process and replayed by another:
// the same failure and the same trace, by its hash, which a replay "as saved" compares.
func TestEveryCaseReplaysElsewhere(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "all", dir)
	again := runSample(t, "all", dir)
	all := len(subjects.All())
	if n := strings.Count(again, ".case (as saved), TIME"); n != all {
		t.Errorf("%d of %d cases were replayed as saved:\n%s", n, all, again)
	}
	if n := strings.Count(again, "replayed 2 of 2"); n != all {
		t.Errorf("%d of %d cases repeat", n, all)
	}
}

// A saved case whose hash is another's is not taken for a replay as saved.
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

// sleeps has a timer that never fires while a message waits.
func sleeps(t *props.T) {
	sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
	sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
	sys.Run()
}

func skips(t *props.T) { t.Skip("not today") }

// fickle fails once and then never again.
func fickle() func(*props.T) {
	runs := 0
	return func(t *props.T) {
		t.System().Run()
		if runs++; runs == 5 {
			t.Errorf("failed in run %d", runs)
		}
	}
}

// runSample runs a sample in a process of its own, with cases kept in dir, and
// returns what it prints, without what differs from run to run.
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
	text := strings.ReplaceAll(string(out), dir, "DIR")
	text = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, "TIME")
	return regexp.MustCompile(`(check|explore)_test\.go:\d+`).ReplaceAllString(text, "${1}_test.go:N")
}

// What each kind of test prints, to the letter.
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

// A failing case is kept, runs first from then on, and passes when the
// program is mended.
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

// A case that was not run but planned, here by hand, is run by its schedule.
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
		Schedule: schedule.Schedule{Before: []schedule.Constraint{{First: ids["flush"], Second: ids["write"]}}}}
	if _, _, err := corpus.FolderOf(dir, "TestSample").Save(planned); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/planned.golden", runSample(t, "broken", dir))
}

// Files that are no case of this test are said to be, each with what to do,
// and fail the test: else it would pass as if they had been run.
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
		"newer":     strings.Replace(text, "jostle case 2", "jostle case 3", 1),
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

func TestEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"JOSTLE_SEED", "x", `JOSTLE_SEED is "x": set it to a number from 1 on`},
		{"JOSTLE_SEED", "0", `JOSTLE_SEED is "0": set it to a number from 1 on`},
		{"JOSTLE_BUDGET", "soon", `JOSTLE_BUDGET is "soon": set it to a duration such as 30s, or to a number of runs`},
		{"JOSTLE_BUDGET", "-3s", `JOSTLE_BUDGET is "-3s": set it to a duration such as 30s, or to a number of runs`},
	} {
		t.Setenv(c.name, c.value)
		if _, err := (Config{}).settle(checkBudget); err == nil || err.Error() != c.want {
			t.Errorf("%s=%s: %v, want %s", c.name, c.value, err, c.want)
		}
		t.Setenv(c.name, "")
	}
	t.Setenv("JOSTLE_BUDGET", "500")
	t.Setenv("JOSTLE_SEED", "7")
	if s, err := (Config{}).settle(checkBudget); err != nil || s.Runs != 500 || s.Budget != 0 || s.Seed != 7 {
		t.Errorf("settled to %+v, %v", s, err)
	}
}
