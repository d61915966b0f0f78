//go:build unix

package fuzz

import (
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/garbage"
	"github.com/jostle-go/jostle/props"
)

// BenchmarkGarbage measures Check in turns with GOGC=100 in the environment, which keeps Go's
// default garbage collection, and without GOGC. It compares the processor times. With -benchtime
// 5x the ratio is a median of five. It also prints how many more MB the process needs with the
// higher GOGC.
func BenchmarkGarbage(b *testing.B) {
	for _, name := range []string{"raft-dupvote", "messenger", "procreg", "2pc-stuck", "paxos-quorum"} {
		b.Run(name, func(b *testing.B) {
			c := Config{Runs: 100_000, Workers: 1}
			if testing.Short() {
				c.Runs = 1000
			}
			property, runs := subjectNamed(name).Property(true), 0
			check := func(gogc string) (cpu, megabytes float64) {
				b.Setenv("GOGC", gogc)
				debug.FreeOSMemory()
				before, began := garbage.Memory(), processorTime()
				c.Check(ended{b}, func(t *props.T) {
					runs++
					property(t)
				})
				return (processorTime() - began).Seconds(), float64(int64(garbage.Memory()-before)) / (1 << 20)
			}
			var ratios, more []float64
			for b.Loop() {
				usual, small := check("100")
				raised, large := check("")
				ratios, more = append(ratios, usual/raised), append(more, large-small)
			}
			if runs < 2*c.Runs*b.N {
				b.Errorf("%d runs, want %d", runs, 2*c.Runs*b.N)
			}
			slices.Sort(ratios)
			slices.Sort(more)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ratios[len(ratios)/2], "usual/raised")
			b.ReportMetric(more[len(more)/2], "MB-more")
		})
	}
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
