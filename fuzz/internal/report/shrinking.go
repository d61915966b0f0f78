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

// mostWidth limits the width of a line that is erased later. A wrapped line cannot be
// erased.
const mostWidth = 79

// Shrinking returns a function that shows the progress of shrinking on a terminal, and
// one that erases it. The first line comes after a second, and then at most one each
// second. The cursor stays at the beginning of the line, so other output overwrites it.
// Now is the clock. If w is not a terminal, nothing is written and tell is nil.
//
// The standard error of a test is a terminal if go test runs on one without package
// arguments. With package arguments it is a pipe.
func Shrinking(w io.Writer, name string, terminal bool, now func() time.Time) (tell func(shrink.Progress), erase func()) {
	if !terminal {
		return nil, func() {}
	}
	l := &erased{w: w, name: trace.Visible(name), now: now, begin: now()}
	l.next = l.begin.Add(waitForLine)
	return l.tell, func() { l.write("") }
}

// An erased is a line that is overwritten, and erased in the end.
type erased struct {
	w     io.Writer
	name  string
	now   func() time.Time
	begin time.Time
	next  time.Time // the time of the next line
	width int       // of the current line
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

// write overwrites the last line, and returns the cursor to its beginning.
func (l *erased) write(line string) {
	if width := utf8.RuneCountInString(line); width+l.width > 0 {
		fmt.Fprintf(l.w, "%-*s\r", l.width, line)
		l.width = width
	}
}
