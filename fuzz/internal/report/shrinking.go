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

// mostWidth limits the width of a line, because a line that wraps on the terminal cannot be erased.
const mostWidth = 79

// Shrinking returns two functions. The function tell shows the progress of shrinking as one line on
// a terminal. The function erase erases this line. The line appears after a second and changes at
// most once a second. The cursor stays at the beginning of the line, so other output overwrites the
// line. The parameter now returns the current time. If w is not a terminal, tell is nil.
//
// If go test without package arguments runs on a terminal, the standard error of a test is the
// terminal. With package arguments it is a pipe.
func Shrinking(w io.Writer, name string, terminal bool, now func() time.Time) (tell func(shrink.Progress), erase func()) {
	if !terminal {
		return nil, func() {}
	}
	l := &erased{w: w, name: trace.Visible(name), now: now, begin: now()}
	l.next = l.begin.Add(waitForLine)
	return l.tell, func() { l.write("") }
}

// An erased is a line of progress on a terminal, which is erased at the end.
type erased struct {
	w     io.Writer
	name  string
	now   func() time.Time
	begin time.Time
	next  time.Time // the time of the next line
	width int       // the width of the current line
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

// write overwrites the previous line, and moves the cursor to the beginning of the line.
func (l *erased) write(line string) {
	if width := utf8.RuneCountInString(line); width+l.width > 0 {
		fmt.Fprintf(l.w, "%-*s\r", l.width, line)
		l.width = width
	}
}
