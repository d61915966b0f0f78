package finding

import (
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostDrawn is the maximum number of steps of a run with a diagram.
const mostDrawn = 1000

// diagram returns the run as a Mermaid sequence diagram that marks the messages named in the
// explanation. It returns "" if the run is too long. Call it before the next run, which makes
// the actor references in t invalid.
func (f *Finding) diagram(t *trace.Trace) string {
	if len(t.Steps) > mostDrawn {
		return ""
	}
	r := f.outline()
	above := folded(strings.Split(r.FullHeadline(), "\n"))
	if why := r.Orders(); why != "" {
		above = append(above, folded(strings.Split(why, "\n"))...)
	}
	marks := map[int][]string{}
	if r.Why != nil {
		for _, c := range r.Why.Main() {
			if isMet(&c, t) {
				addMark(marks, c.First, "before "+c.Second.Text)
				addMark(marks, c.Second, "after "+c.First.Text)
			}
		}
	}
	return t.MermaidWith(f.Failure.Step, above, func(send int) []string { return marks[send] })
}

// isMet reports whether the run of a diagram satisfies a constraint: it received the first
// message, and did not receive the second one earlier.
func isMet(c *corpus.Constraint, t *trace.Trace) bool {
	if c.First.Send < 0 || max(c.First.Send, c.Second.Send) >= len(t.Sends) {
		return false
	}
	first := t.Sends[c.First.Send].Receipt
	if first == trace.None || c.Second.Send < 0 {
		return first != trace.None
	}
	second := t.Sends[c.Second.Send].Receipt
	return second == trace.None || first < second
}

// addMark adds a mark to a message, unless the message has it already or was not sent.
func addMark(marks map[int][]string, m corpus.Message, text string) {
	if m.Send >= 0 && !slices.Contains(marks[m.Send], text) {
		marks[m.Send] = append(marks[m.Send], text)
	}
}

// mostInNote limits the number of characters in a line of a note, because Mermaid does not wrap
// notes.
const mostInNote = 80

// folded wraps long lines, between words where possible.
func folded(lines []string) (list []string) {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, trace.Fold(line, mostInNote, 0, false)...)
		}
	}
	return list
}
