// Package linear checks whether histories of concurrent calls are linearizable
// (Herlihy and Wing, 1990): whether each call seems to happen at one moment between
// its call and its return.
//
// A Model describes what each call does when calls come one after another. A property
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
// The Example shows a whole property with its model.
//
// A call that never returned may have taken effect or not; Model.Pending returns
// the state if it has. Calls about different keys are judged separately when the
// model has a Partition, which is much faster.
//
// The failure lists the calls in question and the longest order that fits. A picture
// of the history, drawn by porcupine, is attached to it.
package linear
