package screen

import (
	"fmt"
	"strings"
	"sync"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Line is one of the lines that stay on a terminal.
type Line struct {
	Text string
	Bold bool
	Bad  bool // in red
}

// A Screen keeps a few lines at the bottom of a terminal. Everything else is printed
// above them, and scrolls as usual. Any goroutine may call the methods.
//
// It writes escape codes without a library: it needs three of them, and a library for
// whole applications (bubbletea) brings sixteen modules.
type Screen struct {
	Out *Output
	// Size returns how many columns and rows the terminal has now.
	Size  func() (columns, rows int)
	Color bool

	mu    sync.Mutex
	lines []Line
	drawn []int // the width of each line as it was drawn
}

const (
	clearBelow = "\x1b[J"
	bold       = "\x1b[1m"
	red        = "\x1b[31m"
	plain      = "\x1b[0m"
)

// Draw replaces the lines that were shown before. It cuts lines that are too long,
// and leaves out those that the terminal has no room for.
func (s *Screen) Draw(lines []Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = lines
	s.redraw("")
}

// Print prints a text above the lines.
func (s *Screen) Print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redraw(text)
}

// Close removes the lines.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = nil
	s.redraw("")
}

// redraw prints a text in place of the lines, and the lines below it. It does so in
// one write, so that nobody sees half of it.
func (s *Screen) redraw(text string) {
	columns, rows := s.Size()
	columns, rows = max(columns, 1), max(rows, 2)
	var b strings.Builder
	b.WriteString(s.erase(columns))
	if text = strings.TrimRight(trace.Visible(text), "\n"); text != "" {
		b.WriteString(text + "\n")
	}
	s.drawn = s.drawn[:0]
	for i, line := range s.lines[:min(len(s.lines), rows-1)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := Cut(Inline(line.Text), columns-1) // terminals differ in what a full line does
		s.drawn = append(s.drawn, Width(text))
		b.WriteString(s.styled(text, line))
	}
	s.Out.raw(b.String())
}

// erase returns the codes that remove the lines. If the terminal has become narrower
// since they were drawn, a line may take several rows.
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

// styled returns a line with its colors, if it has any.
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
