//go:build !unix

package main

import "os"

// hangup returns no signals, because on this system a closed terminal sends no SIGHUP.
func hangup() []os.Signal { return nil }

// surviveBrokenPipe does nothing, because on this system a write to a broken pipe only returns an
// error.
func surviveBrokenPipe() {}
