// Package props is for writing properties: functions that build a system of
// actors, run it, and check what must hold in every order of its messages.
//
// # A first property
//
// A property draws its inputs, spawns actors, sends messages, runs the system
// and checks what came of it. Package fuzz runs the property many times, each
// time with other inputs and another order of messages:
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
// The Example of this package is the same property as a whole file, with its
// imports and with what it finds.
//
// # Inputs
//
//   - Draw takes a generator of [pgregory.net/rapid].
//   - Sample takes a generator of [github.com/leanovate/gopter].
//   - OneOf chooses one of a few values. An exploration of every order also
//     tries each of these values; it does not do so for other draws.
//   - Source is a source of random numbers for code that wants a
//     golang.org/x/exp/rand Source.
//
// All draws come before Run. A decision that the program makes while it runs
// is Ctx.Choose.
//
// # What must hold
//
//   - At the end: check after Run and call T.Errorf or T.Fatalf, or use an
//     assertion library such as testify with the T.
//   - Always: T.Always is checked after each step of the system.
//   - Eventually: T.Eventually is checked after each step until it holds, and a
//     last time when the property has returned. It fails if it never held.
//   - Sometimes: T.Sometimes notes that a situation was reached. It is judged
//     when all runs of a test are over: a situation that no run reached fails
//     the test.
//   - Monitors: T.Monitor adds a state machine that is told of each message
//     received. It can fail the run at any message, and a HotMonitor also when
//     the run ends while something is still to come.
//
// Whether the results of concurrent calls can be explained by some order of
// the calls is judged by props/linear. Random commands against a model are
// package props/machine.
//
// # What leads a search
//
// A bug behind a long sequence of states is not found by chance. T.Feature and
// T.Maximize say how far a run has come: the strategy guided keeps runs that have
// come to something new, and makes other runs from them. It does so too with the
// situations of T.Sometimes. Check, MustFind and campaigns give it half of the runs of
// a property that calls T.Feature or T.Maximize, and JOSTLE_STRATEGY=guided all runs.
// None of them changes what a run does or whether it fails.
//
// # What a failure shows
//
// A failure comes with the line that failed, the draws and a chart of the
// messages. T.Log adds lines to it, and T.Attach a file, such as a diagram of the
// run.
//
// # Rules
//
//   - A property depends on nothing but its draws and its system: not on the
//     clock, global randomness or the order of a map.
//   - Nothing outlives the run: no goroutine, and no state in variables outside
//     the property.
//   - A property makes one system, by T.System or T.SystemWith, and runs it.
//   - Only the property, its handlers and its processes use the T.
//   - What is sent or started after the last Run comes to nothing, and fails.
//   - An Always or a Monitor after the last Run looks at nothing. A test in which
//     that is so in each run fails, as with Sometimes.
//   - Whatever is wrong when a run is over fails that run, the next one or, at
//     the latest, the test: what deferred functions of a process say that still
//     waited, and what a goroutine does that was left behind. One that uses a T
//     when the test is over panics, as with a testing.T.
//
// # Under rapid or gopter
//
// Rapid and Gopter make a property one of theirs, for use in a test suite that
// exists already. The order of messages then follows from their random numbers.
// Rapid also shrinks the inputs.
//
// # For packages that run properties
//
// A Runner runs one property: each call of Run follows a Plan and returns a
// Result. T.Event, T.Report and T.Watch are for packages that judge runs, as props/linear
// does.
package props
