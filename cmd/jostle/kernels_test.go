package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// seeds is the number of seeds with which TestKernels searches for each bug.
const seeds = 10

// TestKernels counts how many of the bugs in testdata/kernels jostle test finds within
// 1,000 runs with each of 10 seeds. It also counts those that plain go test finds within
// 1,000 runs or 10 seconds. It prints a table:
//
//	JOSTLE_NIGHTLY=1 go test -run '^TestKernels$' -v ./cmd/jostle
func TestKernels(t *testing.T) {
	dir := kernels(t)
	table := fmt.Sprintf("%-36s %-8s %s\n", "kernel", "jostle", "go test")
	sums := map[string][3]int{}
	for _, kind := range []struct {
		name string
		race []string
	}{{"Blocking", nil}, {"Nonblocking", []string{"-race"}}, {"Mended", nil}} {
		names, ours := underControl(t, dir, testResult, append(kind.race, "-run", "^Test"+kind.name, ".")...)
		plain := plainly(t, dir, names, kind.race)
		for _, name := range names {
			sum := sums[kind.name]
			sum[0]++
			sum[1] += ours[name]
			sum[2] += count(plain[name])
			sums[kind.name] = sum
			table += fmt.Sprintf("%-36s %2d of %d %s\n", name, ours[name], seeds, found(plain[name]))
		}
	}
	for _, kind := range []string{"Blocking", "Nonblocking", "Mended"} {
		table += fmt.Sprintf("%-36s %-8d %d\n", fmt.Sprintf("%s: %d", kind, sums[kind][0]), sums[kind][1], sums[kind][2])
	}
	t.Logf("\n%s", table)
	if b, n, m := sums["Blocking"], sums["Nonblocking"], sums["Mended"]; b[1] < seeds*b[0] || n[1] < seeds*n[0] || m[1] > 0 || b[0] < 20 || n[0] < 10 || m[0] < 2 {
		t.Error("jostle test misses a bug, or reports a mended one")
	}
}

// needs says what the tests that run only on request need. None can run by day:
//   - JOSTLE_NIGHTLY: each compiles the standard library with the overlay, and then searches for minutes.
//   - JOSTLE_PUBLISHED: they download the modules whose bugs they find.
//   - JOSTLE_GATE: it downloads some thirty modules, and runs their tests for hours.
//   - JOSTLE_GOKER: it names a checkout of GoBench, which has no license, so it is not in this repository.
var needs = map[string]string{
	"JOSTLE_NIGHTLY":   "it compiles the standard library, and takes minutes",
	"JOSTLE_PUBLISHED": "it downloads modules, and takes minutes",
	"JOSTLE_GATE":      "it downloads modules, and takes hours",
	"JOSTLE_GOKER":     "it needs a checkout of GoBench, and takes an hour",
}

// onRequest returns the value of a variable of needs. It skips the test if the variable is not set.
func onRequest(t *testing.T, variable string) (value string) {
	t.Helper()
	if value = os.Getenv(variable); value == "" {
		t.Skipf("the variable %s is not set: %s", variable, needs[variable]) // Skips: see needs
	}
	return value
}

func found(yes bool) string {
	if yes {
		return "found"
	}
	return "-"
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// kernels returns a module with the programs of testdata/kernels. By day it skips the test.
func kernels(t *testing.T) (dir string) {
	t.Helper()
	onRequest(t, "JOSTLE_NIGHTLY")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/kernels")); err != nil {
		t.Fatal(err)
	}
	mustGo(t, dir, "mod", "init", "kernels")
	return dir
}

