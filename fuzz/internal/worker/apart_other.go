//go:build !unix && !windows

package worker

import "os/exec"

// apart does nothing, so a terminal sends its signals to the worker too.
func apart(*exec.Cmd) {}

// surviveBrokenPipe does nothing, because this system has no SIGPIPE.
func surviveBrokenPipe() {}
