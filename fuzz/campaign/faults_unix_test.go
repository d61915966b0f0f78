//go:build linux || darwin

package campaign_test

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill makes this process write no file of more than some bytes, as on a full disk.
func fill() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100})
}

// alive reports whether there is a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestFullDisk: on a full disk failures are told of all the same, with their cases, and
// no part of a file is left.
func TestFullDisk(t *testing.T) {
	dir, there := t.TempDir(), t.TempDir()
	text, err := process(dir, there, isFull+"=1").CombinedOutput()
	out := string(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"the case cannot be saved in ", "make room or give access there", "jostle case ", "\nend\n", "FOUND twoBugs: "} {
		if strings.Count(out, want) < 1 {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if got := loads(t, filepath.Join(dir, "cases")); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cases", "*", "*")); len(left) > 0 {
		t.Errorf("there are %q", left)
	}
}
