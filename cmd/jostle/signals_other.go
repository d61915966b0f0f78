//go:build !unix

package main

import "os"

// hangup returns no signal: here a terminal that is closed sends another one, or none.
func hangup() []os.Signal { return nil }

// surviveBrokenPipe does nothing: a write to a pipe that nobody reads fails.
func surviveBrokenPipe() {}
