// Package self is an inner part of jostle: it tells which goroutine calls. It imports
// nothing, so that its assembly is checked for every processor in no time.
package self

// Goroutine returns a word that tells the calling goroutine from every other that is
// alive: the address of what the runtime knows of it. No Go code can read it. Labels of
// runtime/pprof do not help, since a goroutine inherits them from the one that starts it.
func Goroutine() uintptr
