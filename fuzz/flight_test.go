package fuzz

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// deaths are ways to end the process. JOSTLE_SAMPLE names one after a colon.
var deaths = map[string]func(){
	"": func() {},
	"map": func() {
		m := map[int]int{}
		for range 2 {
			go func() {
				for {
					m[0] = 1
				}
			}()
		}
		select {}
	},
	"exit": func() { os.Exit(3) },
	"kill": func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	},
	"goroutine": func() {
		go panic("nobody catches this")
		select {}
	},
	"hang": func() { select {} },
}

// die prints a description of the run, and ends the process in the way that JOSTLE_SAMPLE says.
func die(run string) {
	_, how, _ := strings.Cut(os.Getenv("JOSTLE_SAMPLE"), ":")
	if how != "" {
		fmt.Printf("\ndies in %s\n", run)
	}
	deaths[how]()
}

// deadly ends its process in some orders of its messages. With few messages Check
// runs all orders. With draws it ends the process only for some of their values.
func deadly(messages, draws int) func(*props.T) {
	return func(t *props.T) {
		n := 0
		if draws > 0 {
			n = props.Draw(t, rapid.IntRange(0, draws-1), "n")
		}
		order := ""
		sys := t.System()
		trial.Crowd(sys, messages, func(word string) {
			if order += word; n == draws/2 && strings.HasSuffix(order, "ca") {
				die(fmt.Sprint(n, order))
			}
		})
		sys.Run()
	}
}

// rare fails for one input of a thousand, and ends its process in more runs.
func rare(t *props.T) {
	m := props.Draw(t, rapid.IntRange(0, 999), "m")
	deadly(5, 7)(t)
	if m == 500 {
		t.Error("five hundred")
	}
}

