package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKernels counts how many of the bugs in testdata/kernels jostle test finds within
// 1,000 runs. It also counts those that plain go test finds within 1,000 runs or 10
// seconds. It prints a table:
//
//	JOSTLE_NIGHTLY=1 go test -run '^TestKernels$' -v ./cmd/jostle
func TestKernels(t *testing.T) {
	atNight(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/kernels")); err != nil {
		t.Fatal(err)
	}
	mustGo(t, dir, "mod", "init", "kernels")
	table := fmt.Sprintf("%-36s %-8s %s\n", "kernel", "jostle", "go test")
	sums := map[string][3]int{}
	for _, kind := range []struct {
		name string
		race []string
	}{{"Blocking", nil}, {"Nonblocking", []string{"-race"}}, {"Mended", nil}} {
		names, ours := underControl(t, dir, kind.name, kind.race)
		plain := plainly(t, dir, names, kind.race)
		for _, name := range names {
			sum := sums[kind.name]
			sum[0]++
			sum[1] += count(ours[name])
			sum[2] += count(plain[name])
			sums[kind.name] = sum
			table += fmt.Sprintf("%-36s %-8s %s\n", name, found(ours[name]), found(plain[name]))
		}
	}
	for _, kind := range []string{"Blocking", "Nonblocking", "Mended"} {
		table += fmt.Sprintf("%-36s %-8d %d\n", fmt.Sprintf("%s: %d", kind, sums[kind][0]), sums[kind][1], sums[kind][2])
	}
	t.Logf("\n%s", table)
	if b, n, m := sums["Blocking"], sums["Nonblocking"], sums["Mended"]; b[1] < b[0] || n[1] < n[0] || m[1] > 0 || b[0] < 20 || n[0] < 10 || m[0] < 2 {
		t.Error("jostle test misses a bug, or reports a mended one")
	}
}

// atNight skips a test by day.
func atNight(t *testing.T) {
	t.Helper()
	if !nightly() {
		t.Skip("it compiles the standard library, and takes minutes") // Skips: by day
	}
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

// underControl runs the tests of a kind by jostle test, and returns the names of the
// failing tests.
func underControl(t *testing.T, dir, kind string, flags []string) (names []string, failed map[string]bool) {
	t.Helper()
	out := jostleTest(t, dir, append(flags, "-run", "^Test"+kind, ".")...)
	failed = map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\w+)`).FindAllStringSubmatch(out, -1) {
		names, failed[m[2]] = append(names, m[2]), m[1] == "FAIL"
	}
	if len(names) == 0 {
		t.Fatalf("%s", out)
	}
	return names, failed
}

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
		failed[name] = err != nil && !strings.Contains(string(out), "test timed out") || strings.Contains(string(out), "goroutines are left")
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
	link := filepath.Join(t.TempDir(), "jostle") // by this name the test binary is the command: see TestMain
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "JOSTLE_BUDGET=1000", "JOSTLE_SHRINK=0", "JOSTLE_OUT="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestStandardLibrary: the standard library's own tests pass in every order, so that a
// failure under control is a false alarm.
func TestStandardLibrary(t *testing.T) {
	atNight(t)
	out := jostleTest(t, t.TempDir(), "-run", "^Test", "context", "container/list", "container/ring")
	passed := strings.Count(out, "\n--- PASS: ")
	if passed < 50 || strings.Contains(out, "--- FAIL: ") || !strings.Contains(out, "\nok ") {
		t.Errorf("%d tests pass:\n%s", passed, out)
	}
}

// TestUnderControl runs the tests of package goroutine that need a controlled build.
func TestUnderControl(t *testing.T) {
	atNight(t)
	const tests, root = "^(TestEveryOrder|TestPlantedReductions|TestTimersOfOneInstant)$", "../.."
	overlay := strings.TrimSpace(runJostle(t, root, "overlay"))
	cmd := exec.Command("go", "test", "-count=1", "-v", "-vet=off", "-overlay="+overlay, "-run", tests, "./pulse/goroutine")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n--- PASS: ") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}
