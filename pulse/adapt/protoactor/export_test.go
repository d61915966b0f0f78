package protoactor

import "io"

// WarnTo has warnings written elsewhere, all that may come.
func WarnTo(w io.Writer) (back func()) {
	old := warnings
	warnings = w
	warned.Store(0)
	return func() { warnings = old }
}
