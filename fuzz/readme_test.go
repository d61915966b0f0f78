package fuzz

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// The README's example with the mended account, in a package of its own,
// gives the output shown there. TestFirstMinute runs the broken account.
func TestReadmeExample(t *testing.T) {
	trial.Long(t)
	text, err := runReadme(t, "-run", "^(TestAllDrawnOut|TestInEveryOrder|FuzzAllDrawnOut)$", "-v")
	if err != nil {
		t.Errorf("the mended example fails: %s", text)
	}
	text = regexp.MustCompile(`\d+ runs in .*`).ReplaceAllString(text, "RUNS")
	// Whether Check runs all orders without a reduction, and how many at random, depends on time.
	text = strings.ReplaceAll(text, "complete if actors share nothing but messages:", "complete:")
	text = regexp.MustCompile(`, and [\d,]+ more`).ReplaceAllString(text, ", and MORE")
	golden.File(t, "testdata/bank.golden", text)
}

// runReadme runs tests of the example and returns what they print, without
// what differs from run to run.
func runReadme(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"test", "-short", "-count=1"}, args...)
	cmd := exec.Command("go", append(args, "./testdata/bank")...)
	cmd.Env = append(os.Environ(), "JOSTLE_OUT="+dir)
	out, err := cmd.CombinedOutput()
	text := strings.ReplaceAll(string(out), dir, "testdata/jostle")
	return regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, "TIME"), err
}
