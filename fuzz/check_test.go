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

const seeds = 20

// searchFor searches a property with the default portfolio and a bound of
// runs, so that what is found does not depend on how fast the machine is.
func searchFor(t *testing.T, property func(*props.T), seed uint64, workers, runs int) (*finding, *search) {
	t.Helper()
	s, err := Config{Seed: seed, Workers: workers, Runs: runs}.settle()
	if err != nil {
		t.Fatal(err)
	}
	x := newSearch(s, t.Name(), property)
	t.Cleanup(x.close)
	return x.run(), x
}

// A run of a subject takes 3 to 60 µs, so the default budget of 2 seconds is
// at least 30,000 of them; half of that must do.
const enoughRuns = 15_000

func TestEverySubjectIsFound(t *testing.T) {
	for _, s := range subjects.All() {
		for seed := uint64(1); seed <= seeds; seed++ {
			f, x := searchFor(t, s.Property(false), seed, 1, enoughRuns)
			if f == nil {
				t.Errorf("%s, seed %d: not found in %d runs", s.Name, seed, x.tally.runs)
				continue
			}
			if f.confirm(x.runners[0]); f.replays != replaysTried {
				t.Errorf("%s, seed %d: replayed %d of %d: %s", s.Name, seed, f.replays, replaysTried, f.differs)
			}
		}
	}
}

func TestMendedSubjectsAreSilent(t *testing.T) {
	runs := 200
	if nightly() {
		runs = 2 * enoughRuns
	}
	for _, s := range subjects.All() {
		for seed := uint64(1); seed <= seeds; seed++ {
			f, x := searchFor(t, s.Property(true), seed, 1, runs)
			if f != nil {
				t.Errorf("%s, seed %d, run %d: %s", s.Name, seed, f.index, f.report("", t.Name(), ""))
			}
			if x.tally.runs != runs {
				t.Errorf("%s, seed %d: %d runs, want %d", s.Name, seed, x.tally.runs, runs)
			}
		}
	}
}

// The same seed finds the same failing run with any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, s := range subjects.All() {
		alone, _ := searchFor(t, s.Property(false), 3, 1, enoughRuns)
		for _, workers := range []int{2, 5} {
			f, _ := searchFor(t, s.Property(false), 3, workers, enoughRuns)
			if f == nil || f.index != alone.index || f.trace.Hash != alone.trace.Hash {
				t.Errorf("%s: one worker finds run %d, %d workers find %+v", s.Name, alone.index, workers, f)
			}
		}
	}
}

// Samples are the tests that other tests run in a process of their own, to
// read what a failing test prints.
func TestSample(t *testing.T) {
	if sample := allSamples()[os.Getenv("JOSTLE_SAMPLE")]; sample != nil {
		sample(t)
	}
}

var samples = map[string]func(*testing.T){
	"broken":  func(t *testing.T) { Config{Runs: 1000}.Check(t, subjectNamed("writer").Property(false)) },
	"mended":  func(t *testing.T) { Config{Runs: 1000}.Check(t, subjectNamed("writer").Property(true)) },
	"missed":  func(t *testing.T) { Config{Runs: 64}.Check(t, missesSome) },
	"skipped": func(t *testing.T) { Config{Runs: 64}.Check(t, skips) },
	"fickle":  func(t *testing.T) { Config{Runs: 64}.Check(t, fickle()) },
	"unknown": func(t *testing.T) { Config{Strategies: []string{"luck"}}.Check(t, skips) },
	"empty":   func(t *testing.T) { Config{Runs: 64}.Check(t, func(*props.T) {}) },
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
	cmd := exec.Command(exe, "-test.run", "^TestSample(OfAll)?$", "-test.v")
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

func TestChangedSettings(t *testing.T) {
	was := settingsOf(pulse.Options{Delivery: pulse.DeliveryUnordered, Steps: 10, Faults: pulse.Faults{Drop: 1}})
	is := settingsOf(pulse.Options{Steps: 20, Faults: pulse.Faults{Drop: 1, Crash: 2}})
	want := "delivery was unordered, is default; steps was 10, is 20; crash was default, is 2"
	if got := strings.Join(changedSettings(was, is), "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := changedSettings(was, was); len(got) != 0 {
		t.Errorf("nothing was changed, but: %v", got)
	}
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

// A budget that is used up by the first run ends the search there, not at the
// end of its batch.
func TestTimeIsUpAfterAnyRun(t *testing.T) {
	s, err := Config{Budget: 1}.settle()
	if err != nil {
		t.Fatal(err)
	}
	x := newSearch(s, t.Name(), subjectNamed("writer").Property(true))
	defer x.close()
	if f := x.run(); f != nil || x.tally.runs != 1 {
		t.Errorf("%d runs, found %v; want 1 run that holds", x.tally.runs, f)
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"JOSTLE_SEED", "x", `JOSTLE_SEED is "x": set it to a number from 1 on`},
		{"JOSTLE_SEED", "0", `JOSTLE_SEED is "0": set it to a number from 1 on`},
		{"JOSTLE_BUDGET", "soon", `JOSTLE_BUDGET is "soon": set it to a duration such as 30s, or to a number of runs`},
		{"JOSTLE_BUDGET", "-3s", `JOSTLE_BUDGET is "-3s": set it to a duration such as 30s, or to a number of runs`},
	} {
		t.Setenv(c.name, c.value)
		if _, err := (Config{}).settle(); err == nil || err.Error() != c.want {
			t.Errorf("%s=%s: %v, want %s", c.name, c.value, err, c.want)
		}
		t.Setenv(c.name, "")
	}
	t.Setenv("JOSTLE_BUDGET", "500")
	t.Setenv("JOSTLE_SEED", "7")
	if s, err := (Config{}).settle(); err != nil || s.runs != 500 || s.budget != 0 || s.seed != 7 {
		t.Errorf("settled to %+v, %v", s, err)
	}
}
