// Package guide makes schedules that show new receive pairs from recorded runs, after
// Bitá (Tasharofi et al., "Bita: Coverage-guided, automatic testing of actor programs",
// ASE 2013, section IV).
//
// A Goal is a receive pair: an order of two receives of one actor. A Base is a run that
// knows which of its steps must come before which. A Generator goes through the pairs of
// steps of a base that can be reversed. For each open goal it returns an Order, which
// achieves this goal and as many others as it can:
//
//	base := guide.NewBase(sys.Trace())
//	g := guide.NewGenerator(base, guide.PR, &guide.Goals{})
//	for order, ok := g.Next(); ok; order, ok = g.Next() {
//		… // run the program with order.Steps first, in this order
//	}
//
// The steps of an Order come before all others. strategy.Ordered enforces that, and
// reports whether it succeeded. Package fuzz/search uses both in the arms bita and
// guided.
//
// A Pool is the memory of a guided search: the runs that showed something new, and the
// orders made from them. A Ladder is its memory of users' signs: how far each run got.
// each has come.
package guide
