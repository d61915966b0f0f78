package fuzz

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
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
func (v *verb) newReporter(benchmark bool) *reporter {
	w := v.Progress
	if w == nil && testing.Verbose() && !benchmark {
		w = os.Stderr
	}
	if w == nil {
		return nil
	}
	return reporterTo(named{w, v.t.Name()}, isTerminal(w))
}

func reporterTo(w io.Writer, terminal bool) *reporter {
	wait := waitForLog
	if terminal {
		wait = waitForLine
	}
	return &reporter{print: explore.Printer(w, terminal), wait: wait}
}

// isTerminal says whether lines can be written over.
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
	v.AddTo(&p)
	r.tell(p)
}
