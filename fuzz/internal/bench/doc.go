// Package bench measures how soon searches find the bugs of the example programs. Each
// arm searches each subject with many seeds, until it finds the bug or reaches a limit.
//
//	table, err := bench.Measure(ctx, bench.Options{})
//	fmt.Print(table.Text())
//
// The command is
//
//	go run ./cmd/jostle bench -out folder
//
// The results are in testdata: runs.csv has every search, and table.txt has the tables.
// Times depend on the machine; runs do not.
//
// # What is compared
//
// An Arm is one strategy, the default portfolio, or a baseline. "random" is plain random,
// with which all others are compared. Three baselines exist only for comparison: "delay"
// is delay-bounded scheduling, "delays" is Bitá's random delay of each message, and
// "jitter" is plain order with noise.
//
// # Statistics
//
// A search that does not find the bug is censored: it would take more runs. So medians
// are those of Kaplan and Meier, with the interval of Brookmeyer and Crowley. Differences
// are tested by the log-rank test. Ratios of medians have a bootstrap interval, whose
// random numbers have a fixed seed. The log-rank test works best if each run finds the
// bug with the same probability, as for all arms that do not learn. Searches with one
// seed draw the same inputs with every arm, so differences are larger than the tests say
// rather than smaller.
//
// # Coverage
//
// A test counts the receive pairs that each arm shows in a number of runs of larger
// programs. The results are in testdata/coverage.txt, with plots of the curves next to
// it; JOSTLE_REWRITE=1 writes them.
//
// For a barber with five customers, urw shows 3.8 times as many as plain random in 100
// runs, 5.3 times in 1,000 and 5.0 times in 2,000. From 10 runs on no other arm shows 3
// times as many. In 2,000 runs pos shows 2.8 times as many, pctcp 2.7, guided 2.6 and the
// portfolio 2.5. For a chain that is repaired, no arm shows more than 1.32 times as many.
// There 3 times is impossible from 100 runs on, as far as these searches tell. All pairs
// shown or possibly left are 2.7 times what plain random shows in 100 runs, and 1.5 times
// in 2,000; in 2,000 runs pos shows nine tenths of what all arms have shown together. For
// Raft with five nodes, every arm but urw shows in 100 runs all that any has shown, and
// urw does in 1,000. All other pairs are impossible.
//
// # Regressions
//
// A test compares new searches with the table, and names the arms that have become worse.
// It compares runs, never times.
package bench
