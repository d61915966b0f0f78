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

// Together does nothing on this system. Therefore only cmd itself is killed when its context is done.
func Together(*exec.Cmd, bool) (over func()) { return func() {} }

// surviveBrokenPipe does nothing, because on Windows a write to a pipe without a reader only
// returns an error.
func surviveBrokenPipe() {}
