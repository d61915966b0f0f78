//go:build unix

package worker

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// apart starts cmd in a new process group. So Ctrl-C in a terminal reaches only the command jostle,
// which then ends its workers properly.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// surviveBrokenPipe keeps this process alive if it writes to a pipe that nobody reads.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