var flightSamples = map[string]func(*testing.T){
	"flight-exhaust":  func(t *testing.T) { Check(t, deadly(3, 0)) },
	"flight-random":   func(t *testing.T) { Config{Runs: 400}.Check(t, deadly(5, 7)) },
	"flight-workers":  func(t *testing.T) { Config{Runs: 400, Workers: 3, Seed: 7}.Check(t, deadly(5, 7)) },
	"flight-chosen":   func(t *testing.T) { Config{Strategies: []string{"pos", "urw"}, Runs: 400}.Check(t, deadly(5, 7)) },
	"flight-explore":  func(t *testing.T) { Config{Inputs: 3}.Explore(t, deadly(5, 2)) },
	"flight-mustfind": func(t *testing.T) { Config{Runs: 9000}.MustFind(t, rare) },
	"flight-file": func(t *testing.T) {
		c := Config{Runs: 20, File: filepath.Join(os.Getenv("JOSTLE_OUT"), "search")}
		if err := os.MkdirAll(os.Getenv("JOSTLE_OUT"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(c.File); err != nil {
			leaveBehind(t, c, deadly(5, 0)) // deadly does not end the process in the first orders
		}
		c.Runs = 0
		c.Explore(t, deadly(5, 0))
	},
	"flight-slow": func(t *testing.T) {
		Config{Runs: 400}.Check(t, func(t *props.T) {
			if os.Getenv(flight.Variable) != "" {
				time.Sleep(time.Second)
			}
			deadly(5, 7)(t)
		})
	},
	"flight-healthy": func(t *testing.T) { Config{Budget: time.Hour}.Check(t, deadly(5, 7)) },
	"flight-two": func(t *testing.T) {
		Config{Runs: 40}.Check(t, func(t *props.T) { trial.Chosen(t) })
		Config{Runs: 400}.Check(t, deadly(5, 7))
	},
}

// FuzzFlight is a fuzz target that ends its process if JOSTLE_SAMPLE says so.
func FuzzFlight(f *testing.F) { Target(f, deadly(4, 2)) }

// fly runs TestSample or FuzzFlight in a process of its own, which keeps crash records below dir.
func fly(t *testing.T, sample, dir string, env ...string) string {
	t.Helper()
	cmd := command(t, sample, dir, env...)
	out, err := cmd.CombinedOutput()
	return strings.ReplaceAll(string(out), dir, "DIR") + fmt.Sprintln(err)
}

// start starts a process that runs TestSample with a sample that does not end by itself.
func start(t *testing.T, sample, dir string) *exec.Cmd {
	t.Helper()
	cmd := command(t, sample, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

func command(t *testing.T, sample, dir string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pattern, timeout := "^TestSample$", "1m"
	if strings.HasSuffix(sample, ":hang") {
		timeout = "10s"
	}
	if strings.HasPrefix(sample, "flight-target") {
		pattern = "^FuzzFlight$"
	}
	cmd := exec.Command(exe, "-test.run", pattern, "-test.v", "-test.timeout="+timeout)
	cmd.Env = append(append(os.Environ(), "JOSTLE_SAMPLE="+sample, "TMPDIR="+dir, "JOSTLE_OUT="+filepath.Join(dir, "out"), "JOSTLE_CACHE="+dir, "JOSTLE_STALL=1s"), env...)
	return cmd
}

// records returns the names of the files in the folder of crash records.
func records(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(dir, "flight"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}

var diesIn = regexp.MustCompile(`dies in \w+`)

// The next test run reports in which run the previous process died,
// and repeats that run. It fails with the same output as long as
// the run dies. Previously only the seed of the search was known.
func TestDeathsAreMadeAgain(t *testing.T) {
	t.Parallel() // one of the samples waits for 20 s
	for _, test := range []struct{ sample, at, said string }{
		{"flight-exhaust:map", `run \d+ of every order, fuzz.Check of TestSample, seed 1`, "fatal error: concurrent map writes"},
		{"flight-exhaust:exit", `run \d+ of every order, fuzz.Check of TestSample, seed 1`, "exit status 3"},
		{"flight-random:map", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "fatal error: concurrent map writes"},
		{"flight-random:exit", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "exit status 3"},
		{"flight-random:kill", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "signal: killed"},
		{"flight-random:goroutine", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "panic: nobody catches this"},
		{"flight-random:hang", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "NO PROGRESS for "},
		{"flight-chosen:exit", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "exit status 3"},
		{"flight-two:exit", `run \d+ at random, fuzz.Check of TestSample, seed 1`, "exit status 3"},
		{"flight-workers:exit", `run \d+ at random(, or run \d+ at random)*, fuzz.Check of TestSample, seed 7`, "exit status 3"},
		{"flight-explore:exit", `run \d+ of Explore, fuzz.Explore of TestSample, seed 1`, "exit status 3"},
		{"flight-file:exit", `run \d+ of Explore, fuzz.Explore of TestSample, seed 1`, "exit status 3"},
		{"flight-mustfind:exit", `run \d+ at random, fuzz.MustFind of TestSample, seed 1`, "exit status 3"},
		{"flight-target:exit", `run \d+ of Target, fuzz.Target of FuzzFlight, seed 1`, "exit status 3"},
	} {
		if testing.Short() && strings.HasSuffix(test.sample, ":hang") {
			continue
		}
		t.Run(test.sample, func(t *testing.T) {
			t.Parallel()
			says := func(out string) bool {
				// The race detector and the runtime both detect this fault; either may report it first.
				race := props.HasRaceDetector() && strings.HasSuffix(test.sample, ":map") && strings.Contains(out, "WARNING: DATA RACE")
				return race || strings.Contains(out, test.said)
			}
			dir := t.TempDir()
			first := fly(t, test.sample, dir)
			if n := len(records(t, dir)); n != 1 || strings.Contains(first, "the last process") {
				t.Fatalf("%d records are left by:\n%s", n, first)
			}
			times := 1
			if nightly() {
				times = 2
			}
			for range times {
				again := fly(t, test.sample, dir)
				told := regexp.MustCompile("(?m)^    DIED the last process died in " + test.at + ": replayed, the run kills its process again: ")
				if !told.MatchString(again) || !says(again) || !strings.Contains(again, "--- FAIL: ") || len(records(t, dir)) != 1 {
					t.Fatalf("want %v and %q in:\n%s", told, test.said, again)
				}
				if a, b := diesIn.FindString(first), diesIn.FindString(again); a != b && !strings.HasPrefix(test.sample, "flight-workers") {
					t.Errorf("it %s, and replayed %s", a, b)
				}
			}
			sample, _, _ := strings.Cut(test.sample, ":")
			mended := fly(t, sample, dir)
			if strings.Count(mended, "the last process") != 1 || !strings.Contains(mended, ": replayed in its own process, the run ended normally\n") ||
				!strings.Contains(mended, "--- PASS: ") || len(records(t, dir)) != 0 {
				t.Errorf("when it is mended, %q are left:\n%s", records(t, dir), mended)
			}
			if last := fly(t, sample, dir); strings.Contains(last, "the last process") {
				t.Errorf("it is told twice:\n%s", last)
			}
		})
	}
}

// If two processes make the same call at the same time, neither takes the other for dead.
// If a healthy process was killed, only the next process prints a line about that, and the
// test passes.
func TestHealthyRunsThatAreKilled(t *testing.T) {
	dir := t.TempDir()
	cmd := start(t, "flight-healthy", dir)
	for begun := false; !begun; time.Sleep(time.Millisecond) {
		if list, _ := filepath.Glob(filepath.Join(dir, "flight", "*.flight")); len(list) == 1 {
			r, err := flight.Read(list[0])
			begun = err == nil && len(r.On) > 0 && r.On[0].Index > 1000
		}
	}
	if out := fly(t, "flight-healthy", dir, "JOSTLE_BUDGET=40"); strings.Contains(out, "the last process") || !strings.Contains(out, "--- PASS") || len(records(t, dir)) != 1 {
		t.Errorf("beside another process, with %q:\n%s", records(t, dir), out)
	}
	cmd.Process.Kill()
	cmd.Wait()
	told := regexp.MustCompile(`the last process died in run \d+ at random, fuzz.Check of TestSample, seed 1: replayed in its own process, the run ended normally\n`)
	if out := fly(t, "flight-healthy", dir, "JOSTLE_BUDGET=40"); !told.MatchString(out) || strings.Count(out, "last process") != 1 ||
		!strings.Contains(out, "--- PASS") || len(records(t, dir)) != 0 {
		t.Errorf("after it was killed, with %q:\n%s", records(t, dir), out)
	}
}

// If a run cannot be replayed within the time limit, it is not reported as passing.
func TestDeathsThatAreNotReached(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fly(t, "flight-slow:exit", dir)
	out := fly(t, "flight-slow", dir)
	if !strings.Contains(out, "could not be replayed: the test did not reach the run within 5s (exit status 0)") || !strings.Contains(out, "--- PASS") || len(records(t, dir)) != 0 {
		t.Errorf("with %q:\n%s", records(t, dir), out)
	}
}

// The command in the failure's text runs only the run that died.
func TestDeathsCanBeMadeAgainByHand(t *testing.T) {
	dir := t.TempDir()
	fly(t, "flight-two:exit", dir)
	path := filepath.Join(dir, "flight", records(t, dir)[0])
	for sample, want := range map[string]string{
		"flight-two:exit": "exit status 3",
		"flight-two":      "--- PASS: TestSample",
		"flight-slow":     "nothing was run: JOSTLE_FLIGHT names a crash record of fuzz.Check in TestSample",
	} {
		if out := fly(t, sample, dir, flight.Variable+"="+path); !strings.Contains(out, want) || len(records(t, dir)) != 1 {
			t.Errorf("%s: no %q in\n%s", sample, want, out)
		}
	}
	for _, wrong := range []string{path + "x", dir, "flight_test.go"} {
		if out := fly(t, "flight-two", dir, flight.Variable+"="+wrong); !strings.Contains(out, "JOSTLE_FLIGHT: ") || !strings.Contains(out, "--- FAIL") {
			t.Errorf("%s is taken for a record:\n%s", wrong, out)
		}
	}
}

// A damaged crash record is removed. If no record can be written, nothing is reported.
func TestRecordsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	fly(t, "flight-random:exit", dir)
	path := filepath.Join(dir, "flight", records(t, dir)[0])
	if err := os.WriteFile(path, []byte("half of a rec"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := fly(t, "flight-random", dir); !strings.Contains(out, "removed 1 crash record of") || !strings.Contains(out, "--- PASS") || len(records(t, dir)) != 0 {
		t.Errorf("with a broken record, %q are left:\n%s", records(t, dir), out)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{filepath.Join(dir, "file"), "off"} {
		fly(t, "flight-random:exit", dir, "JOSTLE_CACHE="+cache)
		out := fly(t, "flight-random", dir, "JOSTLE_CACHE="+cache)
		if strings.Contains(out, "last process") || !strings.Contains(out, "--- PASS") || len(records(t, dir)) != 0 {
			t.Errorf("with records in %s:\n%s", cache, out)
		}
	}
}
