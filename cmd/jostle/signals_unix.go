//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal that a closed terminal sends. It returns no signal if nohup makes the
// process ignore that signal.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}

// surviveBrokenPipe makes a write to a broken pipe return an error. By default, it would end the
// process before the process saves its state and removes its temporary files.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
