//go:build unix

package fuzz

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that this process has used, in seconds.
func cpuTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// waits returns how often goroutines have waited for a lock of package sync. Waiting for locks of
// the Go runtime does not count.
func waits() (n int64) {
	records := make([]runtime.BlockProfileRecord, 10_000)
	found, _ := runtime.MutexProfile(records)
	for _, r := range records[:min(found, len(records))] {
		if frame, _ := runtime.CallersFrames(r.Stack()).Next(); strings.HasPrefix(frame.Function, "sync.") {
			n += r.Count
		}
	}
	return n
}

// BenchmarkParallel compares two Checks that run at the same time, as in two tests that call
// t.Parallel, with the same Checks one after the other. It measures both in turns, and prints the
// ratio of the processor times of equal runs. It also prints how many of a million runs waited for
// a lock.
func BenchmarkParallel(b *testing.B) {
	for _, name := range []string{"writer", "cache", "barber", "2pc-early", "raft-dupvote"} {
		b.Run(name, func(b *testing.B) {
			property, runs := subjectNamed(name).Property(true), 20_000
			if testing.Short() {
				runs = 200
			}
			check := func(seed uint64) { Config{Runs: runs, Seed: seed}.Check(quiet{b}, property) }
			check(3) // fills the caches of the process before the measurement
			var series, parallel []float64
			defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
			before := waits()
			for b.Loop() {
				begin := cpuTime(b)
				check(1)
				check(2)
				middle := cpuTime(b)
				var both sync.WaitGroup
				both.Go(func() { check(1) })
				both.Go(func() { check(2) })
				both.Wait()
				series, parallel = append(series, middle-begin), append(parallel, cpuTime(b)-middle)
			}
			slices.Sort(series)
			slices.Sort(parallel)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(parallel[b.N/2]/series[b.N/2], "x-one-after-the-other")
			b.ReportMetric(float64(waits()-before)*1e6/float64(4*runs*b.N), "waits/1M-runs")
		})
	}
}
