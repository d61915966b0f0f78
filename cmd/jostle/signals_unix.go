//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal by which a terminal that is closed ends the command; none under
// nohup, which has it ignored.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}

// surviveBrokenPipe has a write to a pipe that nobody reads fail; else it would end the
// process, which could neither note how far it is nor remove what it has built.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
