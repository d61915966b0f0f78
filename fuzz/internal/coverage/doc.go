// Package coverage counts the orders of receives that a set of runs has shown. It
// implements Bitá's criterion PR over the identities of steps (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section III). Package
// guide has the other criteria.
//
// An Orders is given each run when it is over:
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
// An order is one receive of an actor before another. A pair is covered when both of its
// orders were seen. Only asynchronous receives count: see Counts. Two runs have the same
// receive if its identity is the same.
//
// Count has the totals, Parts has them for each label of actors, and Types for each pair
// of message types. Open lists the orders that were not seen but could have been. An
// order that was not seen is known to be impossible, known to be possible, or unknown.
// The number of pairs that can be covered is therefore known as an interval. It is exact
// if no pair is unknown, or if all orders of the program were run and Whole was called,
// as search.Coverable of package fuzz/search does.
//
// # Estimates
//
// Chance estimates the probability that the next unguided run shows a new order. Curves
// returns how many orders were known after how many runs.
//
// # Several workers and sessions
//
// Merge combines the knowledge of several Orders. MarshalBinary and UnmarshalBinary write
// and read a file. Text, MarshalJSON and SVG show the results.
//
// # Limits
//
// An Orders takes the memory that Orders.Bytes allows for rows, twice that while it
// grows, and at most about 50 MB for the rest. Runs of a million steps, and a million
// different runs, take no more: beyond the limit, receives are told apart by type alone.
// TestCampaignsTakeNoMoreMemory finds the run after which a campaign stops growing.
// BenchmarkMemory measures how much it takes: 30 MB for a million steps of one actor.
//
// An actor takes 88 bytes for each step that is told apart, and two bits for each pair of
// these. It takes two more bits once a run of at most 4,096 steps has shown which orders
// are open or impossible. With the 4,096 steps of Orders.Steps this is 5 MB, at most 14.
// A receive costs one word operation for each 64 steps of its actor, at most 73. In long
// runs it costs less: steps that always come long before it are skipped.
// BenchmarkLongRuns prints both. Counts remain exact.
package coverage
