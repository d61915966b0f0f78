//go:build !unix && !windows

package worker

import "os/exec"

// apart does nothing on this system. Therefore Ctrl-C in a terminal also reaches the worker.
func apart(*exec.Cmd) {}

// surviveBrokenPipe does nothing, because this system has no SIGPIPE.
func surviveBrokenPipe() {}