// testResult matches a line that says how a test has ended. The groups are the end and the name.
var testResult = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\w+)`)

// underControl runs tests by jostle test, and returns the names that result matches in the output and
// with how many seeds each fails. A test that is not controlled does not fail, unless it fails in
// every order and without control too.
func underControl(t *testing.T, dir string, result *regexp.Regexp, args ...string) (names []string, failed map[string]int) {
	t.Helper()
	failed = map[string]int{}
	for seed := range seeds {
		t.Setenv("JOSTLE_SEED", fmt.Sprint(seed+1))
		out := jostleTest(t, dir, args...)
		names = nil
		for _, r := range results(out, result) {
			names = append(names, r.name)
			failed[r.name] += count(r.end == "FAIL" && !r.doubtful)
			if r.doubtful || r.end != "FAIL" {
				t.Logf("seed %d: %s: %.500s", seed+1, r.name, r.said)
			}
		}
		if len(names) == 0 {
			t.Fatalf("%s", out)
		}
	}
	return names, failed
}

// A testedUnit is a test or a package whose end jostle test has printed.
type testedUnit struct {
	name     string
	end      string // PASS, ok, FAIL or SKIP
	said     string // what is printed before its end
	doubtful bool   // it is not controlled, and does not fail in every order
}

// results returns what result matches in the output of jostle test. Its groups are the end and the name.
func results(out string, result *regexp.Regexp) []testedUnit {
	var all []testedUnit
	last := 0
	for _, m := range result.FindAllStringSubmatchIndex(out, -1) {
		said := out[last:m[0]]
		all = append(all, testedUnit{out[m[4]:m[5]], out[m[2]:m[3]], said,
			strings.Contains(said, "not controlled") && !strings.Contains(said, "it fails in every order under control")})
		last = m[1]
	}
	return all
}

// hangs matches what is printed if the last of many runs of a test takes most of the time.
var hangs = regexp.MustCompile(`running tests:\n\t+\w+ \(([5-9]|10)s\)`)

// plainly runs tests by go test, up to 1,000 times each, and returns the names of the
// failing tests.
func plainly(t *testing.T, dir string, names, flags []string) map[string]bool {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "kernels.test")
	mustGo(t, dir, append(append([]string{"test", "-c", "-vet=off"}, flags...), "-o", binary, ".")...)
	failed := map[string]bool{}
	for _, name := range names {
		cmd := exec.Command(binary, "-test.run", "^"+name+"$", "-test.count=1000", "-test.failfast", "-test.timeout=10s")
		out, err := cmd.CombinedOutput()
		failed[name] = err != nil && !strings.Contains(string(out), "test timed out") || strings.Contains(string(out), "goroutines are left") || hangs.Match(out)
	}
	return failed
}

// mustGo runs a go command in a folder.
func mustGo(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// jostleTest runs jostle test -v in a folder, with 1,000 runs of each test, and returns
// what it prints.
func jostleTest(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return runJostle(t, dir, append([]string{"test", "-v"}, args...)...)
}

// runJostle runs the command in a folder, with 1,000 runs of each test, and returns what it
// prints.
func runJostle(t *testing.T, dir string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "jostle") // run by this name, the test binary acts as the command: see TestMain
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "JOSTLE_BUDGET=1000", "JOSTLE_SHRINK=0", "JOSTLE_OUT="+cmp.Or(os.Getenv("JOSTLE_OUT"), t.TempDir()))
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestReplays: a failing run of a program in testdata/kernels replays with the same trace 1,002 times
// in one process, and in 334 new processes. A build with the race detector replays it with that trace
// too, and so does a build for arm64, 102 times and in 34 new processes, if QEMU can run it.
func TestReplays(t *testing.T) {
	dir := kernels(t)
	same := regexp.MustCompile(`(?m)\.case \(as saved\), .*, replayed 2 of 2, and in a new process$`) // a match stands for three replays in one process and one in a new process
	builds := []struct {
		goarch string
		flags  []string
		want   int
	}{
		{runtime.GOARCH, []string{"-count=1"}, 0}, // finds it
		{runtime.GOARCH, []string{"-count=334"}, 334},
		{runtime.GOARCH, []string{"-race"}, 1},
		{"arm64", []string{"-exec=qemu-aarch64", "-count=34"}, 34},
	}
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		t.Log("not tried on arm64: ", err)
		builds = builds[:3]
	}
	for _, name := range []string{"BlockingGrpc1353", "BlockingKubernetes5316", "BlockingMoby28462", "BlockingMoby30408", "BlockingMoby33293", "NonblockingGrpc1687"} {
		t.Setenv("JOSTLE_OUT", t.TempDir())
		for _, b := range builds {
			t.Setenv("GOARCH", b.goarch)
			out := jostleTest(t, dir, append(b.flags, "-run", "^Test"+name+"$", ".")...)
			if n := len(same.FindAllString(out, -1)); n != b.want || !strings.Contains(out, "\n--- FAIL: Test"+name) {
				t.Errorf("%s %s %v: %d replays are the same:\n%.5000s", name, b.goarch, b.flags, n, out)
			}
		}
	}
}

// TestStandardLibrary: the standard library's own tests pass in every order, so that a
// failure under control is a false alarm.
func TestStandardLibrary(t *testing.T) {
	onRequest(t, "JOSTLE_NIGHTLY")
	out := jostleTest(t, t.TempDir(), "-run", "^Test", "context", "container/list", "container/ring")
	passed := strings.Count(out, "\n--- PASS: ")
	if passed < 50 || strings.Contains(out, "--- FAIL: ") || !strings.Contains(out, "\nok ") {
		t.Errorf("%d tests pass:\n%s", passed, out)
	}
}

// TestUnderControl runs the tests of package goroutine that need a controlled build.
func TestUnderControl(t *testing.T) {
	onRequest(t, "JOSTLE_NIGHTLY")
	const tests, root = "^(TestEveryOrder|TestPlantedReductions|TestTimersOfOneInstant|TestEnds|TestPools)$", "../.."
	overlay := strings.TrimSpace(runJostle(t, root, "overlay"))
	cmd := exec.Command("go", "test", "-count=1", "-v", "-vet=off", "-overlay="+overlay, "-run", tests, "./pulse/goroutine")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n--- PASS: ") != 5 {
		t.Errorf("%v\n%s", err, out)
	}
}
