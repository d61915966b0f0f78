package campaign

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/twopc"
	"github.com/jostle-go/jostle/props"
)

// measured are properties that hold, by the tests that have them.
var measured = map[string]func(*props.T){"TestTwoPhase": twopc.StuckProperty(true), "TestRaft": raftdupvote.Property(true)}

// inTurn is how many chunks a worker makes in one turn.
const inTurn = 2

// chunkOf returns what makes the chunks of one turn of a campaign with so many workers, and
// how many batches those of one worker have.
func chunkOf(b *testing.B, test string, workers int) (chunk func(), batches int) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	s := Subject{Binary: &binary.Binary{Package: "campaign", Dir: here, Path: self, Tests: []string{test}}, Property: worker.Property{Test: test, Name: test}}
	c, err := newCampaign([]Subject{s}, Options{Seed: 1, Workers: workers, Env: []string{"CAMPAIGN_TEST_SEARCHED=1", "JOSTLE_OUT=" + b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	t := c.targets[0]
	t.Begun = true
	hands := make([]*hand, workers)
	for i := range hands {
		hands[i] = &hand{Options: &c.Options, enough: b.Context(), searching: b.Context(), all: b.Context()}
	}
	size := 8
	chunk = func() {
		results := make(chan *job)
		var all sync.WaitGroup
		for _, h := range hands {
			var mine []*job
			for range inTurn {
				mine = append(mine, &job{target: t, meter: newMeter(false), first: t.next, count: size,
					request: session.Request{Do: session.Run, Seed: 1, First: t.next, Count: size}})
				t.next += size
			}
			all.Go(func() {
				for _, j := range mine {
					h.at = j
					h.do(j)
					results <- j
				}
			})
		}
		for range inTurn * workers {
			j := <-results
			if j.err != nil || len(j.reply.Findings) > 0 {
				b.Fatalf("%v, %+v", j.err, j.reply)
			}
			c.settle(j)
		}
		all.Wait()
	}
	c.lanes = newLanes(1)
	b.Cleanup(func() {
		for _, h := range hands {
			for _, k := range h.kept {
				k.process.Stop()
			}
		}
	})
	for range 3 { // the third is as large as they become
		if testing.Short() {
			break
		}
		chunk()
		y := &t.yields[0]
		size = max(1, min(mostBatches, chunkSteps*y.Batches/max(1, y.Steps)))
	}
	return chunk, inTurn * size
}

// timed returns how long something takes.
func timed(do func()) float64 {
	begin := time.Now()
	do()
	return time.Since(begin).Seconds()
}

// BenchmarkShare compares a chunk of a campaign, with its worker's process, what it says
// and what is learned from it, with the same number of runs of the loop over runs, in
// turns. The ratio is that of the shortest times, which other work on the machine disturbs
// least.
func BenchmarkShare(b *testing.B) {
	for _, test := range []string{"TestTwoPhase", "TestRaft"} {
		b.Run(test, func(b *testing.B) {
			chunk, batches := chunkOf(b, test, 1)
			var o search.Options
			p := search.Property{Name: test, Test: test, Func: measured[test]}
			var with, bare []float64
			first, runs := 1<<20, 0
			for b.Loop() {
				with = append(with, timed(chunk))
				o = search.Options{Seed: 1, First: first, CountAll: true} // as campaigns do
				o.Runs = (first + batches) * o.BatchSize()
				first += batches
				runs += batches * o.BatchSize()
				bare = append(bare, timed(func() { search.Sample(context.Background(), p, o) }))
			}
			b.ReportMetric(slices.Min(with)/slices.Min(bare), "campaign/loop")
			b.ReportMetric(float64(runs)/float64(b.N), "runs/turn")
		})
	}
}

// register counts in a register.
func register(n int) (sum uint64) {
	for range n {
		sum = sum*6364136223846793005 + 1442695040888963407
	}
	return sum
}

var sink uint64

// BenchmarkTwoWorkers says how many times as much two workers do as one, in turns, and
// two loops in registers as one, by the shortest times.
func BenchmarkTwoWorkers(b *testing.B) {
	one, _ := chunkOf(b, "TestTwoPhase", 1)
	two, _ := chunkOf(b, "TestTwoPhase", 2)
	loops := 100_000_000
	if testing.Short() {
		loops /= 100
	}
	var single, double, alone, both []float64
	for b.Loop() {
		single, double = append(single, timed(one)), append(double, timed(two))
		alone = append(alone, timed(func() { sink += register(loops) }))
		both = append(both, timed(func() {
			var all sync.WaitGroup
			var sums [2]uint64
			for i := range sums {
				all.Go(func() { sums[i] = register(loops) })
			}
			all.Wait()
			sink += sums[0] + sums[1]
		}))
	}
	b.ReportMetric(2*slices.Min(single)/slices.Min(double), "workers")
	b.ReportMetric(2*slices.Min(alone)/slices.Min(both), "registers")
}
