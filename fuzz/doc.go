// Package fuzz searches for runs in which a property does not hold.
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
//
// Check takes seconds in every go test: it replays the cases that failed
// before, then tries other inputs and other orders of messages with several
// strategies, until its budget is used up or the property breaks. A failing
// run is replayed, shown, and kept as a file beside the test.
//
// Explore runs every distinct order instead, for every choice of what the
// property draws by props.OneOf, and says in a Verdict whether it was complete:
//
//	func TestEveryOrder(t *testing.T) { fuzz.Explore(t, resultsAreStored) }
//
// It finds what is there to be found at small inputs, and shows and keeps a
// failing run as Check does. With go test -v a long exploration says how far it
// is, and Exploration.File keeps what is left of one for the next time.
//
// Target puts the same property under go test -fuzz.
//
// Settings come from the environment, since flags of a library break go test
// for packages that do not know them:
//
//	JOSTLE_SEED    a number: other inputs and orders than those of seed 1
//	JOSTLE_BUDGET  a duration such as 30s, or a number of runs such as 10000
//	JOSTLE_REPLAY  a case file, or the name of one: only that, with its whole trace
//	JOSTLE_OUT     a folder for failing cases, in place of testdata/jostle
package fuzz
