// Package machine tests a program by random sequences of commands, against a
// model of what each command does: what the literature calls a state machine
// test.
//
//	m := machine.Machine[int]{
//		Name:     "counter",
//		Init:     func() int { return 0 },
//		Commands: []machine.Command[int]{
//			machine.Op[int, int, int]{
//				Name:  "add",
//				Args:  rapid.IntRange(1, 9),
//				Run:   func(p *pulse.Process, n int) int { return p.Ask(server, n).(int) },
//				Next:  func(sum, n int) int { return sum + n },
//				Check: func(sum, n, result int) error { … },
//			}.Command(),
//		},
//	}
//	m.Sequential(t, sys) // one client, one command after another
//	m.Parallel(t, sys)   // or: a common beginning, then several clients at once
//
// What several clients are told at once must be linearizable: it is judged by
// props/linear, which is why this is a package of its own beside it. Parallel
// state machines are PULSE's way to find races (Claessen et al., ICFP 2009).
//
// The package by file:
//
//	command.go   one command: its arguments, what it does, what must hold
//	plan.go      drawing commands that the model allows
//	machine.go   running them, and what is said when they go wrong
package machine
