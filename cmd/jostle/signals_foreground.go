//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"syscall"
	"unsafe"
)

// inForeground reports whether the process is in the foreground of a terminal. The system stops
// a background process that changes the mode of its terminal or reads from it.
func inForeground(fd int) bool {
	var group int32
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return failed != 0 || int(group) == syscall.Getpgrp()
}
