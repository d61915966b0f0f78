//go:build !unix

package main

import "os"

// hangup returns no signals: on these systems a closed terminal sends another one, or
// none.
func hangup() []os.Signal { return nil }

// surviveBrokenPipe does nothing: a write to a broken pipe already fails.
func surviveBrokenPipe() {}
