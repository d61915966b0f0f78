package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
)

// Progress returns one line that says how far an exploration is, such as
//
//	12,400 runs, 310k/s, 40 ms of about 261 ms (15% of 81,000), no failures
func Progress(p explore.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs", Grouped(p.Runs))
	if p.Wasted > 0 {
		fmt.Fprintf(&b, " and %s wasted", Grouped(p.Wasted))
	}
	if p.Bound != "" {
		fmt.Fprintf(&b, " with %s", p.Bound)
	}
	if p.Rate > 0 {
		fmt.Fprintf(&b, ", %s/s", Short(p.Rate))
	}
	fmt.Fprintf(&b, ", %s", InOneUnit(p.Elapsed))
	if p.Estimate > 0 && !p.Done {
		fmt.Fprintf(&b, " of about %s (%s of %s)", whole(p), percent(p), Roughly(p.Estimate, 0))
	}
	switch p.Failures {
	case 0:
		b.WriteString(", no failures")
	case 1:
		b.WriteString(", 1 failure")
	default:
		fmt.Fprintf(&b, ", %s failures", Grouped(p.Failures))
	}
	return b.String()
}

// whole returns how long all of an exploration takes.
func whole(p explore.Progress) string {
	if p.Left >= explore.TooLong {
		return "centuries"
	}
	return InOneUnit(p.Elapsed + p.Left)
}

// percent returns which part is done, never all of it before the end.
func percent(p explore.Progress) string {
	part := 100 * float64(p.Runs) / p.Estimate
	if part < 1 {
		return "under 1%"
	}
	return fmt.Sprintf("%d%%", int(min(part, 99)))
}

// logEvery is the time between two lines that stay.
const logEvery = 5 * time.Second

// Printer returns what writes progress to w: on a terminal one line that is
// written over, elsewhere a line at most every five seconds.
func Printer(w io.Writer, terminal bool) func(explore.Progress) {
	last, width := time.Duration(0), 0
	return func(p explore.Progress) {
		text := Progress(p)
		if terminal {
			end := ""
			if p.Done {
				end = "\n"
			}
			fmt.Fprintf(w, "\r%-*s%s", width, text, end)
			width = len(text)
			return
		}
		if p.Elapsed-last >= logEvery || p.Done {
			last = p.Elapsed
			fmt.Fprintln(w, text)
		}
	}
}
