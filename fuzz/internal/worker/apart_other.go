//go:build !unix && !windows

package worker

import "os/exec"

// apart does nothing on this system. Therefore Ctrl-C in a terminal also reaches the worker.
func apart(*exec.Cmd) {}

// Together does nothing on this system. Therefore only cmd itself is killed when its context is done.
func Together(*exec.Cmd, bool) (over func()) { return func() {} }

// surviveBrokenPipe does nothing, because this system has no SIGPIPE.
func surviveBrokenPipe() {}
