// Package pulse runs a program made of actors one step at a time, in an order
// that a strategy chooses, on the goroutine that calls Run.
//
// A System is one run: its actors, the messages on their way, virtual time and
// faults. The same program, strategy and seed give the same run, byte for
// byte, on every machine.
//
//	type counter struct{ sum int }
//
//	func (c *counter) Receive(ctx *pulse.Ctx, msg any) {
//		switch msg := msg.(type) {
//		case int:
//			c.sum += msg
//		case string:
//			ctx.Reply(c.sum)
//		}
//	}
//
//	func TestSum(t *testing.T) {
//		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Seed: 1, Record: true})
//		defer sys.Close()
//		c := sys.Spawn("counter", &counter{})
//		sys.Go("reader", func(p *pulse.Process) {
//			p.Send(c, 1)
//			p.Send(c, 2)
//			if got := p.Ask(c, "sum"); got != 3 {
//				t.Errorf("sum is %v, want 3", got)
//			}
//		})
//		if !sys.Run() {
//			t.Fatal(sys.Err())
//		}
//	}
//
// # Actors and processes
//
// An Actor is a value with a method Receive. It handles one message at a time,
// each to its end, and may not block. A Process is an actor written as
// straight-line code: it waits where it stands, in Receive, ReceiveMatch, Ask or
// Sleep; the functions Ask and ReceiveAs do so for messages of one type. The test
// asks by System.Ask, which takes steps until the answer has come. Actors
// and processes are spawned by a System before and between runs, and by a Ctx or
// a Process in a step. What an actor may do, it does through the Ctx that Receive
// is given.
//
// A step is one message delivered, with all that its handler does. With FIFO
// delivery the messages from one actor to another arrive in the order of
// sending; with Unordered delivery any message on its way may come next. All
// else is the strategy's choice: package pulse/strategy has the strategies.
// Any number of messages may wait for an actor, unless its Spec.Mailbox says how
// many.
//
// # Time
//
// Time is virtual. It passes when nothing can be delivered, and then goes at
// once to the next moment at which something is due. After and Every set
// timers, and SendAfter sends to another actor later. Options.EarlyTimers lets timers fire although messages wait, and
// Options.Horizon is where time ends. A ReceiveTimeout of zero needs no time: its
// end is one of the things that can come next.
//
// # Faults
//
// Options.Faults says what may go wrong, and how often: messages that are lost,
// come twice or late; actors that crash and come back; partitions. Which fault
// strikes when is the strategy's choice too.
//
// An actor that comes back begins with what it reads from its Disk: a crash takes
// of that only what was not synced. A Starter is told when it starts, so that it
// can read, set its timers and send its first messages; a process begins anew. An
// actor may also crash within a step, where it calls Ctx.MayCrash.
//
// A Nemesis makes a fault happen where the program says so: it crashes and restarts
// an actor, cuts some actors off from others, and loses or delays the messages
// between two. A test calls it before Run and between runs, by System.Nemesis. An
// actor or a process calls it in a step, by Ctx.Nemesis; that step is scheduled like
// any other.
//
//	nemesis := sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, msg any) {
//		n := ctx.Nemesis()
//		switch msg {
//		case "strike":
//			n.Partition([]pulse.Ref{leader}, []pulse.Ref{follower1, follower2})
//			ctx.After(time.Second, "heal")
//		case "heal":
//			n.Heal()
//		}
//	}))
//	sys.Send(nemesis, "strike")
//
// What a Nemesis did is in Trace.Strikes, and charts and texts show it as a line
// below its step.
//
// # When a run fails
//
// Run reports whether the run has not failed; Err and Failure return what it
// failed with. A run fails when a handler panics and no supervisor deals with
// it (see Spec.OnPanic), when a process waits for what cannot come, when the
// run does not come to rest within Options.Steps, when a message is changed
// after it was sent (if Options.Isolation asks for the check), when a message
// is sent to an actor that has ended (if Options.Orphans does), and when this
// package is used in a way that it cannot be. Failure.Signature tells two
// failures apart.
//
// # Rules for handlers
//
// A run can only be repeated if nothing but the system decides what happens:
//
//   - Handlers do not read the clock of the machine: Ctx.Now is the time.
//   - They use no global randomness: Ctx.Choose makes a choice that is repeated.
//   - They let nothing depend on the order of a map.
//   - They share nothing: what an actor sends it keeps no pointer to, and no two
//     actors write one variable.
//   - They start no goroutines that use the system.
//
// # For other strategies and hosts
//
// A Strategy answers two kinds of questions: which message comes next, and
// everything else. It picks from Enabled, says what it Needs, and may be an Ender
// or a Judge. An Observer is told of each step. Host is the surface on which the
// actors of another runtime are hosted; it has the few operations that actors
// and processes are made of. Package pulse/adapt says how.
package pulse
