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
//	t.go           T: systems, assertions, cleanup
//	observe.go     what holds always, eventually, sometimes
//	monitor.go     observers of the messages received
//	draw.go        inputs from rapid's and gopter's generators
//	generators.go  the way into rapid's
//	words.go       the numbers that a draw reads
//	runner.go      running a property once: what package fuzz is made of
//	stage.go       the coroutine that it runs on
//	where.go       which line of the user's a failure belongs to
//	complaint.go   what assertion libraries say, in one line
//	bridge.go      a property under rapid or gopter instead
//
// Histories of concurrent calls are judged by props/linear, sequences of
// commands by props/machine.
package props
