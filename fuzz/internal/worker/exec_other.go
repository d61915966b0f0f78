//go:build !windows && !plan9

package worker

import "syscall"

// closeOnExec prevents child processes from inheriting the file fd.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
