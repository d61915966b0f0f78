package fuzz

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The example of the README is a package of its own, since its test fails.
// That the README shows the same lines is a rule of the house.
func TestReadmeExample(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("go", "test", "-short", "-run", "^Test", "./testdata/readme")
	cmd.Env = append(os.Environ(), "JOSTLE_OUT="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("the example passes: %s", out)
	}
	text := strings.ReplaceAll(string(out), dir, "testdata/jostle")
	text = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, "TIME")
	compare(t, "readme", text)
}
