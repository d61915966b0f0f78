// Package guide makes schedules with new receive pairs from recorded runs. It implements
// section IV of the Bitá paper (Tasharofi et al., "Bita: Coverage-guided, automatic
// testing of actor programs", ASE 2013).
//
// A Goal is a receive pair: two receives of one actor, in one of the two orders. An operation
// of a goroutine on a channel or another object counts as a receive of the object. A Base is
// a recorded run that knows which of its steps must come before which. A Generator goes
// through the pairs of steps of a base that can be reversed. For each goal that was not
// achieved before, it returns an Order that achieves this goal and as many others as
// possible:
//
//	base := guide.NewBase(sys.Trace())
//	g := guide.NewGenerator(base, guide.PR, &guide.Goals{})
//	for order, ok := g.Next(); ok; order, ok = g.Next() {
//		… // run the program with order.Steps first, in this order
//	}
//
// strategy.Ordered makes a run begin with the steps of an Order, and reports whether it
// succeeded. Package fuzz/search uses both in bita and guided, two ways of planning runs.
//
// A Pool is the memory of a guided search: it keeps runs with something new, and makes
// orders from them. A Ladder keeps the runs that got far according to users' hints, which
// are called signs here.
package guide
