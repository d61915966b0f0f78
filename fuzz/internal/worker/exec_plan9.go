package worker

// closeOnExec does nothing: child processes inherit only what they are given.
func closeOnExec(int) {}
