// Package self is internal to jostle: it identifies the calling goroutine. It imports
// nothing, so its assembly is quickly checked for every processor.
package self

// Goroutine returns a word that identifies the calling goroutine among those alive: the
// address of its descriptor in the runtime. Go code cannot read that address. Labels of
// runtime/pprof do not help, since a goroutine inherits them from its creator.
func Goroutine() uintptr
