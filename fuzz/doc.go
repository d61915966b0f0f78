// Package fuzz searches for the inputs and message orders in which a property
// of an actor system fails.
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
//
// A property is a func(*props.T); see package props.
//
//	Check     searches for two seconds in every go test, at most ten for a package
//	Explore   runs every distinct order, for every combination of OneOf values
//	Target    runs the property under go test -fuzz
//	MustFind  fails unless the property fails: a planted bug must be noticed
//
// Start with Check. Use Explore for small inputs (up to about ten messages that
// race) to prove that no order is left. Use Target if you already run go test
// -fuzz for hours; Check with a long budget finds more in the same time.
//
// # When a test fails
//
// The output says what failed, where, and with which inputs, then charts the
// messages in the order of receipt. The failing run is shrunk, and replayed
// twice; the output says so if it does not fail again. It also lists the orders
// in which the run fails and the lines that send and handle those messages. A
// draw is "(any)" if every other value tried fails too, "(≥ 3)" if the values
// from 3 on do. The line "again" is the command that reruns the test.
//
// The run is saved as a case file below testdata/jostle: commit it with the fix.
// Saved cases run first. Once the bug is fixed, its case is a regression test.
//
// # Settings
//
// Each verb is also a method of Config, which holds settings. The environment
// overrides them:
//
//	JOSTLE_SEED      7              other inputs and orders; else 1
//	JOSTLE_BUDGET    30s or 10000   time or number of runs of each search
//	JOSTLE_REPLAY    file or name   run only this case and show its trace
//	JOSTLE_OUT       folder         save cases there, with HTML, JSON and a chart
//	JOSTLE_SHRINK    1m or 0        time to shrink and explain a failure; else 5s
//	JOSTLE_REPAIR    1              update stale cases, remove duplicates
//	JOSTLE_SHOW      1              show a passing run and its final states
//	JOSTLE_STRATEGY  random,guided  strategies of Check and MustFind
//	JOSTLE_WORKERS   4              goroutines of Check, MustFind and Explore
//	JOSTLE_DISTILL   1              start Check and go test -fuzz with passing
//	                                runs cached by earlier searches of Check
//	JOSTLE_CACHE     folder or off  where these and crash records are cached
//	JOSTLE_FLIGHT    crash record   run only what it records
//	JOSTLE_STALL     1m             report steps that take longer; else 10s
//
// The same seed finds the same failure on every machine and with any number of
// workers, if the budget suffices. JOSTLE_DISTILL breaks this: a cached run may
// fail first.
//
// Running.md, in the folder of this package, explains the words that searches
// print. It also says more about saved cases, about steps that never end, and
// about runs that end the process.
//
// # Limits
//
// A search does not find bugs in memory that actors share (jostle check --race
// finds some), bugs that depend on real clocks or randomness in handlers, or bugs
// beyond the step limit. Explore is complete only for the inputs that it ran and
// only if its Verdict says so.
//
// To search without package testing, use package fuzz/search, or fuzz/explore
// for programs on package pulse. Package fuzz/finding shrinks, explains, saves
// and replays a failing run.
package fuzz
