package trace

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteChart writes t as a message chart: one line for each step, such as
// "action ──write──▶ writer", with a remark beside messages that were overtaken.
// A rest after which the test went on has a line too. The messages that were
// never received come at the end.
func (t *Trace) WriteChart(w io.Writer) error {
	_, err := io.WriteString(w, t.Chart())
	return err
}

// Chart returns what WriteChart writes.
func (t *Trace) Chart() string {
	r := newReading(t)
	c := chart{}
	remarks := r.overtakings()
	rests, came := r.Rests, false
	for i := range r.Steps {
		if came, rests = skipRests(rests, i); came && !r.clockMoved(i) {
			c.add(restLine, "")
		}
		c.add(r.chartLine(i, remarks[i]))
	}
	for _, s := range r.missing() {
		c.add(r.arrow(s), r.lossRemark(s))
	}
	return c.text()
}

// clockMoved reports whether time passed just before step i. A rest at which
// only time passed needs no line, since the time of the next step is shown.
func (r *reading) clockMoved(i int) bool { return i > 0 && r.Steps[i].Time != r.Steps[i-1].Time }

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

// missing returns the messages that were not delivered, without timers that were
// stopped.
func (r *reading) missing() []*Send {
	var missing []*Send
	for i := range r.Sends {
		if s := &r.Sends[i]; s.Fate != Delivered && !s.stopped() {
			missing = append(missing, s)
		}
	}
	return missing
}

// stopped reports whether the message is a timer that was stopped, or would have
// ended a wait that is over. Faults drop neither.
func (s *Send) stopped() bool { return (s.Kind.IsTimer() || s.Kind == Poll) && s.Fate == Dropped }

// lossRemark returns the reason why a message was not delivered.
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

// A chart is lines with remarks. All remarks start in the same column.
type chart struct {
	lines, remarks []string
}

func (c *chart) add(line, remark string) {
	c.lines = append(c.lines, line)
	c.remarks = append(c.remarks, remark)
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
