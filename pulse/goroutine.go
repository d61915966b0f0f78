package pulse

// goroutine returns a word that identifies the calling goroutine among all live
// ones. With it a system detects use by two goroutines at once. Go code cannot
// read this word, which is in a register or in thread-local storage. So there
// is an assembly file for each processor that Go supports.
func goroutine() uintptr
