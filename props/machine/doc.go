// Package machine tests a program with random sequences of commands, against a model
// of the effect of each command. The literature calls this a state machine test.
//
// The model has a state. An Op is one kind of command. It says how to draw the
// arguments, how to run the command, how the command changes the state, and which
// results are right:
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
// A property makes a system and calls one of two methods. Both draw the commands, run
// them in client processes and run the system:
//
//   - Sequential runs all commands in one client. Each result is checked at once.
//   - Parallel runs the first commands in one client, and then the other commands in
//     several concurrent clients. Some order of the commands must explain the results, as
//     props/linear checks it. This is how PULSE finds races (Claessen et al., ICFP
//     2009).
//
// Op.ArgsFor gets the number of the client, for clients that have a session or number
// their messages. See the example.
//
// A test fails if its runs never run a command because no When ever returned true. A
// run fails if a client waits forever for a result.
//
// Rules: Next and Check depend only on their arguments. Next returns a new state and
// does not modify the given one.
package machine
