// Package props says what must hold of an actor system.
//
// A property is a function of a T: it draws inputs, builds a system, runs it
// and complains when something is wrong. It is run many times, each time with
// other inputs and another order of messages, by package fuzz:
//
//	func resultsAreStored(t *props.T) {
//		n := props.Draw(t, rapid.IntRange(1, 4), "actions")
//		sys := t.System()
//		w := &writer{}
//		ref := sys.Spawn("writer", w)
//		…
//		sys.Run()
//		if len(w.stored) != n {
//			t.Errorf("stored %d of %d results", len(w.stored), n)
//		}
//	}
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
//
// A property must depend on nothing but its draws and its system: no clock, no
// global randomness, nothing that outlives it.
//
// The package by file:
//
//	t.go        T: systems, assertions, what holds always, eventually, sometimes
//	draw.go     inputs from rapid's and gopter's generators
//	monitor.go  observers of the messages received
//	runner.go   running a property once: what package fuzz is made of
//	where.go    which line of the user's a failure belongs to
package props
