package pulse

// goroutine returns a word that tells the calling goroutine from every other
// that is alive. It is how a system notices that it is used by two at once. Each
// processor that Go builds for has it in a file of its own: the word is in a
// register, or beside the thread's own data, and no Go code can read it.
func goroutine() uintptr
