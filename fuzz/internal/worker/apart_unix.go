//go:build unix

package worker

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// apart starts cmd in a new process group. So Ctrl-C in a terminal reaches only the command jostle,
// which then ends its workers properly.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Together makes the processes that cmd starts end together with cmd. When the context of cmd is
// done, all of them are interrupted, and killed if they do not end in time. The caller must call over
// after cmd has ended.
//
// If foreground is set, this process is in the foreground of a terminal. Then the processes stay in
// its group: they can read from the terminal, and Ctrl-C and Ctrl-Z reach them. A signal that only
// this process receives reaches only cmd.
func Together(cmd *exec.Cmd, foreground bool) (over func()) {
	if !foreground {
		apart(cmd)
	}
	var late *time.Timer
	cmd.Cancel = func() error {
		whom := cmd.Process.Pid
		if !foreground {
			whom = -whom // the group
		}
		late = time.AfterFunc(stopping, func() { syscall.Kill(whom, syscall.SIGKILL) })
		return syscall.Kill(whom, syscall.SIGINT)
	}
	return func() {
		if late != nil {
			late.Stop()
		}
	}
}

// surviveBrokenPipe keeps this process alive if it writes to a pipe that nobody reads.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
