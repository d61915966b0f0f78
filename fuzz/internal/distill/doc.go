// Package distill saves passing runs of a property for later searches. It selects few
// runs that together contain all receive pairs seen. (A receive pair means that an actor
// received one message before another.) A later search replays the runs, and so has these
// pairs from the start.
//
// Cases are saved in a Cache, a folder for each property, outside of version control.
// The size of a Cache is limited, and it may be deleted at any time. The cache affects
// which runs a search makes. So two searches with the same seed make the same runs only
// if both start with the same cache, or both without a cache.
//
//	cache := distill.In(root, distill.Key{Module: "example.com/bank", Property: "neverOverdrawn"})
//	held := cache.Load()
//	var basket distill.Basket
//	for _, c := range held.Cases {
//		… run c; if it passes:
//		basket.Add(distill.Passed{Case: now, Pairs: distill.PairsOf(sys.Trace())})
//	}
//	… continue the search, and add each run that passes
//	kept, err := cache.Replace(held, basket.Fewest(), nil)
//
// The contents of a cache are not trusted. Each case is run to find out which pairs it
// contains. If a case no longer runs as it was saved, it is saved as it runs now.
// Damaged files are read as far as possible.
package distill
