//go:build !windows && !plan9

package worker

import "syscall"

// closeOnExec keeps child processes from inheriting a file.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
