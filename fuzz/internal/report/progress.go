// Package report prints the progress of explorations and of shrinking.
package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Progress returns one line that describes the progress of an exploration, such as
//
//	12,400 runs, 310k/s, 40 ms of about 261 ms (15% of 81,000), no failures
func Progress(p explore.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs", words.Grouped(p.Runs))
	if p.Wasted > 0 {
		fmt.Fprintf(&b, " and %s wasted", words.Grouped(p.Wasted))
	}
	if p.Bound != "" {
		fmt.Fprintf(&b, " with %s", p.Bound)
	}
	if p.Rate > 0 {
		fmt.Fprintf(&b, ", %s/s", words.Short(p.Rate))
	}
	fmt.Fprintf(&b, ", %s", words.InOneUnit(p.Elapsed))
	b.WriteString(whole(p))
	switch p.Failures {
	case 0:
		b.WriteString(", no failures")
	case 1:
		b.WriteString(", 1 failure")
	default:
		fmt.Fprintf(&b, ", %s failures", words.Grouped(p.Failures))
	}
	return b.String()
}

// whole returns the estimated total time of an exploration and the percentage that is done. If the
// estimate has proved too small, or there are too many orders to explore, it returns a text that
// says so.
func whole(p explore.Progress) string {
	switch {
	case p.Done || p.Estimate == 0:
		return ""
	case words.IsVast(p.Estimate):
		return fmt.Sprintf(" (%s orders: too many to explore)", words.Roughly(p.Estimate, 0))
	case p.Estimate <= float64(p.Runs):
		return " (more runs than estimated)"
	case p.Left >= explore.TooLong:
		return fmt.Sprintf(" of centuries (under 1%% of %s)", words.Roughly(p.Estimate, 0))
	}
	return fmt.Sprintf(" of about %s (%s of %s)", words.InOneUnit(p.Elapsed+p.Left), percent(p), words.Roughly(p.Estimate, 0))
}

// percent returns the percentage of the estimated runs that is done.
func percent(p explore.Progress) string {
	part := 100 * float64(p.Runs) / p.Estimate
	if part < 1 {
		return "under 1%"
	}
	return fmt.Sprintf("%d%%", int(part))
}

// The intervals between lines of progress. A search that ends before the first line prints nothing.
const (
	waitForLine = time.Second     // the interval on a terminal, where each line overwrites the previous line
	waitForLog  = 5 * time.Second // the interval if the output is not a terminal
)

// Printer returns a function that writes the progress of an exploration with the given name to w.
// On a terminal, the function overwrites one line each second. Elsewhere it writes a line every
// five seconds. If it has written a line, it also writes the final result.
func Printer(w io.Writer, name string, terminal bool) func(explore.Progress) {
	pr := &printer{w: w, name: trace.Visible(name), terminal: terminal, wait: waitForLog}
	if terminal {
		pr.wait = waitForLine
	}
	return pr.print
}

// A printer holds the state of the function that Printer returns.
type printer struct {
	w        io.Writer
	name     string
	terminal bool
	wait     time.Duration // the interval between two lines
	next     time.Duration // the time of the next line
	shown    bool          // set if a line was written
	width    int           // the width of the line to overwrite
}

func (pr *printer) print(p explore.Progress) {
	if p.Done && !pr.shown || !p.Done && p.Elapsed < max(pr.wait, pr.next) {
		return
	}
	pr.shown, pr.next = true, p.Elapsed+pr.wait
	text := "    " + pr.name + ": " + Progress(p)
	if !pr.terminal {
		fmt.Fprintln(pr.w, text)
		return
	}
	fmt.Fprintf(pr.w, "\r%-*s", pr.width, text)
	pr.width = len(text)
	if p.Done {
		fmt.Fprintln(pr.w)
	}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
