package screen

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Sheet shows one text at a time on a whole terminal. It is used to step through a run with
// keys.
type Sheet struct {
	Out *Output
	// Size returns the current number of columns and rows of the terminal.
	Size    func() (columns, rows int)
	Heading string
}

const (
	clearAll = "\x1b[2J\x1b[H"
	keysHelp = "n next  p back  f failure  a next of actor  17⏎ step 17  h help  q quit"
)

// Show shows the heading, a text, and the command that is being typed.
func (s *Sheet) Show(text, typed string) {
	columns, rows := s.Size()
	lines := trace.Fold(trace.Visible(s.Heading+"\n"+text), columns, 2, false)
	if most := max(1, rows-3); len(lines) > most {
		left := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("… %d more lines: enlarge the terminal", left))
	}
	s.Out.raw(fmt.Sprintf("%s%s\r\n\r\n%s\r\n:%s", clearAll, strings.Join(lines, "\r\n"), Cut(keysHelp, columns), Cut(Inline(typed), columns-2)))
}

// Close leaves the text on the terminal, and the cursor below it.
func (s *Sheet) Close() { s.Out.raw("\r\n") }
