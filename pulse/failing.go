package pulse

import "sync/atomic"

// failing records how a run has failed so far.
//
// Invariant: once set, failure stays until reset, unless misuse by another
// goroutine replaces it.
type failing struct {
	failure   *Failure
	panicked  *Failure                // of the last step that panicked, until supervisors have been asked
	intruder  atomic.Pointer[Failure] // a call from another goroutine, or a panic of a dying process
	exit      bool                    // the failure is a call of runtime.Goexit in a step
	exitWhere string                  // the step that called it
}

// reset clears the failure. An intruder found after a run that passed stays:
// the next run fails with it. After a failed run it may be a consequence of the
// failure and is dropped.
func (f *failing) reset() {
	if f.failure != nil && f.intruder.Load() != nil { // a load is cheap, a store is not
		f.intruder.Store(nil)
	}
	f.failure, f.panicked, f.exit, f.exitWhere = nil, nil, false, ""
}

// fail records the first failure of a run, and reports whether x is it.
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
// panic: a panic on that goroutine would end the process.
func (f *failing) intrude(x *Failure) { f.intruder.CompareAndSwap(nil, x) }

// settle makes a call from another goroutine the failure of the run, in place
// of a failure that it may have caused.
func (f *failing) settle() {
	if x := f.intruder.Load(); x != nil {
		f.failure = x
	}
}
