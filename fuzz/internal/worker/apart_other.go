//go:build !unix && !windows

package worker

import "os/exec"

// apart does nothing: here a process has the terminal of its command.
func apart(*exec.Cmd) {}

// surviveBrokenPipe does nothing.
func surviveBrokenPipe() {}
