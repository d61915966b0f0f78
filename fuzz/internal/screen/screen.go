package screen

import (
	"fmt"
	"strings"
	"sync"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Line is one of the lines that a Screen keeps at the bottom of a terminal.
type Line struct {
	Text string
	Bold bool
	Bad  bool // shown in red
}

// A Screen keeps a few lines at the bottom of a terminal. All other text is printed above
// these lines and scrolls. The methods may be called by any goroutine.
//
// Screen uses no library, because it needs only a few escape codes, and a library for whole
// applications (bubbletea) depends on sixteen modules.
type Screen struct {
	Out *Output
	// Size returns the current number of columns and rows of the terminal.
	Size  func() (columns, rows int)
	Color bool

	mu    sync.Mutex
	lines []Line
	drawn []int // the widths of the lines on the terminal
}

const (
	clearBelow = "\x1b[J"
	bold       = "\x1b[1m"
	red        = "\x1b[31m"
	plain      = "\x1b[0m"
)

// Draw replaces the lines at the bottom of the terminal. It cuts lines that are too long. If the
// terminal has too few rows, it omits the last lines.
func (s *Screen) Draw(lines []Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = lines
	s.redraw("", nil)
}

// Print prints a text above the lines at the bottom of the terminal. Links is as for
// Output.WriteLinked.
func (s *Screen) Print(text string, links map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redraw(text, links)
}

// Close removes the lines.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = nil
	s.redraw("", nil)
}

// redraw removes the lines at the bottom, prints a text, and draws the lines again below the text.
// It uses a single write, so that the terminal does not flicker.
func (s *Screen) redraw(text string, links map[string]string) {
	columns, rows := s.Size()
	columns, rows = max(columns, 1), max(rows, 2)
	var b strings.Builder
	b.WriteString(s.erase(columns))
	if text = strings.TrimRight(trace.Visible(text), "\n"); text != "" {
		if text = folded(text, columns); s.Out.Links {
			text = linked(text, links)
		}
		b.WriteString(text + "\n")
	}
	s.drawn = s.drawn[:0]
	for i, line := range s.lines[:min(len(s.lines), rows-1)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := Cut(Inline(line.Text), columns-1) // a line that fills all columns may wrap
		s.drawn = append(s.drawn, trace.Width(text))
		b.WriteString(s.styled(text, line))
	}
	s.Out.raw(b.String())
}

// erase returns the escape codes that remove the lines at the bottom. If the terminal has become
// narrower, a line occupies several rows.
func (s *Screen) erase(columns int) string {
	if len(s.drawn) == 0 {
		return ""
	}
	rows := 0
	for _, width := range s.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	if rows == 1 {
		return "\r" + clearBelow
	}
	return fmt.Sprintf("\r\x1b[%dA", rows-1) + clearBelow
}

// styled returns text with the escape codes for the style of its line.
func (s *Screen) styled(text string, line Line) string {
	if !s.Color || !line.Bold && !line.Bad {
		return text
	}
	style := ""
	if line.Bold {
		style = bold
	}
	if line.Bad {
		style += red
	}
	return style + text + plain
}
