// Package linear judges whether concurrent calls came out as if each had
// happened at one moment between its call and its return: whether a history
// is linearizable (Herlihy and Wing, 1990).
//
//	h := linear.NewHistory(t, register)
//	client := func(p *pulse.Process) {
//		call := h.Call(p.Self(), write(1))
//		call.Return(p.Ask(server, write(1)))
//	}
//	sys.Go("client", client)
//	sys.Go("client", client)
//	sys.Run()
//	h.Check()
//
// The package by file:
//
//	model.go    what each call does, one after another
//	history.go  recording calls and returns in a run
//	check.go    the judgement, by porcupine
//	report.go   what is said of a history that cannot be ordered
package linear
