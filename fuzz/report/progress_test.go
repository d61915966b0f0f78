package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/report"
)

func TestProgress(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		p    explore.Progress
		want string
	}{
		{explore.Progress{}, "0 runs, 0 ms, no failures"},
		{explore.Progress{Runs: 12_400, Rate: 310_000, Elapsed: 40 * ms, Left: 221 * ms, Estimate: 81_234},
			"12,400 runs, 310k/s, 40 ms of about 261 ms (15% of 81,000), no failures"},
		{explore.Progress{Runs: 1_234_567, Wasted: 1200, Rate: 1_250_000, Elapsed: 990 * ms, Failures: 1},
			"1,234,567 runs and 1,200 wasted, 1.2M/s, 990 ms, 1 failure"},
		{explore.Progress{Runs: 900, Rate: 45.4, Elapsed: 20 * time.Second, Left: 3 * time.Hour, Estimate: 4e17, Failures: 1000, Bound: "2 delays"},
			"900 runs with 2 delays, 45/s, 20 s of about 3 h (under 1% of 4.0e+17), 1,000 failures"},
		{explore.Progress{Runs: 900, Rate: 9949, Elapsed: 95 * time.Minute, Left: 250 * 365 * 24 * time.Hour, Estimate: 95},
			"900 runs, 9.9k/s, 95 min of about centuries (99% of 95), no failures"},
		{explore.Progress{Runs: 100, Rate: 1000, Elapsed: 5 * time.Second, Left: 80 * 24 * time.Hour, Estimate: 123_456_789},
			"100 runs, 1.0k/s, 5.0 s of about 80 days (under 1% of 120,000,000), no failures"},
		{explore.Progress{Runs: 100, Rate: 20, Elapsed: 5 * time.Second, Estimate: 100, Done: true}, "100 runs, 20/s, 5.0 s, no failures"},
	} {
		if got := report.Progress(c.p); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.p, got, c.want)
		}
	}
}

func TestPrinter(t *testing.T) {
	told := []explore.Progress{
		{Runs: 100, Elapsed: time.Second}, {Runs: 2, Elapsed: 5 * time.Second},
		{Runs: 3, Elapsed: 9 * time.Second}, {Runs: 4, Elapsed: 11 * time.Second, Done: true},
	}
	for terminal, want := range map[bool]string{
		false: "2 runs, 5.0 s, no failures\n4 runs, 11 s, no failures\n",
		true: "\r100 runs, 1.0 s, no failures\r2 runs, 5.0 s, no failures  " +
			"\r3 runs, 9.0 s, no failures\r4 runs, 11 s, no failures \n",
	} {
		var b strings.Builder
		print := report.Printer(&b, terminal)
		for _, p := range told {
			print(p)
		}
		if b.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, b.String(), want)
		}
	}
}
