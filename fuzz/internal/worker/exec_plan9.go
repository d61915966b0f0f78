package worker

// closeOnExec does nothing, because on Plan 9 child processes inherit only files given to them.
func closeOnExec(int) {}
