package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// The output of a failing property, and the cases that are saved, are the same whether or not
// the compiler inlines functions. By day, the packages with the properties are compiled
// without inlining. At night they are also compiled with inlining, and all packages without.
func TestInliningDoesNotMatter(t *testing.T) {
	trial.Long(t)
	t.Parallel()
	const path = "testdata/inlining.golden"
	flag := "-gcflags=github.com/jostle-go/jostle/fuzz/testdata/inlining/...=-l"
	if nightly() {
		flag = "-gcflags=all=-l"
	}
	whole, wholeRaw := runInlining(t, flag)
	golden.File(t, path, whole)
	if !strings.HasSuffix(wholeRaw, "/actors.Waiter.func1") {
		t.Errorf("the runtime's name is %s: the literal is inlined, and the test shows nothing", wholeRaw)
	}
	if !nightly() {
		return
	}
	plain, plainRaw := runInlining(t, "-gcflags=")
	golden.File(t, path, plain)
	if plainRaw == wholeRaw {
		t.Errorf("the runtime's names are the same, %s: the test shows nothing", plainRaw)
	}
}

// runInlining runs the tests of testdata/inlining, built with a flag. It
// returns their output, sorted by test name, with the signatures of the saved
// cases. It also returns the runtime's name of one of their function literals.
func runInlining(t *testing.T, flag string) (text, raw string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", flag, "./testdata/inlining")
	cmd.Env = append(os.Environ(), "JOSTLE_OUT="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the broken properties hold:\n%s", out)
	}
	said := timeless(strings.ReplaceAll(string(out), dir, "DIR"))
	said, raw, _ = strings.Cut(said, "--- FAIL: TestRawName")
	tests := strings.Split(said, "    --- FAIL: ")
	slices.Sort(tests)
	failed := len(tests) - 1 // the first part is the output before the first test
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	for _, file := range files {
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, regexp.MustCompile(`(?m)^signature .*\n`).FindString(string(kept)))
	}
	if len(files) != failed || failed == 0 {
		t.Errorf("%d cases of %d failing tests were kept:\n%s", len(files), failed, said)
	}
	_, raw, _ = strings.Cut(raw, "the raw name is ")
	raw, _, _ = strings.Cut(raw, "\n")
	return strings.Join(tests, ""), raw
}
