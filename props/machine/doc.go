// Package machine tests a program with random sequences of commands, against a
// model of what each command does. The literature calls this a state machine
// test.
//
// The model has a state. An Op is one kind of command: how its arguments are
// drawn, how it is given to the program, how it changes the model's state, and
// which results are right:
//
//	m := machine.Machine[int]{
//		Init: func() int { return 0 },
//		Commands: []machine.Command[int]{
//			machine.Op[int, int, int]{
//				Name: "add",
//				Args: rapid.IntRange(1, 9),
//				Run:  func(p *pulse.Process, n int) int { return p.Ask(server, add(n)).(int) },
//				Next: func(sum, n int) int { return sum + n },
//				Check: func(sum, n, result int) error {
//					if result != sum+n {
//						return fmt.Errorf("want %d", sum+n)
//					}
//					return nil
//				},
//			}.Command(),
//		},
//	}
//
// A property makes a system and calls one of two methods, which draw the
// commands, give them to the program and run the system:
//
//   - Sequential has one client give them one after another. Each result is
//     checked at once.
//   - Parallel has one client give the first commands, and then several clients
//     the others at once. The results must be explained by some order of the
//     commands, as props/linear judges it. This is how PULSE finds races
//     (Claessen et al., ICFP 2009).
//
// Op.ArgsFor tells a client its number, for clients that have a session or count what
// they send; see the example.
//
// A test fails if its runs never give a command because no When was ever true. A run
// fails if a client waits forever for a result.
//
// Rules: Next and Check depend on nothing but their arguments, and Next returns
// a new state instead of changing the one that it is given.
package machine
