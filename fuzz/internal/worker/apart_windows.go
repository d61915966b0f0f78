package worker

import (
	"os/exec"
	"syscall"
)

// apart starts cmd in a new process group. So Ctrl-C in a terminal reaches only the command jostle,
// which then ends its workers properly.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// surviveBrokenPipe does nothing, because on Windows a write to a pipe without a reader only
// returns an error.
func surviveBrokenPipe() {}
