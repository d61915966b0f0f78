// Package linear checks whether histories of concurrent calls are linearizable
// (Herlihy and Wing, 1990). In a linearizable history each call seems to take effect
// at one moment between its call and its return.
//
// A Model describes the effects of calls that are made one after another. A property
// makes a History, in which each client records its calls and their results. Check
// fails the run if no order of the calls explains the results:
//
//	func registerIsLinearizable(t *props.T) {
//		sys := t.System()
//		server := sys.Spawn("register", &register{})
//		h := linear.NewHistory(t, model)
//		for i := range 2 {
//			sys.Go("client", func(p *pulse.Process) {
//				call := h.Call(p.Self(), write(i))
//				call.Return(p.Ask(server, write(i)))
//			})
//		}
//		sys.Run()
//		h.Check()
//	}
//
// The Example contains a complete property with its model.
//
// A call that never returned may or may not have taken effect. Model.Pending returns
// the state if it has. Model.Partition divides the calls, for example by key. The
// partitions are checked separately, which is much faster.
//
// The failure report lists the calls that cannot be ordered and the longest valid
// order of some of them. A picture of the history, drawn by porcupine, is attached.
package linear
