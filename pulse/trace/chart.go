package trace

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteChart writes t as a message chart. Each step is one line, such as "3
// action ──write──▶ writer", followed by its log lines. Remarks on the right mark
// messages that were overtaken. A line "at rest" marks a point at which no
// message was deliverable and the test continued. Messages never received come
// last.
//
// A chart has at most about 200 lines. If it would be longer, steps that repeat
// until the end of the run are printed once, similar unreceived messages are
// grouped, and the middle is omitted. WriteText omits nothing.
func (t *Trace) WriteChart(w io.Writer) error {
	_, err := io.WriteString(w, t.Chart())
	return err
}

// Chart returns the chart that WriteChart writes.
func (t *Trace) Chart() string { return t.ChartWith(int(None), nil) }

// ChartWith returns the chart with two additions. It marks step number failed,
// unless failed is None. After the log lines of each step it adds the lines that
// below returns for the step. below may be nil.
func (t *Trace) ChartWith(failed int, below func(step int) []string) string {
	r := newReading(t)
	c := chart{}
	remarks, notes := r.overtakings(), r.noteGroups()
	rests, came := r.Rests, false
	strikes := r.Strikes
	for i := range r.Steps {
		if came, rests = skipRests(rests, i); came && !r.clockMoved(i) {
			c.add(None, restLine, "")
		}
		strikes = c.addStrikes(r, strikes, None, i)
		line, remark := r.chartLine(i, remarks[i])
		if i == failed {
			remark = strings.TrimSpace(remark + " " + failedHere)
		}
		c.add(int32(i), line, remark)
		strikes = c.addStrikes(r, strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			c.add(None, "  log: "+oneLine(r.Notes[note].Text), "")
		}
		if below != nil {
			for _, line := range below(i) {
				c.add(None, "  "+oneLine(line), "")
			}
		}
	}
	c.addStrikes(r, strikes, None, len(r.Steps))
	c.fold()
	c.addMissing(r)
	c.cut()
	return c.text()
}

// failedHere is the remark on the step at which a run failed.
const failedHere = "✗ fails here"

// addStrikes adds the faults that a step caused with a pulse.Nemesis. If step is
// None, it adds the faults that the test caused before step number limit. list
// begins with these faults. addStrikes returns the remaining faults.
func (c *chart) addStrikes(r *reading, list []Strike, step int32, limit int) (rest []Strike) {
	these, rest := strikesOf(list, step, limit)
	indent := "  "
	if step == None {
		indent = ""
	}
	for i := range these {
		c.add(None, indent+r.strike(&these[i]), "")
	}
	return rest
}

// clockMoved reports whether virtual time advanced just before step i. If it did,
// a quiescent point needs no line, because the chart shows the time of step i.
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

// addMissing adds the messages that were never received. If the chart becomes too
// long, it adds equal lines once, with their number.
func (c *chart) addMissing(r *reading) {
	missing := r.missing()
	short, times := len(c.rows)+len(missing) <= mostRows, map[chartRow]int{}
	var rows []chartRow
	for _, i := range missing {
		row := chartRow{None, r.arrow(&r.Sends[i]), r.lossRemark(&r.Sends[i])}
		if times[row]++; short || times[row] == 1 {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		if n := times[row]; !short && n > 1 {
			row.remark = fmt.Sprintf("%s, %d times)", strings.TrimSuffix(row.remark, ")"), n)
		}
		c.rows = append(c.rows, row)
	}
}

// missing returns the indices in Sends of all messages that were not delivered.
// It omits stopped timers.
func (r *reading) missing() (missing []int) {
	for i := range r.Sends {
		if s := &r.Sends[i]; s.Fate != Delivered && !s.stopped() {
			missing = append(missing, i)
		}
	}
	return missing
}

// stopped reports whether the message is a timer or poll that was stopped. Faults
// never drop such messages.
func (s *Send) stopped() bool { return (s.Kind.IsTimer() || s.Kind == Poll) && s.Fate == Dropped }

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

// A chart is a list of rows. All remarks start in the same column.
type chart struct{ rows []chartRow }

// A chartRow is one line of a chart with its remark.
type chartRow struct {
	step         int32 // the step that the line shows; None if it shows no step
	line, remark string
}

func (c *chart) add(step int32, line, remark string) {
	c.rows = append(c.rows, chartRow{step, line, remark})
}

const (
	mostRows      = 200 // maximum number of rows of a chart
	longestPeriod = 64  // maximum number of rows of a repeating pattern
	fewestRepeats = 4   // minimum number of repetitions for a pattern to be printed once
)

// fold shortens a chart that is too long. A pattern of rows that repeats until
// the last row is kept only once.
func (c *chart) fold() {
	if len(c.rows) <= mostRows {
		return
	}
	period, covered := c.pattern()
	times := covered / max(period, 1)
	if times < fewestRepeats {
		return
	}
	first := len(c.rows) - covered
	tail := append([]chartRow(nil), c.rows[first+times*period:]...)
	text := fmt.Sprintf("… these %d steps, %d times in a row", period, times)
	if period == 1 {
		text = fmt.Sprintf("… this step, %d times in a row", times)
	}
	c.rows = append(c.rows[:first+period], chartRow{None, text, ""})
	c.rows = append(c.rows, tail...)
}

// pattern finds the repeating pattern that covers most rows at the end of the
// chart. It returns the number of rows of the pattern and the number of rows that
// it covers. It ignores step numbers and remarks.
func (c *chart) pattern() (period, covered int) {
	for p := 1; p <= min(longestPeriod, len(c.rows)/2); p++ {
		i := len(c.rows) - 1
		for i >= p && c.rows[i].line == c.rows[i-p].line {
			i--
		}
		if n := len(c.rows) - 1 - i + p; n > p && n > covered+p {
			period, covered = p, n
		}
	}
	return period, covered
}

// cut removes the middle rows of a chart that is too long.
func (c *chart) cut() {
	out := len(c.rows) - mostRows
	if out <= 0 {
		return
	}
	head, tail := c.rows[:mostRows/2], c.rows[mostRows/2+out:]
	middle := chartRow{None, fmt.Sprintf("… %d lines are left out", out), ""}
	c.rows = append(append(append([]chartRow(nil), head...), middle), tail...)
}

func (c *chart) text() string {
	const gap, tab = 4, 4
	last, column := int32(0), 0
	for _, row := range c.rows {
		last = max(last, row.step)
		column = max(column, utf8.RuneCountInString(row.line)+gap)
	}
	width := len(strconv.Itoa(int(last)))
	column = (column + tab - 1) / tab * tab
	var b strings.Builder
	for _, row := range c.rows {
		number := ""
		if row.step != None {
			number = strconv.Itoa(int(row.step))
		}
		fmt.Fprintf(&b, "%*s  %s", width, number, row.line)
		if row.remark != "" {
			b.WriteString(strings.Repeat(" ", column-utf8.RuneCountInString(row.line)))
			b.WriteString(row.remark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
