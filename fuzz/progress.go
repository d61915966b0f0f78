package fuzz

import (
	"io"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/report"
)

// A reporter writes how far an exploration is, if that takes long enough to be
// asked. A nil one writes nothing.
type reporter struct {
	print func(explore.Progress)
	wait  time.Duration // for how long nothing is said, at first and then each time
	next  time.Duration // when something is said again
	shown bool
}

// Nothing is said of what takes no longer than these. A line that stays is
// worth more time than one that is written over.
const (
	waitForLine = time.Second
	waitForLog  = 5 * time.Second
)

// newReporter returns nil when nobody wants to know.
func (x *exploring) newReporter() *reporter {
	w := x.Progress
	if w == nil && testing.Verbose() && !x.benchmark {
		w = os.Stderr
	}
	if w == nil {
		return nil
	}
	return reporterTo(named{w, x.t.Name()}, isTerminal(w))
}

func reporterTo(w io.Writer, terminal bool) *reporter {
	wait := waitForLog
	if terminal {
		wait = waitForLine
	}
	return &reporter{print: report.Printer(w, terminal), wait: wait}
}

// isTerminal reports whether lines can be written over.
func isTerminal(w io.Writer) bool {
	f, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A named writer says of each line which test it is about: several may run at
// the same time.
type named struct {
	w    io.Writer
	name string
}

// Write writes one line, or writes over it.
func (n named) Write(line []byte) (int, error) {
	text, over := strings.CutPrefix(string(line), "\r")
	text = "    " + n.name + ": " + text
	if over {
		text = "\r" + text
	}
	if _, err := io.WriteString(n.w, text); err != nil {
		return 0, err
	}
	return len(line), nil
}

// tell says how far an exploration is, if it is time to; and how far it came,
// if anything was said before.
func (r *reporter) tell(p explore.Progress) {
	if p.Elapsed < max(r.wait, r.next) && !p.Done || p.Done && !r.shown {
		return
	}
	r.shown, r.next = true, p.Elapsed+r.wait
	r.print(p)
}

// end says how far an exploration came.
func (r *reporter) end(v *Verdict) {
	if r == nil {
		return
	}
	p := explore.Progress{Elapsed: v.Elapsed, Done: true}
	addTo(&p, v)
	r.tell(p)
}

// tell says how far the exploration of one input is. While there may be others
// it is not known how many runs there are.
func (x *exploring) tell(p explore.Progress) {
	if x.inputs.single() {
		if !p.Done { // that is said when the verdict is there
			x.reporter.tell(p)
		}
		return
	}
	p.Elapsed, p.Estimate, p.Left, p.Done = time.Since(x.start), 0, 0, false
	addTo(&p, &x.verdict)
	x.reporter.tell(p)
}

// addTo adds what the inputs that are done with have come to.
func addTo(p *explore.Progress, v *Verdict) {
	p.Runs += v.Runs
	p.Wasted += v.Wasted + v.Cut
	for n := range maps.Values(v.Failures) {
		p.Failures += n
	}
	if s := p.Elapsed.Seconds(); s > 0 {
		p.Rate = float64(p.Runs+p.Wasted) / s
	}
}
