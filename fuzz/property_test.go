package fuzz

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// overdraws fails in one of its two orders.
func overdraws(t *props.T) {
	balance := 0
	sys := t.System()
	trial.Crowd(sys, 2, func(word string) {
		if word == "b" && balance == 0 {
			t.Fatalf("overdrawn")
		}
		balance++
	})
	sys.Run()
}

// If a property gives hints, every random search of it includes a guided search.
// Hints used to have no effect unless the user chose the strategy guided.
func TestHintsGuide(t *testing.T) {
	Config{Runs: 4096}.MustFind(t, trial.Locked)
	if out := runSample(t, "hinted", t.TempDir()); !strings.Contains(out, "--- FAIL: TestSample") || !strings.Contains(out, ": open\n") {
		t.Errorf("Check does not find it:\n%s", out)
	}
}

// misused forgets to run its system.
func misused(t *props.T) { t.System().Spawn("idle", pulse.Func(func(*pulse.Ctx, any) {})) }

// verbSamples search one declared property by each verb. The sample "two" searches two properties.
var verbSamples = map[string]func(*testing.T){
	"one-check":   func(t *testing.T) { Check(t, overdraws) },
	"one-explore": func(t *testing.T) { Explore(t, overdraws) },
	"one-misused": func(t *testing.T) { Config{Runs: 10}.Check(t, misused) },
	"two": func(t *testing.T) {
		Config{Runs: 100}.Check(t, overdraws)
		Config{Runs: 100}.Check(t, trial.Quarrel)
	},
	"literals": func(t *testing.T) {
		first := func(word string) func(*props.T) {
			return func(t *props.T) {
				said := ""
				sys := t.System()
				trial.Crowd(sys, 2, func(word string) { said += word })
				sys.Run()
				if strings.HasPrefix(said, word) {
					t.Errorf("%s came first", word)
				}
			}
		}
		Config{Runs: 100}.Check(t, first("a"))
		Config{Runs: 100}.Check(t, first("b"))
	},
	"quarrel": func(t *testing.T) { Config{Runs: 100}.Check(t, trial.Quarrel) },

	"shared-6":         func(t *testing.T) { Check(t, appended(6)) },
	"shared-8":         func(t *testing.T) { Config{Budget: 10 * time.Second}.Check(t, appended(8)) },
	"hinted":           func(t *testing.T) { Config{Runs: 4096}.Check(t, trial.Locked) },
	"outlived-check":   func(t *testing.T) { Check(t, outlived()) },
	"outlived-explore": func(t *testing.T) { Explore(t, outlived()) },
	"elsewhere": func(t *testing.T) {
		t.Chdir(t.TempDir())
		Config{Runs: 100}.Check(t, overdraws)
	},
	"table": func(t *testing.T) {
		for _, word := range []string{"a", "b"} {
			t.Run(word, func(t *testing.T) {
				Config{Runs: 100}.Check(t, func(t *props.T) {
					first := ""
					sys := t.System()
					trial.Crowd(sys, 2, func(word string) { first += word })
					sys.Run()
					if strings.HasPrefix(first, word) {
						t.Errorf("%s came first", word)
					}
				})
			})
		}
	},
}

// cases lists the files that a process of runSample has saved, relative to its folder.
func cases(t *testing.T, dir string) (list []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		folder, _ := filepath.Rel(dir, filepath.Dir(path))
		list = append(list, folder)
	}
	return list
}

// A case that one verb saves is run first by every verb: a property has one corpus.
func TestOnePropertyOneCorpus(t *testing.T) {
	verbs := []string{"one-check", "one-explore", "fuzz-overdraws"}
	for _, finder := range verbs {
		dir := t.TempDir()
		out := runSample(t, finder, dir)
		if !strings.Contains(out, "overdrawn") || !strings.Contains(out, "saved: DIR/overdraws/") {
			t.Errorf("%s finds nothing, or does not keep it:\n%s", finder, out)
		}
		for _, verb := range verbs {
			if again := runSample(t, verb, dir); !strings.Contains(again, "(as saved)") {
				t.Errorf("%s does not run first what %s has found:\n%s", verb, finder, again)
			}
		}
		if list := cases(t, dir); len(list) != 1 {
			t.Errorf("%s and all that ran after it kept %q, want one case", finder, list)
		}
	}
}

