// Package bench measures how soon searches find the bugs of the example programs: each
// arm searches each subject with many seeds, until it finds the bug or reaches a bound.
//
//	table, err := bench.Measure(ctx, bench.Options{})
//	fmt.Print(table.Text())
//
// The command is
//
//	go run ./cmd/jostle bench -out folder
//
// Its figures are in testdata: runs.csv has every search, and table.txt is what it
// comes to. In both, what takes time depends on the machine; the runs do not.
//
// # What is compared
//
// An Arm is one strategy by itself, the portfolio that searches have by default, or a
// baseline. "random" is plain random, with which all others are compared. Three baselines
// are here only to be compared with: "delay" is delay-bounded scheduling, "delays" is Bitá's
// random delay of each message, and "jitter" is plain order with some noise.
//
// # Statistics
//
// A search that does not find the bug is censored: all that is known is that it takes
// more runs. So medians are those of Kaplan and Meier, with the interval of Brookmeyer
// and Crowley, differences are tested by the log-rank test, and ratios of medians have
// an interval by the bootstrap, whose random numbers have a fixed seed. The log-rank
// test is at its best where the chance to find the bug is the same in each run, as it is
// for all arms that do not learn. Searches with one seed draw the same inputs, whatever
// the arm: differences are rather larger than the tests say, not smaller.
//
// # Coverage
//
// A test counts how many orders of two receives so many runs of larger programs show, by
// each arm. Its figures are in testdata/coverage.txt, with a picture of the curves of each
// program beside it; JOSTLE_REWRITE=1 writes them. Of a barber with five customers urw shows 3.8 times as many as plain random in 100
// runs, 5.3 times in 1,000 and 5.0 times in 2,000. No other arm shows 3 times as many from
// 10 runs on: in 2,000 pos shows 2.8 times as many, pctcp 2.7, guided 2.6 and the portfolio
// 2.5. Of a chain that is repaired no arm shows more than 1.32 times as many. Nothing could
// show 3 times as many from 100 runs on, as far as these searches tell: what all of them
// have shown, with all that may be possible besides, is 2.7 times what plain random shows in
// 100 runs, and 1.5 times in 2,000; pos shows in 2,000 runs nine tenths of what all have
// shown together. Of Raft with five nodes every arm but urw shows in 100 runs all that any
// has, and urw in 1,000; all that is left is impossible.
//
// # Losses
//
// A test compares new searches with the table, and names the arms that have become worse.
// It compares runs and never times.
package bench
