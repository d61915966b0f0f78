// Package guide makes schedules that show an order of two receives that no run
// has shown yet, from runs that were made, after Bitá (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section IV).
//
// A Goal is an order of two receives of one actor. A Base is a run: it knows which
// of its steps must come before which. A Generator goes through the pairs of steps
// of a base that could have come the other way round, and returns for each goal
// that is open an Order, which achieves it and as many others as it can:
//
//	base := guide.NewBase(sys.Trace())
//	g := guide.NewGenerator(base, guide.PR, &guide.Goals{})
//	for order, ok := g.Next(); ok; order, ok = g.Next() {
//		… // run the program with order.Steps first, in this order
//	}
//
// The steps of an order come before all others, in its order; strategy.Ordered
// enforces that and says whether it came true. Package fuzz/search does so in the
// arms bita and guided.
//
// A Pool is the memory of a guided search: the runs that showed something new, and
// what was made of them. A Ladder is its memory of what users say of runs: how far
// each has come.
package guide