// Two properties of one test have a folder each, and so have the
// subtests of a table. A misuse of the library is not saved as a case.
func TestFoldersOfCases(t *testing.T) {
	for sample, want := range map[string]string{
		"two":         "overdraws trial.Quarrel trial.Quarrel", // one more failure of trial.Quarrel was met during shrinking
		"table":       "TestSample.a TestSample.b",
		"literals":    "TestSample TestSample",
		"one-misused": "",
	} {
		dir := t.TempDir()
		out := runSample(t, sample, dir)
		if got := strings.Join(cases(t, dir), " "); got != want || !strings.Contains(out, "--- FAIL") {
			t.Errorf("%s keeps cases in %q, want %q:\n%s", sample, got, want, out)
		}
	}
}

// Two function literals of one test share a folder. If one of them
// passes a case of the other, the user is not told to delete the case.
func TestLiteralsOfOneTest(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "literals", dir)
	out := runSample(t, "literals", dir)
	if n := strings.Count(out, ".case (as saved), TIME"); n != 2 {
		t.Errorf("%d of 2 cases fail as saved:\n%s", n, out)
	}
	if !strings.Contains(out, "if no other function literal of the test has failed so") {
		t.Errorf("a live case is said to be of no use:\n%s", out)
	}
}

// A property that does not own the case of JOSTLE_REPLAY runs nothing and
// passes; it used to fail. The test fails if no property owns the case.
func TestReplayIsForTheOwner(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "two", dir)
	found, _ := filepath.Glob(filepath.Join(dir, "overdraws", "*.case"))
	for _, name := range []string{found[0], filepath.Base(found[0]), strings.TrimSuffix(filepath.Base(found[0]), ".case")} {
		out := runSample(t, "two", dir, "JOSTLE_REPLAY="+name)
		if !strings.Contains(out, "(as saved)") || !strings.Contains(out, "of JOSTLE_REPLAY does not belong to trial/Quarrel") || strings.Contains(out, "there is no case") {
			t.Errorf("JOSTLE_REPLAY=%s:\n%s", name, out)
		}
		if out := runSample(t, "quarrel", dir, "JOSTLE_REPLAY="+name); !strings.Contains(out, "--- PASS: TestSample ") {
			t.Errorf("JOSTLE_REPLAY=%s, by another property:\n%s", name, out)
		}
	}
	if out := runSample(t, "two", dir, "JOSTLE_REPLAY=nobody"); !strings.Contains(out, `there is no case "nobody"`) {
		t.Errorf("a case that there is not:\n%s", out)
	}
}

