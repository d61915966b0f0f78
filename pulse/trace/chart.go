package trace

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteChart writes t as a message chart: a line for each step in order,
// "action ──write──▶ writer", with a remark beside messages that were
// overtaken, and at the end the messages that were never received.
func (t *Trace) WriteChart(w io.Writer) error {
	_, err := io.WriteString(w, t.Chart())
	return err
}

// Chart returns what WriteChart writes.
func (t *Trace) Chart() string {
	r := newReading(t)
	c := chart{}
	remarks := r.overtakings()
	rests := r.Rests
	for i := range r.Steps {
		for len(rests) > 0 && int(rests[0]) <= i {
			c.addRest()
			rests = rests[1:]
		}
		c.add(r.chartLine(i, remarks[i]))
	}
	for i := range r.Sends {
		if s := &r.Sends[i]; s.Fate != Delivered {
			c.add(r.arrow(s), r.lossRemark(s))
		}
	}
	return c.text()
}

func (r *reading) chartLine(i int, overtaken string) (line, remark string) {
	step := &r.Steps[i]
	if step.Kind != Receive {
		return r.step(i), ""
	}
	send := &r.Sends[step.Send]
	if send.Kind.IsTimer() {
		return r.arrow(send), fmt.Sprintf("(at %v)", time.Duration(step.Time))
	}
	return r.arrow(send), overtaken
}

// lossRemark says why a message was not delivered.
func (r *reading) lossRemark(s *Send) string {
	switch {
	case s.Fate == Orphaned:
		return "(" + r.names.Of(s.To) + " had ended)"
	case s.Fate == Dropped:
		return "(lost)"
	case s.Kind.IsTimer():
		return "(never fired)"
	}
	return "(never received)"
}

// A chart is lines with remarks, which start in one column.
type chart struct {
	lines, remarks []string
}

func (c *chart) add(line, remark string) {
	c.lines = append(c.lines, line)
	c.remarks = append(c.remarks, remark)
}

// addRest adds one line however many rests there were between two steps, and
// none before the first step.
func (c *chart) addRest() {
	if n := len(c.lines); n > 0 && c.lines[n-1] != restLine {
		c.add(restLine, "")
	}
}

func (c *chart) text() string {
	const gap, tab = 4, 4
	column := 0
	for _, line := range c.lines {
		column = max(column, utf8.RuneCountInString(line)+gap)
	}
	column = (column + tab - 1) / tab * tab
	var b strings.Builder
	for i, line := range c.lines {
		b.WriteString(line)
		if c.remarks[i] != "" {
			b.WriteString(strings.Repeat(" ", column-utf8.RuneCountInString(line)))
			b.WriteString(c.remarks[i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
