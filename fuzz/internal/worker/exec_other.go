//go:build !windows && !plan9

package worker

import "syscall"

// closeOnExec keeps a file from processes that this one starts.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
