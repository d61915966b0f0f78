// Package distill keeps passing runs of a property from one search to the next: the
// fewest that together show all the receive orders that were seen, so that what took a
// long search to reach is reached at once by another.
//
// Cases are kept in a Cache, a folder of its own for each property, outside of version
// control. It is bounded in size and may be deleted at any time. What a cache has
// changes what a search runs: a search with a seed is only the same again with the same
// cache, or with none.
//
//	cache := distill.In(root, distill.Key{Module: "example.com/bank", Property: "neverOverdrawn"})
//	held := cache.Load()
//	var basket distill.Basket
//	for _, c := range held.Cases {
//		… run c; if it passes:
//		basket.Add(distill.Passed{Case: now, Pairs: distill.PairsOf(sys.Trace())})
//	}
//	… search on, and add each run that passes and shows something new
//	kept, err := cache.Replace(held, basket.Fewest(), nil)
//
// A cache is trusted with nothing: what cases show is found out by running them, and
// a case that can no longer be run as it was kept is kept as it runs now. Files that
// are damaged count as far as they can be read.
package distill
