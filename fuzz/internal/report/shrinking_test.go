package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/report"
	"github.com/jostle-go/jostle/shrink"
)

// TestShrinking checks what is printed while shrinking, and when. Short
// shrinking prints nothing. At the end the progress line is erased.
func TestShrinking(t *testing.T) {
	type told struct{ ms, runs, steps int }
	for _, c := range []struct {
		name string
		told []told
		want string
	}{
		{"T", nil, ""},
		{"T", []told{{0, 1, 31}, {999, 2, 30}}, ""},
		{"T", []told{{10, 1, 31}, {1000, 20, 30}, {1999, 30, 29}, {2000, 1234, 7}, {9500, 40_000, 7}},
			"    T: shrinking, 20 runs, from 31 steps to 30, 1.0 s\r" +
				"    T: shrinking, 1,234 runs, from 31 steps to 7, 2.0 s\r" +
				"    T: shrinking, 40,000 runs, from 31 steps to 7, 9.5 s\r" +
				strings.Repeat(" ", 56) + "\r"},
		{"T", []told{{1000, 10_000, 1000}, {120_000, 1, 1}},
			"    T: shrinking, 10,000 runs, from 31 steps to 1,000, 1.0 s\r" +
				"    T: shrinking, 1 run, from 31 steps to 1, 2 min          \r" +
				strings.Repeat(" ", 50) + "\r"},
		{"Täst" + strings.Repeat("é", 100), []told{{1000, 2, 3}},
			"    Täst" + strings.Repeat("é", 24) + "…: shrinking, 2 runs, from 31 steps to 3, 1.0 s\r" + strings.Repeat(" ", 79) + "\r"},
	} {
		var b strings.Builder
		now := time.Unix(0, 0)
		tell, erase := report.Shrinking(&b, c.name, true, func() time.Time { return now })
		for _, p := range c.told {
			now = time.Unix(0, 0).Add(time.Duration(p.ms) * time.Millisecond)
			tell(shrink.Progress{Runs: p.runs, From: 31, Steps: p.steps})
		}
		erase()
		if got := b.String(); got != c.want {
			t.Errorf("%v is written as\n%q, want\n%q", c.told, got, c.want)
		}
		written := b.Len()
		if erase(); b.Len() != written {
			t.Errorf("%v: erased twice", c.told)
		}
	}
}

// TestShrinkingIsForTerminals: if the output is no terminal, no progress is printed.
func TestShrinkingIsForTerminals(t *testing.T) {
	var b strings.Builder
	tell, erase := report.Shrinking(&b, "T", false, nil)
	if erase(); tell != nil || b.Len() > 0 {
		t.Errorf("%q is written, or the clock asked", b.String())
	}
}
