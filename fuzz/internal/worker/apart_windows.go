package worker

import (
	"os/exec"
	"syscall"
)

// apart protects the process from the Ctrl-C that a terminal sends to the command, which ends
// the process in order.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// surviveBrokenPipe does nothing: a write to a pipe that nobody reads fails.
func surviveBrokenPipe() {}
