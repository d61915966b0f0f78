// Package bench measures how soon searches find the bugs of example programs, the subjects.
// An arm is a way of searching. Each arm searches each subject with many seeds, until it
// finds the bug or reaches a limit.
//
//	table, err := bench.Measure(ctx, bench.Options{})
//	fmt.Print(table.Text())
//
// The command is
//
//	go run ./cmd/jostle bench --out folder
//
// The results are in testdata: runs.csv has every search, and table.txt has the tables.
// Times depend on the machine; numbers of runs do not.
//
// # What is compared
//
// An Arm is one strategy, the default portfolio, or a baseline. Each arm is compared with
// the arm "random", in which all choices are uniformly random. Three baselines exist only
// for comparison: "delay" is delay-bounded scheduling, "delays" is the random delay of
// each message from the Bitá paper (Tasharofi et al., ASE 2013), and "jitter" is oldest
// message first with noise.
//
// # Statistics
//
// A search that does not find the bug is censored: it is only known that more runs are
// needed. Therefore medians are computed by the method of Kaplan and Meier, with the
// interval of Brookmeyer and Crowley. Differences are tested by the log-rank test. Ratios
// of medians have a bootstrap interval with a fixed random seed. The log-rank test works
// best if each run finds the bug with the same probability, which is so for all arms that
// do not learn. All arms draw the same inputs with the same seed, so the tests understate
// rather than overstate differences.
//
// # Coverage
//
// A test counts the receive pairs that each arm sees in runs of larger programs, each pair
// in one order. The results are in testdata/coverage.txt, with plots of the curves next to
// it; JOSTLE_REWRITE=1 writes them.
//
// For a barber with five customers, urw sees 3.8 times as many pairs as plain random in 100
// runs, 5.3 times as many in 1,000 runs and 5.0 times as many in 2,000. With 10 runs or
// more, no other arm sees 3 times as many. In 2,000 runs pos sees 2.8 times as many, pctcp
// 2.7, guided 2.6 and the portfolio 2.5.
//
// For a chain that is repaired, no arm sees more than 1.32 times as many as plain random.
// With 100 runs or more, no arm can see 3 times as many, as far as the searches tell: all
// pairs that were seen or may be possible are 2.7 times as many as plain random sees in
// 100 runs, and 1.5 times as many as it sees in 2,000. In 2,000 runs pos sees nine tenths
// of the pairs that all arms together see.
//
// For Raft with five nodes, every arm except urw sees in 100 runs all pairs that any arm
// sees, and urw does in 1,000 runs. All other pairs are impossible.
//
// # Regressions
//
// A test compares new searches with the saved table, and names the arms that have become
// worse. It compares numbers of runs, never times.
package bench
