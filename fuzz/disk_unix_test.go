//go:build linux || darwin

package fuzz

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill limits the size of each file that this process writes. Writing then fails as on a full disk.
func fill(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}); err != nil {
		t.Fatal(err)
	}
}

// On a full disk a failure is still reported,
// with its case. No partly written file remains.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	out := runSample(t, "full-disk", dir)
	for _, want := range []string{"overdrawn", "the case cannot be saved in DIR/overdraws: ", "file too large: make room or give access there",
		"to save the case yourself, write this to a file *.case in DIR/overdraws", "    jostle case 7\n", "    end\n", "--- FAIL: TestSample "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("there are %q", left)
	}
}
