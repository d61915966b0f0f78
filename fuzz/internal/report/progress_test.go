package report_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/report"
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
			"900 runs, 9.9k/s, 95 min (more runs than estimated), no failures"},
		{explore.Progress{Runs: 900, Rate: 9949, Elapsed: 95 * time.Minute, Left: 250 * 365 * 24 * time.Hour, Estimate: 3e17},
			"900 runs, 9.9k/s, 95 min of centuries (under 1% of 3.0e+17), no failures"},
		{explore.Progress{Runs: 900, Rate: 9949, Elapsed: 95 * time.Minute, Left: 250 * 365 * 24 * time.Hour, Estimate: math.Inf(1)},
			"900 runs, 9.9k/s, 95 min (more than 10^18 orders: too many to explore), no failures"},
		{explore.Progress{Runs: 2_100_000, Elapsed: 20 * time.Second, Estimate: 2_100_000},
			"2,100,000 runs, 20 s (more runs than estimated), no failures"},
		{explore.Progress{Runs: 2_099_999, Elapsed: 20 * time.Second, Estimate: 2_100_000},
			"2,099,999 runs, 20 s of about 20 s (99% of 2,100,000), no failures"},
		{explore.Progress{Runs: 100, Rate: 1000, Elapsed: 5 * time.Second, Left: 80 * 24 * time.Hour, Estimate: 123_456_789},
			"100 runs, 1.0k/s, 5.0 s of about 80 days (under 1% of 120,000,000), no failures"},
		{explore.Progress{Runs: 100, Rate: 20, Elapsed: 5 * time.Second, Estimate: 100, Done: true}, "100 runs, 20/s, 5.0 s, no failures"},
	} {
		if got := report.Progress(c.p); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.p, got, c.want)
		}
	}
}

// TestPrinter checks what is printed during a search: nothing for a short one.
func TestPrinter(t *testing.T) {
	at := func(ms, runs int) explore.Progress {
		return explore.Progress{Elapsed: time.Duration(ms) * time.Millisecond, Runs: runs}
	}
	done := func(ms, runs int) explore.Progress {
		p := at(ms, runs)
		p.Done = true
		return p
	}
	for _, c := range []struct {
		name     string
		terminal bool
		told     []explore.Progress
		want     string
	}{
		{"short", true, []explore.Progress{at(20, 1), at(900, 2), done(999, 3)}, ""},
		{"over before it was asked", true, []explore.Progress{done(4000, 3)}, ""},
		{"a terminal", true, []explore.Progress{at(900, 1), at(1000, 2), at(1500, 3), at(2000, 4), done(2100, 5)},
			"\r    T: 2 runs, 1.0 s, no failures\r    T: 4 runs, 2.0 s, no failures\r    T: 5 runs, 2.1 s, no failures\n"},
		{"a shorter line", true, []explore.Progress{at(1000, 100), at(5000, 2), at(9000, 3), done(11_000, 4)},
			"\r    T: 100 runs, 1.0 s, no failures\r    T: 2 runs, 5.0 s, no failures  \r    T: 3 runs, 9.0 s, no failures\r    T: 4 runs, 11 s, no failures \n"},
		{"short for a log", false, []explore.Progress{at(1000, 1), at(4900, 2), done(4999, 3)}, ""},
		{"a log", false, []explore.Progress{at(1000, 1), at(5000, 2), at(6000, 3), at(9900, 4), at(10_000, 5), done(10_100, 6)},
			"    T: 2 runs, 5.0 s, no failures\n    T: 5 runs, 10 s, no failures\n    T: 6 runs, 10 s, no failures\n"},
	} {
		var b strings.Builder
		print := report.Printer(&b, "T", c.terminal)
		for _, p := range c.told {
			print(p)
		}
		if b.String() != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, b.String(), c.want)
		}
	}
}

func TestIsTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if report.IsTerminal(file) || report.IsTerminal(io.Discard) {
		t.Error("a file, or what is none, is taken for a terminal")
	}
}
