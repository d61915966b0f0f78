package pulse

import "sync/atomic"

// failing records the failure of a run.
//
// Invariant: once the field failure is set, it stays the same until reset,
// unless settle replaces it.
type failing struct {
	failure   *Failure
	panicked  *Failure                // the panic of the last step, until supervisors have been asked
	intruder  atomic.Pointer[Failure] // the failure of a call from another goroutine, or of a panic of a process that is being ended
	exit      bool                    // set if a step has called runtime.Goexit
	exitWhere string                  // the step that called runtime.Goexit
}

// reset clears the failure of the last run. f.intruder is the failure of a call
// from another goroutine. If the last run passed, reset keeps f.intruder, so
// that the next run fails with it. If the last run failed, reset drops
// f.intruder, because the failure of that run may be its cause.
func (f *failing) reset() {
	if f.failure != nil && f.intruder.Load() != nil { // load before storing, because an atomic store is expensive
		f.intruder.Store(nil)
	}
	f.failure, f.panicked, f.exit, f.exitWhere = nil, nil, false, ""
}

// fail makes x the failure of the run unless the run has already failed. It
// reports whether it did.
func (f *failing) fail(x *Failure) bool {
	if f.failure != nil {
		return false
	}
	f.failure = x
	return true
}

// any reports whether the run has failed, or will fail because another
// goroutine has called the system.
func (f *failing) any() bool { return f.failure != nil || f.intruder.Load() != nil }

// abandon fails a run because a step called runtime.Goexit.
func (f *failing) abandon(where string) {
	if f.fail(&Failure{Kind: KindMisuse, Text: "runtime.Goexit ended the run in " + where +
		" (a FailNow in a handler?)"}) {
		f.exit, f.exitWhere = true, where
	}
}

// intrude records the failure of a call from another goroutine. It does not
// panic, because a panic on that goroutine would end the process.
func (f *failing) intrude(x *Failure) { f.intruder.CompareAndSwap(nil, x) }

// settle makes f.intruder, if there is one, the failure of the run. It
// replaces an earlier failure of the run, because the call from another
// goroutine may have caused that failure.
func (f *failing) settle() {
	if x := f.intruder.Load(); x != nil {
		f.failure = x
	}
}
