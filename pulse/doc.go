// Package pulse runs a program made of actors one step at a time, in an order
// that a strategy chooses, on the goroutine that calls Run.
//
// A System is one run: its actors, messages, virtual time and faults. The same
// program, strategy and seed give the same run, byte for byte, on every
// machine.
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
// An Actor is a value with a method Receive. It handles one message at a time
// and must not block. Receive is given a Ctx, through which the actor acts on
// the system. A Process is an actor written as straight-line code: it waits in
// Receive, ReceiveMatch, Ask or Sleep. The functions Ask and ReceiveAs do the
// same for messages of one type. A System spawns actors and processes before
// and between runs; a Ctx or a Process spawns them during a step. A test calls
// System.Ask, which takes steps until the answer comes.
//
// A step is the delivery of one message, with everything its handler does. With
// FIFO delivery the messages from one actor to another arrive in the order of
// sending. With Unordered delivery any message on its way may come next. The
// strategy chooses everything else: package pulse/strategy has the strategies.
// Any number of messages may wait for an actor, unless its Spec.Mailbox sets a
// bound.
//
// # Time
//
// Time is virtual. It passes when nothing can be delivered, and then jumps to
// the next time at which something is due. After and Every set timers;
// SendAfter sends to another actor later. Options.EarlyTimers lets timers fire
// while messages wait, and Options.Horizon sets the end of time. A
// ReceiveTimeout of zero needs no time to pass: its end is one of the events
// that can come next.
//
// # Faults
//
// Options.Faults sets which faults may strike and how often: messages that are
// lost, duplicated or delayed, actors that crash and restart, and partitions.
// The strategy also chooses when each fault strikes.
//
// A restarted actor continues from what it reads from its Disk: a crash loses
// only writes that were not synced. A Starter is notified when it starts, so
// that it can read its disk, set its timers and send its first messages. A
// process runs from the beginning. An actor may also crash within a step, at a
// call of Ctx.MayCrash.
//
// With a Nemesis the program itself causes faults. It crashes and restarts
// actors, cuts links between actors, and loses or delays messages between two
// actors. A test calls System.Nemesis before Run and between runs. An actor or
// a process calls Ctx.Nemesis during a step; that step is scheduled like any
// other.
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
// Trace.Strikes lists what a Nemesis did. Charts and texts show each fault as a
// line below its step.
//
// # When a run fails
//
// Run returns false if the run has failed; Err and Failure return the failure.
// A run fails when
//   - a handler panics and no supervisor handles it (see Spec.OnPanic),
//   - a process waits for a message that cannot come,
//   - the run does not come to rest within Options.Steps,
//   - a message is changed after it was sent (with Options.Isolation),
//   - a message is sent to an actor that has ended (with Options.Orphans), or
//   - the program misuses this package.
//
// Failure.Signature tells two failures apart.
//
// # Rules for handlers
//
// A run can be replayed only if the system alone decides what happens:
//
//   - Handlers do not read the wall clock: use Ctx.Now.
//   - They use no global randomness: use Ctx.Choose.
//   - They do not depend on map order.
//   - They share no memory: an actor keeps no pointer to what it sends, and no two
//     actors write the same variable.
//   - They start no goroutines that use the system.
//
// # For other strategies and hosts
//
// A Strategy answers two kinds of questions: which message comes next, and
// everything else. It picks from Enabled, declares what it Needs, and may be an
// Ender or a Judge. An Observer is called after each step. A Host runs the
// actors of another runtime: it has the few operations that actors and
// processes are built on. See package pulse/adapt/adapttest.
package pulse
