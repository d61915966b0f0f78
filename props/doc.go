// Package props is for writing properties: functions that build a system of
// actors, run it, and check what must hold in every order of its messages.
//
// # A first property
//
// A property draws its inputs, spawns actors, sends messages, runs the system and
// checks the result. Package fuzz runs the property many times, each time with
// different inputs and a different order of messages:
//
//	// writer counts the results that it is given, until it is closed.
//	type writer struct {
//		stored int
//		closed bool
//	}
//
//	func (w *writer) Receive(ctx *pulse.Ctx, msg any) {
//		switch {
//		case msg == "close":
//			w.closed = true
//		case !w.closed:
//			w.stored++
//		}
//	}
//
//	func resultsAreStored(t *props.T) {
//		n := props.Draw(t, rapid.IntRange(1, 4), "results")
//		sys := t.System()
//		w := &writer{}
//		ref := sys.Spawn("writer", w)
//		for i := range n {
//			sys.Go("worker", func(p *pulse.Process) { p.Send(ref, i) })
//		}
//		sys.Send(ref, "close")
//		sys.Run()
//		if w.stored != n {
//			t.Errorf("stored %d of %d results", w.stored, n)
//		}
//	}
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
//
// The Example of this package shows this property as a complete file, together with
// the failure that it finds.
//
// # Inputs
//
//   - Draw takes a generator of [pgregory.net/rapid].
//   - Sample takes a generator of [github.com/leanovate/gopter].
//   - OneOf chooses one of a few values. fuzz.Explore tries every one of these values,
//     but only a few values of the other draws.
//   - Source returns a golang.org/x/exp/rand Source for code that needs random
//     numbers.
//
// T.Label counts how many runs had a value, to see how the inputs are distributed.
//
// Draw all inputs before Run. A running program makes its random choices with
// Ctx.Choose.
//
// # What must hold
//
//   - At the end: check after Run and call T.Errorf or T.Fatalf, or use an
//     assertion library such as testify with the T.
//   - Always: T.Always is checked after each step of the system.
//   - Eventually: T.Eventually is checked after each step until it holds, and a
//     last time when the property has returned. It fails if it never held.
//   - Sometimes: T.Sometimes records that a situation was reached. A test fails
//     if none of its runs reached the situation.
//   - Monitors: T.Monitor adds a state machine that observes each received message
//     and can fail the run. A HotMonitor can also fail a run that ends too soon.
//
// Package props/linear checks whether some order of concurrent calls explains
// their results. Package props/machine runs random commands against a model.
//
// # Hints for a search
//
// Random runs rarely find a bug that needs a long sequence of states. T.Feature and
// T.Maximize report how far a run has come. The strategy guided saves runs that
// reached something new, including situations of T.Sometimes, and derives further
// runs from them. If a property calls T.Feature or T.Maximize, Check, MustFind and
// campaigns use guided for half of the runs. JOSTLE_STRATEGY=guided uses it for all.
// Hints change neither what a run does nor whether it fails.
//
// # What a failure shows
//
// A failure report contains the line that failed, the draws and a chart of the
// messages. T.Log adds lines to the report. T.Attach adds a file, such as a diagram.
//
// # Rules
//
//   - A property depends only on its draws and its system. It must not depend on the
//     clock, global randomness or the order of a map.
//   - Nothing outlives the run: no goroutine, and no state in variables outside
//     the property.
//   - A property makes one system, by T.System or T.SystemWith, and runs it.
//   - Only the property, its handlers and its processes use the T.
//   - A run fails if something is sent or started after its last Run.
//   - An Always or a Monitor added after the last Run checks nothing. A test
//     fails if that happens in each of its runs.
//   - A mistake after a run fails that run, the next run or the test. Examples are a
//     failure in a deferred function of a waiting process, and a T used by a
//     goroutine that was left behind. Using a T after the test panics, as with a
//     testing.T.
//
// # Under rapid or gopter
//
// Rapid and Gopter turn a property into a property of those libraries, for an
// existing test suite. The random numbers of the library then determine the order of
// messages. Rapid also shrinks the inputs.
//
// # For packages that run properties
//
// A Runner runs one property. Each call to Run follows a Plan and returns a Result.
// T.Event, T.Report and T.Watch are for packages that judge runs, such as
// props/linear.
package props
