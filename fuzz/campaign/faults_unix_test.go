//go:build linux || darwin

package campaign_test

import (
	"os/signal"
	"syscall"
	"testing"
)

// fill makes this process write no file of more than some bytes, as on a full disk.
func fill(t *testing.T, full bool) {
	if !full {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}); err != nil {
		t.Fatal(err)
	}
}

// alive reports whether there is a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
