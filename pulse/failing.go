package pulse

import "sync/atomic"

// failing records the failure of a run.
//
// Invariant: once set, failure stays until reset, unless settle replaces it.
type failing struct {
	failure   *Failure
	panicked  *Failure                // the panic of the last step, until supervisors have been asked
	intruder  atomic.Pointer[Failure] // a call from another goroutine, or a panic of a dying process
	exit      bool                    // set if a step has called runtime.Goexit
	exitWhere string                  // the step that called runtime.Goexit
}

// reset clears the failure. An intruder found after a run that passed is kept,
// so that the next run fails with it. After a failed run the intruder may be a
// consequence of the failure and is dropped.
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

// any reports whether the run has failed, or will fail because of another
// goroutine.
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

// settle makes a recorded intruder the failure of the run. The intruder
// replaces an existing failure, which it may have caused.
func (f *failing) settle() {
	if x := f.intruder.Load(); x != nil {
		f.failure = x
	}
}
