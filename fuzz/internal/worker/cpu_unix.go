//go:build unix

package worker

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, 0 if unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
