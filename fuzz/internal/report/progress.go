// Package report writes for people how far an exploration is.
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

// Progress returns one line that says how far an exploration is, such as
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

// whole returns how long all of an exploration takes and which part is done, as
// far as that is known. An estimate that was too small says no more than that, and
// one beyond all times says what to make of it.
func whole(p explore.Progress) string {
	switch {
	case p.Done || p.Estimate == 0:
		return ""
	case words.IsVast(p.Estimate):
		return fmt.Sprintf(" (%s orders: not this way)", words.Roughly(p.Estimate, 0))
	case p.Estimate <= float64(p.Runs):
		return " (more runs than estimated)"
	case p.Left >= explore.TooLong:
		return fmt.Sprintf(" of centuries (under 1%% of %s)", words.Roughly(p.Estimate, 0))
	}
	return fmt.Sprintf(" of about %s (%s of %s)", words.InOneUnit(p.Elapsed+p.Left), percent(p), words.Roughly(p.Estimate, 0))
}

// percent returns which part is done.
func percent(p explore.Progress) string {
	part := 100 * float64(p.Runs) / p.Estimate
	if part < 1 {
		return "under 1%"
	}
	return fmt.Sprintf("%d%%", int(part))
}

// Nothing is printed of what takes no longer than these. A line that stays is
// worth more time than one that is written over.
const (
	waitForLine = time.Second
	waitForLog  = 5 * time.Second
)

// Printer returns what writes the progress of a search to w, each line with the
// name of the search: on a terminal one line a second that is written over,
// elsewhere a line every five seconds. Of a search that was shown the end is
// shown too.
func Printer(w io.Writer, name string, terminal bool) func(explore.Progress) {
	pr := &printer{w: w, name: trace.Visible(name), terminal: terminal, wait: waitForLog}
	if terminal {
		pr.wait = waitForLine
	}
	return pr.print
}

// A printer is what Printer returns.
type printer struct {
	w        io.Writer
	name     string
	terminal bool
	wait     time.Duration // between two lines
	next     time.Duration // when something is printed again
	shown    bool
	width    int // of the line that is written over
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

// IsTerminal reports whether lines of w can be written over.
func IsTerminal(w io.Writer) bool {
	f, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
