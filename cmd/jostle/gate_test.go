package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGate runs the tests of well-known modules, which testdata/gate.txt lists, with 1,000 runs each.
// Those modules are correct as far as their authors know. A failure is thus a false alarm, unless the
// file says which fault of the module it is. The tests of a package run for three minutes at most, and the
// table says how many of them that limit cuts off. The second command is for one module, with -race:
//
//	JOSTLE_GATE=1 go test -run '^TestGate$' -timeout 12h -v ./cmd/jostle
//	JOSTLE_GATE=1 go test -run '^TestGate$/^race$/sync_semaphore$' -v ./cmd/jostle
func TestGate(t *testing.T) {
	onRequest(t, "JOSTLE_GATE")
	for _, kind := range []string{"plain", "race"} {
		t.Run(kind, func(t *testing.T) {
			table := fmt.Sprintf("%-48s %6s %6s %6s %6s %6s %6s\n", "package", "pass", "skip", "not c.", "faults", "cut", "alarms")
			for _, g := range gated(t) {
				t.Run(strings.ReplaceAll(g.name(), "/", "_"), func(t *testing.T) { table += g.run(t, kind == "race") })
			}
			t.Logf("\n%s", table)
		})
	}
}

// A gatedPackage is a package of a module whose tests TestGate runs.
type gatedPackage struct {
	module, version, pkg string            // pkg is a folder of the module, or a package of std
	tests                string            // the pattern for -run
	faults               map[string]string // why a test fails rightly, by name
}

// name returns the path of the package.
func (g *gatedPackage) name() string { return path.Join(strings.TrimPrefix(g.module, "std"), g.pkg) }

// gated reads testdata/gate.txt.
func gated(t *testing.T) (all []gatedPackage) {
	t.Helper()
	text, err := os.ReadFile("testdata/gate.txt")
	if err != nil {
		t.Fatal(err)
	}
	faults := map[string]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == '\t':
			faults[words[0]] = strings.Join(words[1:], " ")
		default:
			faults = map[string]string{}
			tests := "^Test"
			for _, word := range words[2:] {
				if pattern, is := strings.CutPrefix(word, "-run="); is {
					tests = pattern
					continue
				}
				all = append(all, gatedPackage{words[0], words[1], word, tests, faults})
			}
		}
	}
	return all
}

// run runs the tests of a package, and returns a line of the table.
func (g *gatedPackage) run(t *testing.T, race bool) string {
	dir := g.dir(t)
	listed := strings.Fields(goOutput(t, dir, "test", "-list", g.tests, g.pkg))
	listed = slices.DeleteFunc(listed, func(word string) bool { return !strings.HasPrefix(word, "Test") })
	t.Setenv("JOSTLE_OUT", filepath.Join(os.TempDir(), "gate", g.name())) // the cases of alarms stay
	out := jostleTest(t, dir, fmt.Sprintf("-race=%t", race), "-timeout", "3m", "-run", g.tests, g.pkg)
	ended := map[string]testedUnit{}
	for _, r := range results(out, testResult) {
		ended[r.name] = r
	}
	pass, skips, uncontrolled, faults, alarms := 0, 0, 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		r := ended[name]
		switch {
		case strings.Contains(r.said, "not controlled"):
			uncontrolled++ // go test decides then
		case r.end == "SKIP":
			skips++
		case r.end == "PASS":
			pass++
		case g.faults[name] != "":
			faults++
		default:
			alarms++
			t.Errorf("%s fails:\n%.5000s", name, r.said)
		}
	}
	if len(ended) == 0 && len(listed) > 0 {
		t.Errorf("no test has ended:\n%.5000s", out)
	}
	return fmt.Sprintf("%-48s %6d %6d %6d %6d %6d %6d\n", g.name(), pass, skips, uncontrolled, faults, max(0, len(listed)-len(ended)), alarms)
}

// dir returns a folder with the module, which its tests may change.
func (g *gatedPackage) dir(t *testing.T) string {
	work := t.TempDir()
	if g.module == "std" {
		return work
	}
	var m struct{ Dir string }
	if err := json.Unmarshal([]byte(goOutput(t, work, "mod", "download", "-json", g.module+"@"+g.version)), &m); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(work, os.DirFS(m.Dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(work, "go.mod")); err != nil {
		goOutput(t, work, "mod", "init", g.module)
		goOutput(t, work, "mod", "tidy")
	}
	return work
}

// goOutput returns what a go command prints to its standard output.
func goOutput(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return string(out)
}
