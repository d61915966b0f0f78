//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal that a closed terminal sends. It returns none under nohup,
// which ignores it.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}

// surviveBrokenPipe makes a write to a broken pipe fail. By default it would end the
// process before it saves its state and removes its temporary files.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
