package fuzz

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
)

// The example of the README is a package of its own, since its test fails.
// That the README shows the same lines is a rule of the house.
func TestReadmeExample(t *testing.T) {
	text, err := runReadme(t, "-run", "^Test")
	if err == nil {
		t.Errorf("the example passes: %s", text)
	}
	golden.File(t, "testdata/readme.golden", text)
	text, err = runReadme(t, "-run", "^TestInEveryOrder$", "-v")
	if err != nil {
		t.Errorf("the mended example fails: %s", text)
	}
	golden.File(t, "testdata/readme-explore.golden", text)
}

// runReadme runs tests of the example and returns what they print, without
// what differs from run to run.
func runReadme(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"test", "-short", "-count=1"}, args...)
	cmd := exec.Command("go", append(args, "./testdata/readme")...)
	cmd.Env = append(os.Environ(), "JOSTLE_OUT="+dir)
	out, err := cmd.CombinedOutput()
	text := strings.ReplaceAll(string(out), dir, "testdata/jostle")
	return regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, "TIME"), err
}
