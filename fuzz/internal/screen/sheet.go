package screen

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Sheet is a terminal that shows one text at a time, for the walk through a run by
// keys.
type Sheet struct {
	Out *Output
	// Size returns how many columns and rows the terminal has now.
	Size    func() (columns, rows int)
	Heading string
}

const (
	clearAll = "\x1b[2J\x1b[H"
	keysHelp = "n next  p back  f failure  a next of actor  17⏎ step 17  h help  q quit"
)

// Show shows a text, and below it what was typed.
func (s *Sheet) Show(text, typed string) {
	columns, rows := s.Size()
	lines := Fold(trace.Visible(s.Heading+"\n"+text), columns)
	if most := max(1, rows-3); len(lines) > most {
		left := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("… %d more lines: enlarge the terminal", left))
	}
	s.Out.raw(fmt.Sprintf("%s%s\r\n\r\n%s\r\n:%s", clearAll, strings.Join(lines, "\r\n"), Cut(keysHelp, columns), Cut(Inline(typed), columns-2)))
}

// Close leaves the text on the terminal, and the cursor below it.
func (s *Sheet) Close() { s.Out.raw("\r\n") }
