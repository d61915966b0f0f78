// Package distill keeps passing runs of a property from one search to the next: the
// fewest that together show all receive pairs seen. A later search thus reaches at once
// what took a long search to reach.
//
// Cases are saved in a Cache, a folder for each property, outside of version control. It
// is limited in size and may be deleted at any time. A cache changes what a search runs:
// a search with a seed repeats only with the same cache, or without one.
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
// A cache is not trusted: cases are run to find out what they show. A case that can no
// longer be run as it was saved is saved as it runs now. Damaged files are read as far as
// possible.
package distill
