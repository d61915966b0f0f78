package report

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// mostWidth is how many columns a line has that is erased later: one that a terminal
// breaks cannot be.
const mostWidth = 79

// Shrinking returns what tells on a terminal how far the shrinking of a failure is, and
// what erases that. It writes nothing in the first second, and then a line a second, at
// most. The cursor stays at the beginning of the line: whatever else is written to the
// terminal begins a line there. Now is the clock. If w is no terminal nothing is written,
// and tell is nil.
//
// The standard error of a test is a terminal when go test is called for the package of the
// working folder without naming it, on a terminal. When packages are named it is a pipe.
func Shrinking(w io.Writer, name string, terminal bool, now func() time.Time) (tell func(shrink.Progress), erase func()) {
	if !terminal {
		return nil, func() {}
	}
	l := &erased{w: w, name: trace.Visible(name), now: now, begin: now()}
	l.next = l.begin.Add(waitForLine)
	return l.tell, func() { l.write("") }
}

// An erased is a line that is written over, and erased at last.
type erased struct {
	w     io.Writer
	name  string
	now   func() time.Time
	begin time.Time
	next  time.Time // when something is written again
	width int       // of what stands there
}

func (l *erased) tell(p shrink.Progress) {
	now := l.now()
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(waitForLine)
	text := fmt.Sprintf(": shrinking, %s, from %s to %s, %s", words.Count(p.Runs, "run"), words.Count(p.From, "step"),
		words.Grouped(p.Steps), words.InOneUnit(now.Sub(l.begin)))
	name := []rune(l.name)
	if room := mostWidth - len("    ") - utf8.RuneCountInString(text); len(name) > room {
		name = append(name[:max(0, room-1)], '…')
	}
	l.write("    " + string(name) + text)
}

// write writes a line over the last one, and goes back to its beginning.
func (l *erased) write(line string) {
	if width := utf8.RuneCountInString(line); width+l.width > 0 {
		fmt.Fprintf(l.w, "%-*s\r", l.width, line)
		l.width = width
	}
}
