//go:build !unix && !windows

package worker

import "os/exec"

// apart does nothing: the process shares the terminal of the command.
func apart(*exec.Cmd) {}

// surviveBrokenPipe does nothing.
func surviveBrokenPipe() {}
