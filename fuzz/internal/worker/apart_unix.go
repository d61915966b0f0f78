//go:build unix

package worker

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// apart has a command's process not get the signals that a terminal sends to the command:
// the command ends it in order.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// surviveBrokenPipe has this process go on when nobody reads what it prints any more.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
