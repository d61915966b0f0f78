//go:build unix

package worker

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// apart protects the process from the signals that a terminal sends to the command, which ends
// the process in order.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// surviveBrokenPipe keeps this process alive when nobody reads its output.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