// A test changes to a temporary folder. Its cases are still saved in the
// folder of its package, and the replay command in its output finds them.
func TestCasesStayInThePackage(t *testing.T) {
	dir, err := os.MkdirTemp("testdata", "elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	whole, _ := filepath.Abs(dir)
	out := runSample(t, "elsewhere", dir)
	if list := cases(t, whole); len(list) != 1 {
		t.Fatalf("kept %q:\n%s", list, out)
	}
	for _, want := range []string{"again: JOSTLE_OUT='DIR' go test -run '^TestSample$' ./fuzz\n", "saved: DIR/overdraws/"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if out := runSample(t, "elsewhere", dir); !strings.Contains(out, "(as saved)") {
		t.Errorf("the case is not found again:\n%s", out)
	}
	if got := shown(filepath.Join(packageFolder, "a", "b")); got != filepath.Join("a", "b") {
		t.Errorf("below the package: %s", got)
	}
	if other := t.TempDir(); shown(other) != other {
		t.Errorf("not below the package: %s", shown(other))
	}
}

// If a case cannot be saved, the test reports the finding and prints the whole
// case for the user to paste. Previously only the failure's text was printed.
func TestUnsavedCasesArePrinted(t *testing.T) {
	full := t.TempDir() // where no folder can be made, not even by root
	if err := os.Symlink("nowhere", filepath.Join(full, "overdraws")); err != nil {
		t.Fatal(err)
	}
	for _, sample := range []string{"one-check", "fuzz-overdraws"} {
		out := runSample(t, sample, full)
		for _, want := range []string{"overdrawn", "the case cannot be saved in ", "to save the case yourself, write this to a file *.case in DIR/overdraws", "jostle case 7"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in:\n%s", sample, want, out)
			}
		}
		dir := t.TempDir()
		folder := filepath.Join(dir, "overdraws")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(out, "to save the case yourself")
		text = text[max(0, strings.Index(text, "    jostle case")):]
		text, _, _ = strings.Cut(text, " end\n")
		text += " end\n"
		if err := os.WriteFile(filepath.Join(folder, "pasted.case"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out := runSample(t, "one-check", dir); !strings.Contains(out, "saved case pasted.case (as saved)") {
			t.Errorf("%s: what was pasted is not run:\n%s\n%s", sample, text, out)
		}
	}
}

// Cases saved by version 1, in a folder named after the test, run first too.
func TestCasesOfVersionOneRun(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "one-check", dir)
	found, _ := filepath.Glob(filepath.Join(dir, "overdraws", "*.case"))
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(strings.Replace(withoutLater(string(text)), "jostle case 6", "jostle case 1", 1), "property \"overdraws\"\n", "", 1)
	if err := os.MkdirAll(filepath.Join(dir, "TestSample"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "TestSample", "old.case"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Remove(found[0])
	if out := runSample(t, "one-check", dir); !strings.Contains(out, "saved case old.case (as saved)") {
		t.Errorf("a case of version 1 is not run:\n%s", out)
	}
}

// A verb refuses settings of other verbs, meaningless values and a
// nil property. Meaningless values used to be replaced silently.
func TestRefusedCalls(t *testing.T) {
	for sample, want := range map[string]string{
		"refused-strategies": "fuzz.Config.Strategies is set for Explore, but is only for Check and MustFind",
		"refused-method":     "fuzz.Config.KeepOn is set for Check, but is only for Explore",
		"refused-runs":       "fuzz.Config.Runs is -1: set it to a number of at least 1, or to zero for no limit but Budget",
		"refused-budget":     "fuzz.Config.Budget is -TIME: set it to a time such as TIME, or to zero for no limit but Runs",
		"refused-workers":    "fuzz.Config.Workers is -3: set it to a number of at least 1, or to zero for one",
		"refused-inputs":     "fuzz.Config.Inputs is -1: set it to a number of at least 1, or to zero for 10",
		"refused-none":       "fuzz.Config.Strategies is empty, so nothing would run: name some of ",
		"refused-depth":      "explore: Depth is -1: use a number of at least 1, or zero for all steps",
		"refused-nil":        "fuzz.Check: the property is nil: give it a func(*props.T)",
	} {
		if out := runSample(t, sample, t.TempDir()); !strings.Contains(out, want) {
			t.Errorf("%s: %s", sample, out)
		}
	}
}

var refusedSamples = map[string]func(*testing.T){
	"refused-strategies": func(t *testing.T) { Config{Strategies: []string{"random"}}.Explore(t, skips) },
	"refused-method":     func(t *testing.T) { Config{KeepOn: true}.Check(t, skips) },
	"refused-runs":       func(t *testing.T) { Config{Runs: -1}.Check(t, skips) },
	"refused-budget":     func(t *testing.T) { Config{Budget: -time.Second}.Check(t, skips) },
	"refused-workers":    func(t *testing.T) { Config{Workers: -3}.Check(t, skips) },
	"refused-inputs":     func(t *testing.T) { Config{Inputs: -1}.Explore(t, skips) },
	"refused-none":       func(t *testing.T) { Config{Strategies: []string{}}.Check(t, skips) },
	"refused-depth":      func(t *testing.T) { Config{Method: explore.Method{Depth: -1}}.Explore(t, overdraws) },
	"refused-nil":        func(t *testing.T) { Check(t, nil) },
}
