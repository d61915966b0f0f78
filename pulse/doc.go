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
// A step is the delivery of one message and everything that its handler does.
// With FIFO delivery the messages from one actor to another arrive in the order
// of sending. With Unordered delivery any message in flight may come next. The
// strategy chooses everything else: package pulse/strategy has the strategies.
// Spec.Mailbox limits how many messages may wait for an actor.
//
// # Time
//
// Time is virtual. When no message can be delivered, the clock jumps to the
// next time at which something is due. After and Every set timers. SendAfter
// sends a message to another actor later. Options.EarlyTimers lets timers fire
// while messages wait, and Options.Horizon sets the end of time. A
// ReceiveTimeout of zero does not advance the clock. Its expiry is an event
// that the strategy can choose, like a delivery.
//
// # Faults
//
// Options.Faults sets which faults may happen and how often: message loss,
// duplication and delay, crashes and restarts of actors, and partitions. The
// strategy chooses when each fault happens.
//
// A crash loses only those writes to an actor's Disk that were not synced. A
// restarted actor can read the other writes. A Starter is an actor that is
// notified when it starts, so that it can read its disk, set timers and send
// its first messages. A restarted process runs its code from the beginning. An
// actor may also crash within a step, at a call to Ctx.MayCrash.
//
// With a Nemesis the program itself causes faults. A Nemesis crashes and
// restarts actors, cuts links between actors, and loses or delays messages
// between two actors. A test calls System.Nemesis before Run and between runs.
// An actor or a process calls Ctx.Nemesis during a step. The strategy schedules
// that step like any other.
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
// Trace.Strikes lists the faults that a Nemesis caused. Charts and texts of a
// trace show each such fault as a line below the step that caused it.
//
// # When a run fails
//
// Run returns false if the run has failed. Err and Failure then return the
// failure. A run fails when
//   - a handler panics and no supervisor handles it (see Spec.OnPanic),
//   - a process waits for a message that cannot come,
//   - the run is not finished after Options.Steps steps,
//   - a message is changed after it was sent (with Options.Isolation),
//   - a message is sent to an actor that has ended (with Options.Orphans), or
//   - the program misuses this package.
//
// Two failures with the same Failure.Signature count as the same bug.
//
// # Rules for handlers
//
// A run can be replayed only if handlers are deterministic:
//
//   - Handlers do not read the wall clock: use Ctx.Now.
//   - They use no global randomness: use Ctx.Choose.
//   - They do not depend on map order.
//   - They share no memory. An actor keeps no pointer to what it sends, and no
//     two actors write the same variable.
//   - They start no goroutines that use the system.
//
// # For other strategies and hosts
//
// A Strategy has two main methods. Pick chooses the next message from Enabled,
// and Choose makes all other decisions. A strategy declares extra requirements
// by Needs, and may implement Ender or Judge. An Observer is called after each
// step. A Host runs the actors of another runtime by means of a few basic
// operations. See package
// pulse/adapt/adapttest.
package pulse
