//go:build unix

package campaign_test

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/garbage"
	"github.com/jostle-go/jostle/fuzz/search"
)

// measured are programs without a bug. They have too many orders to run all of them.
var measured = []struct{ test, subject string }{
	{"TestRaft", "raft-dupvote"}, {"TestMessenger", "messenger"}, {"TestChain", "chain-repair"}, {"TestPaxos", "paxos-quorum"},
	{"TestVoteCount", "raft-votecount"}, {"TestRegistry", "pingreg"}, {"TestVotedFor", "raft-votedfor"}, {"TestCache", "cache"},
}

// measuredSubjects returns the first n measured properties in two forms: for a campaign, and for
// a loop in this process.
func measuredSubjects(b *testing.B, dir string, n int) (list []campaign.Subject, loop []search.Property) {
	b.Helper()
	var tests []string
	for _, m := range measured[:n] {
		tests = append(tests, m.test)
		loop = append(loop, search.Property{Name: m.test, Test: m.test, Func: mended(m.subject)})
	}
	return subjects(b, environment(dir), tests...), loop
}

// A cost is the processor time, in seconds, of this process and of its children that have
// ended.
type cost struct{ user, sys float64 }

func (c cost) sum() float64 { return c.user + c.sys }

func spentBy(do func()) (c cost) {
	now := func(sign float64) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var u syscall.Rusage
			syscall.Getrusage(who, &u)
			c.user += sign * time.Duration(u.Utime.Nano()).Seconds()
			c.sys += sign * time.Duration(u.Stime.Nano()).Seconds()
		}
	}
	now(-1)
	do()
	now(+1)
	return c
}

// measuredCampaign runs a campaign and returns the number of runs of each property.
func measuredCampaign(b *testing.B, dir string, list []campaign.Subject, o campaign.Options) (runs []int) {
	b.Helper()
	o.Seed, o.Env = 1, environment(dir)
	r, err := campaign.Run(b.Context(), list, o)
	if err != nil || r.Failures()+r.Complaints()+r.Deaths > 0 {
		b.Fatalf("%v, %+v", err, r)
	}
	for i := range r.Outcomes {
		runs = append(runs, r.Outcomes[i].Runs)
	}
	return runs
}

// measuredLoop makes the runs of measuredCampaign in this process. If all is set, it counts the
// receive pairs of all runs, as campaigns do. Otherwise it counts those of some runs, as fuzz.Check
// does.
func measuredLoop(b *testing.B, loop []search.Property, runs []int, all bool) {
	b.Helper()
	defer garbage.Watch()() // fuzz.Check also raises GOGC in this way
	for i, p := range loop {
		o := search.Options{Seed: 1, Runs: runs[i], CountAll: all}
		if r := search.Sample(b.Context(), p, o); r.Finding != nil || r.Runs != runs[i] {
			b.Fatalf("%d runs, want %d: %v", r.Runs, runs[i], r.Finding)
		}
	}
}

// measuredRuns returns the number of runs of each property of a measured campaign, for each worker.
// The runs of one property take two seconds, so a campaign of eight properties takes 16. In a much
// shorter campaign, the start of the processes (50 ms for each property) would distort the result.
func measuredRuns() int {
	if testing.Short() {
		return 500
	}
	return 250_000
}

// BenchmarkShare compares the processor time of a campaign and its workers with that of the same
// runs in one process. The measurements take turns, and with -benchtime 5x the ratios are medians
// of five.
func BenchmarkShare(b *testing.B) {
	for _, n := range []int{1, 3, 5, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			list, loop := measuredSubjects(b, dir, n)
			var counted, uncounted, sys, took []float64
			for b.Loop() {
				var runs []int
				c := spentBy(func() { runs = measuredCampaign(b, dir, list, campaign.Options{Workers: 1, Runs: measuredRuns()}) })
				l := spentBy(func() { measuredLoop(b, loop, runs, true) })
				u := spentBy(func() { measuredLoop(b, loop, runs, false) })
				counted, uncounted = append(counted, c.sum()/l.sum()), append(uncounted, c.sum()/u.sum())
				sys, took = append(sys, 100*c.sys/c.sum()), append(took, c.sum())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(counted), "campaign/loop")
			b.ReportMetric(median(uncounted), "campaign/loop-uncounted")
			b.ReportMetric(median(sys), "sys-%")
			b.ReportMetric(median(took), "CPU-s")
		})
	}
}

// median returns the median, the lower one if there are two.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// register counts to n in a register.
func register(n int) (sum uint64) {
	for range n {
		sum = sum*6364136223846793005 + 1442695040888963407
	}
	return sum
}

var sink uint64

// BenchmarkTwoWorkers compares the runs per second of two workers with those of one worker. For
// comparison it does the same with loops that use only registers. The measurements take turns,
// and with -benchtime 5x the ratios are medians of five.
func BenchmarkTwoWorkers(b *testing.B) {
	loops := 1_000_000_000
	if testing.Short() {
		loops /= 1000
	}
	for _, n := range []int{1, 3, 5, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			list, _ := measuredSubjects(b, dir, n)
			perSecond := func(workers int) float64 {
				begin, sum := time.Now(), 0
				for _, runs := range measuredCampaign(b, dir, list, campaign.Options{Workers: workers, Runs: workers * measuredRuns()}) {
					sum += runs
				}
				return float64(sum) / time.Since(begin).Seconds()
			}
			var workers, registers, each []float64
			for b.Loop() {
				workers = append(workers, perSecond(2)/perSecond(1))
				registers = append(registers, loopsPerSecond(2, loops)/loopsPerSecond(1, loops))
				each = append(each, workers[len(workers)-1]/registers[len(registers)-1])
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(workers), "workers")
			b.ReportMetric(median(registers), "registers")
			b.ReportMetric(2*median(each), "workers/registers·2")
		})
	}
}

// loopsPerSecond returns the number of loops per second that n goroutines make
// together. A loop uses only registers.
func loopsPerSecond(n, loops int) float64 {
	begin := time.Now()
	var all sync.WaitGroup
	sums := make([]uint64, n)
	for i := range sums {
		all.Go(func() { sums[i] = register(loops) })
	}
	all.Wait()
	for _, sum := range sums {
		sink += sum
	}
	return float64(n*loops) / time.Since(begin).Seconds()
}
