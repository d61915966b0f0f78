// Package coverage counts the orders of receives in a set of runs: which receive came
// before which other receive of the same actor. It implements the coverage criterion PR
// (pair of receives) of the Bitá paper, and compares steps by identity (Tasharofi et al.,
// "Bita: Coverage-guided, automatic testing of actor programs", ASE 2013, section III).
// Package guide has the other criteria of the paper.
//
// Add the trace of each run to an Orders when the run is over:
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
// An order is one receive of an actor before another. Two receives are a pair, which has
// two orders. A pair is covered if both of its orders were seen. Only asynchronous receives
// count: see Counts. Receives of different runs are the same if their steps have the same
// identity.
//
// An operation of a goroutine on an object, such as a channel or a mutex, counts as a receive
// of the object. Two operations of one goroutine are no pair. Whether an order of operations
// is possible is not known until it is seen, because locks and buffers decide it.
//
// Count returns the totals, Parts returns them for each label of actors, and Types for each
// pair of message types. Open lists the orders that were not seen but are possible. An
// order that was not seen is impossible, possible or unknown. The number of pairs that can
// be covered is therefore known only as an interval. It is exact if no pair is unknown, or
// if all orders of the program were run and Whole was called, as Coverable of package
// fuzz/search does.
//
// # Estimates
//
// Chance estimates the probability that the next unguided run has a new order. Curves
// returns the number of known orders after each number of runs.
//
// # Several workers and sessions
//
// Merge adds the runs and orders of another Orders. MarshalBinary and UnmarshalBinary
// write and read a file. Text, MarshalJSON and SVG present the results.
//
// # Limits
//
// An Orders takes the memory that Orders.Bytes allows for its bit matrices, twice that
// while they grow, and at most about 50 MB for everything else. Runs of a million steps, or
// a million different runs, take no more, because beyond the limit receives are told apart
// by message type alone. TestCampaignsTakeNoMoreMemory finds the run after which the memory
// of a campaign stops growing. BenchmarkMemory measures the memory: 30 MB for a million
// steps of one actor.
//
// An actor takes 88 bytes for each of its steps, and two bits for each pair of steps. It
// takes two more bits for each pair once a run of at most 4,096 steps has told which orders
// are possible. With 4,096 steps, the default of Orders.Steps, an actor takes 5 MB, at most
// 14 MB. Adding a receive takes one word operation for each 64 steps of its actor, and at
// most 73. In long runs it takes fewer, because steps that always come long before the
// receive are skipped. BenchmarkLongRuns prints memory and time. Within the limits all
// counts are exact.
package coverage
