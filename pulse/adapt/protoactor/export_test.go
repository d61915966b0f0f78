package protoactor

import "io"

// WarnTo redirects all warnings to a writer.
func WarnTo(w io.Writer) (back func()) {
	old := warnings
	warnings = w
	warned.Store(0)
	return func() { warnings = old }
}
