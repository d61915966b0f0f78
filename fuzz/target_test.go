package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// FuzzSubject is a target of go test -fuzz. It fuzzes the
// broken form of the subject that JOSTLE_SAMPLE names. By
// default it fuzzes the mended writer, which must never fail.
func FuzzSubject(f *testing.F) {
	if property := targetSamples[os.Getenv("JOSTLE_SAMPLE")]; property != nil {
		Target(f, property)
		return
	}
	if name := os.Getenv("JOSTLE_SAMPLE"); strings.HasPrefix(name, "fuzz-") {
		Target(f, subjectNamed(strings.TrimPrefix(name, "fuzz-")).Property(false))
		return
	}
	Target(f, subjectNamed("writer").Property(true))
}

// targetSamples are properties that FuzzSubject runs in a separate process.
var targetSamples = map[string]func(*props.T){
	"fuzz-overdraws": overdraws,
	"fuzz-missed":    missesSome,
	"fuzz-skipped":   skips,
	"fuzz-rare":      rarely,
	"fuzz-hidden":    hidden,
	"fuzz-calm":      calm,
}

// calmSamples run the property calm by Check.
var calmSamples = map[string]func(*testing.T){
	"calm": func(t *testing.T) { Config{Runs: 10}.Check(t, calm) },
}

// calm sends two messages to one actor. They have one order.
func calm(t *props.T) {
	sys := t.System()
	a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
	sys.Send(a, 1)
	sys.Send(a, 2)
	sys.Run()
}

// hidden has one to nine guests, who arrive in any order. It fails
// if the fifth guest arrives first, then the fourth, then the third.
func hidden(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 9), "guests")
	props.Draw(t, rapid.SliceOfN(rapid.Byte(), 0, 6), "gifts")
	sys := t.System()
	var came []int
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { came = append(came, msg.(int)) }))
	for i := range n {
		door := sys.Spawn("door", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) }))
		sys.Send(door, i+1)
	}
	sys.Run()
	if n >= 5 && slices.Equal(came[:3], []int{5, 4, 3}) {
		t.Error("they came in reverse")
	}
}

// rarely reaches its situation in one of 64 runs. The inputs
// with which the engine begins are too few to reach it reliably.
func rarely(t *props.T) {
	n := props.Draw(t, rapid.Uint64(), "n")
	t.System().Run()
	t.Sometimes("rare", n%64 == 17)
}

// When Go's engine has ended, its finding is shrunk. This concerns the
// saved case and the engine's own input file, whose name the engine
// has printed. With either file, a plain go test shows the shrunk run.
func TestFoundInputsAreShrunk(t *testing.T) {
	trial.Long(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(exe, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "JOSTLE_SAMPLE=fuzz-hidden", "JOSTLE_OUT=", "JOSTLE_CACHE=off")
		out, _ := cmd.CombinedOutput()
		return timeless(string(out))
	}
	only := func(parts ...string) string {
		t.Helper()
		found, _ := filepath.Glob(filepath.Join(append([]string{dir}, parts...)...))
		if len(found) != 1 {
			t.Fatalf("there are %q", found)
		}
		return found[0]
	}
	const explained = "fails in 2 of 120 orders: exactly where "
	out := run("-test.run=^$", "-test.fuzz=^FuzzSubject$", "-test.fuzzcachedir="+t.TempDir(), "-test.fuzztime=100000x", "-test.fuzzminimizetime=50x", "-test.parallel=1")
	input := only("testdata", "fuzz", "FuzzSubject", "*")
	for _, want := range []string{explained, "found by go test -fuzz as .*10 (steps|in|steps, shrunk in) TIME", "drew guests = 5",
		"Failing input written to testdata/fuzz/FuzzSubject/" + filepath.Base(input),
		"shrunk: testdata/fuzz/FuzzSubject/" + filepath.Base(input) + ", from [0-9]+ steps to 10\n|bytes, 10 steps"} { // the second alternative is printed if the engine itself has minimized the input
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	cases, problems := corpus.FolderOf(filepath.Join(dir, "testdata", "jostle"), "hidden").Load()
	if len(cases) != 1 || problems != nil || len(cases[0].Record.Deliveries) != 10 || cases[0].Condition == "" {
		t.Fatalf("there are %+v, %v", cases, problems)
	}
	if out := run("-test.run=^FuzzSubject$"); !strings.Contains(out, explained) || !strings.Contains(out, "(as saved), TIME, 10 steps, ") {
		t.Errorf("run again:\n%s", out)
	}
	if err := os.Remove(cases[0].Path); err != nil {
		t.Fatal(err)
	}
	if out := run("-test.run=^FuzzSubject$/" + filepath.Base(input)); !strings.Contains(out, explained) || !regexp.MustCompile("bytes[;,] 10 steps, ").MatchString(out) {
		t.Errorf("by the engine's input:\n%s", out)
	}
}

// Under plain go test a target reports situations that its runs never reached.
// It also reports if all runs were skipped. Both used to pass silently.
func TestTargetJudgesAtTheEnd(t *testing.T) {
	for sample, want := range map[string]string{
		"fuzz-missed":  `sometimes "it rains": reached in none of 1,008 runs: the test covers less than it seems to`,
		"fuzz-skipped": "all of 1,008 runs were skipped: nothing was tested (not today)",
		"fuzz-rare":    "--- PASS: FuzzSubject",
	} {
		if out := runSample(t, sample, t.TempDir()); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s\nwant %s", sample, out, want)
		}
	}
}
