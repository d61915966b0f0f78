// Package coverage counts which orders of receives a set of runs has shown, by Bitá's
// criterion PR over the identities of steps (Tasharofi et al., "Bita: Coverage-guided,
// automatic testing of actor programs", ASE 2013, section III). Package guide has its
// other criteria.
//
// An Orders is told of each run when it is over:
//
//	orders := &coverage.Orders{}
//	for seed := range uint64(1000) {
//		sys.Reset(seed)
//		…
//		sys.Run()
//		orders.Add(sys.Trace(), coverage.Run{Unguided: true})
//	}
//	fmt.Println(orders.Summary())
//
// # What is counted
//
// An order is one receive of an actor before another; a pair is
// covered when both of its orders were seen. Receives are those that are asynchronous:
// see Counts. A receive is the same one in two runs when its identity is.
//
// Count says how many there are, Parts says it for each label of actors, Types for each
// pair of types of messages, and Open lists the orders that were not seen and could
// have been. Of an order that was not seen it is known that it is impossible, that it
// is possible, or neither: how many pairs can be covered at all is then between two
// numbers. It is exact when none is unknown, or when all orders of the program were
// run and Whole was called: search.Coverable of package fuzz/search does so.
//
// # What is still to be seen
//
// Chance says how likely the next unguided run shows a new order, with an interval.
// Curves says how many were known after how many runs.
//
// # Several workers, and several nights
//
// Merge puts together what several have seen. MarshalBinary and UnmarshalBinary write
// and read a file. Text, MarshalJSON and SVG show what is known.
//
// # Bounds
//
// An Orders takes as much memory as Orders.Bytes says for what it tells apart, twice that
// while it grows, and some 50 MB at most for the rest. A run of a million steps and
// a million runs that are all different take no more: what there is no room for is
// told apart by type alone. TestCampaignsTakeNoMoreMemory says from which run on a
// campaign takes no more, and BenchmarkMemory how much: 30 MB for a million steps of one actor.
//
// An actor takes 88 bytes for each step that is told apart and two bits for each pair of
// these, and two more when a run of at most 4,096 steps
// has shown which orders are open or impossible: with the 4,096 steps of Orders.Steps
// 5 MB, and 14 at most. A receive takes the time to look at a word for each 64 steps of
// its actor, 73 at most. In long runs it takes less: what always comes long before it is
// not looked at. BenchmarkLongRuns prints both. Nothing of this makes a count less exact.
package coverage
