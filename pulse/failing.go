package pulse

import "sync/atomic"

// failing is how a run has failed so far.
//
// Invariants: failure, once set, stays until reset, but that the misuse of
// another goroutine replaces it.
type failing struct {
	failure   *Failure
	panicked  *Failure                // of the step that panicked last, until supervisors are asked
	intruder  atomic.Pointer[Failure] // a call from another goroutine, or what a dying process did
	exit      bool                    // the failure is that a step called runtime.Goexit
	exitWhere string                  // which step that was
}

// What came to light after a run that held is not forgotten by that: the next
// run fails with it. After one that failed it may be a consequence.
func (f *failing) reset() {
	if f.failure != nil && f.intruder.Load() != nil { // a load is cheap, a store is not
		f.intruder.Store(nil)
	}
	f.failure, f.panicked, f.exit, f.exitWhere = nil, nil, false, ""
}

// fail keeps the first failure of a run, and reports whether this is it.
func (f *failing) fail(x *Failure) bool {
	if f.failure != nil {
		return false
	}
	f.failure = x
	return true
}

// any reports whether the run has failed, or will for what another goroutine did.
func (f *failing) any() bool { return f.failure != nil || f.intruder.Load() != nil }

// abandon fails a run that a step has left by runtime.Goexit.
func (f *failing) abandon(where string) {
	if f.fail(&Failure{Kind: KindMisuse, Text: "the run was left by runtime.Goexit in " + where +
		" (a FailNow in a handler?)"}) {
		f.exit, f.exitWhere = true, where
	}
}

// intrude keeps the failure of a call from another goroutine. That goroutine
// is not made to panic: it would take the process with it.
func (f *failing) intrude(x *Failure) { f.intruder.CompareAndSwap(nil, x) }

// settle makes a call from another goroutine the failure of the run: what it
// has broken would else be told instead.
func (f *failing) settle() {
	if x := f.intruder.Load(); x != nil {
		f.failure = x
	}
}
