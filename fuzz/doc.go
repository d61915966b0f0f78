// Package fuzz searches for runs in which a property of an actor system does
// not hold: for the inputs and the order of messages that break it.
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
//
// A property is a func(*props.T): package props says how to write one.
//
// # The verbs
//
// Check takes two seconds in every go test. It draws inputs and orders at
// random, by several strategies in turns. In some runs timers come early.
//
// Explore runs every distinct order, for every choice of what the property
// draws by props.OneOf, and says in a Verdict whether it was complete.
//
// Target puts the property under go test -fuzz.
//
// MustFind is Check turned round: the test fails unless a run is found in which
// the property does not hold. It shows that a planted bug would be noticed.
//
// Begin with Check. Use Explore where inputs are small, up to some ten
// messages that race, and you want to know that no order is left. Use Target
// where a search of hours is run by go test -fuzz already; Check with a long
// budget finds more in the same time.
//
// # When a test fails
//
// The output says what failed and where, in which run, with what inputs; then
// comes a chart of the messages in the order in which they were received. The
// run has been repeated twice, and the output says if it did not come out the
// same. The line that begins with "again" is the command that runs the test
// again.
//
// First the run is made as small as it goes. Then the output also says in which of
// all orders it fails, and which lines send and handle the messages that this is
// about. A draw is "(any)" if all of at least 20 other values that were tried failed
// alike, or all that there are; "(≥ 3)" if all that were tried from 3 on did, and
// none below, 2 among them. All else is as it is; where other values make other
// messages, their orders are searched, and nothing is said if that decides nothing.
//
// The run is kept as a file, a case, below testdata/jostle: put it under
// version control with the mended code. From then on it runs first, and when its
// failure is mended it passes, as a regression test. Of what fails alike in the
// same orders the smallest case is kept.
//
// A saved case that fails again is shrunk and explained as a new failure is, in memory:
// its file stays as it is. Where it was known in which orders it fails, that takes a tenth
// of the time at most; if that is too little, the output says what was known when it was
// saved. A case that passes costs one run.
//
// On a terminal a line tells how far shrinking is once that takes over a second. It is
// gone when the failure is told.
//
// Cases belong to the property: those of a declared function are kept under
// its own name and run by every verb and every test that is given the
// function; those of a function literal, a method or an instance of a generic
// function are kept under the name of the test.
//
// # Settings
//
// Each verb is also a method of Config, which holds settings. The environment
// overrides them, since flags of a library would break go test for packages
// that do not know them:
//
//	JOSTLE_SEED      a number: other inputs and orders than those of seed 1
//	JOSTLE_BUDGET    a duration such as 30s, or a number of runs such as 10000
//	JOSTLE_REPLAY    a case file, or the name of one: only that, with its whole trace
//	JOSTLE_OUT       a folder for failing cases, in place of testdata/jostle, where each has
//	                 a page of HTML, one of JSON (see fuzz/internal/record) and a diagram of Mermaid
//	JOSTLE_SHRINK    how long a failing case may be made smaller and explained, such as 1m;
//	                 else 5s; 0 is not at all
//	JOSTLE_REPAIR    1: a stale case gives way to a run near it that fails alike, if there is one, a
//	                 case that fails as it was saved to what it is shrunk to, and of cases of
//	                 one failure, which two branches may bring together, the smallest stays
//	JOSTLE_SHOW      1: with go test -v, a run of a property that holds is shown, and what
//	                 each actor keeps at its end
//	JOSTLE_STRATEGY  names of strategies for Check and MustFind, such as random,guided
//	JOSTLE_WORKERS   how many goroutines Check, MustFind and Explore may use
//	JOSTLE_DISTILL   1: Check and go test -fuzz begin with the fewest passing runs that show what
//	                 earlier searches by Check have seen, and Check leaves those of its own
//	JOSTLE_CACHE     a folder for such runs and for records of which run is on, in place of
//	                 one of the user's caches; off: neither is kept
//	JOSTLE_FLIGHT    such a record: only the run with which its process died
//	JOSTLE_STALL     how long a step may take before it is told of; else 10s
//
// The same seed finds the same failure, on every machine and with any number
// of workers, as long as the budget lets it come so far. With JOSTLE_DISTILL=1 a case of
// the cache may fail before; set it for long searches by hand or at night, not where the
// same test must give the same answer.
//
// # What never ends
//
// A step that blocks or loops for ever cannot be ended. After ten seconds without
// any progress standard error says which actor received what in it, with the stack
// of its goroutine, and which run it was.
//
// Check and Explore end some seconds before go test -timeout would end the process,
// so that what they have found is told and saved, and they say that they did.
//
// # What ends the process
//
// A fatal error, such as a map that two goroutines write, os.Exit, a signal or go
// test -timeout takes the search with it. Which run was on is recorded in a small
// file of the user's cache folder: the next start of the test says which it was and
// makes it again in a process of its own. When that dies too, the test fails with
// what it said, and no search follows until the run comes to its end; else a line
// says that it did. There are no such records on Windows, nor in benchmarks, and go
// test -fuzz keeps the input by itself.
//
// # What is not found
//
// Memory that actors share, clocks and randomness in handlers, and what needs
// more steps than a run may take. Explore is complete only for the inputs that
// it ran, and only where its Verdict says so.
//
// # For other tools
//
// Packages below search without package testing: fuzz/internal/session does all that a verb
// does, fuzz/search runs a property and returns what it found, fuzz/finding repeats and
// saves a failing run, fuzz/internal/record is one as a value, and fuzz/explore goes through the orders of any program on package pulse.
package fuzz
