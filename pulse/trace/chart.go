package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Chart returns t as a message chart. Each step is one line, such as "3
// action ──write──▶ writer", followed by its log lines. Remarks on the right mark
// messages that were overtaken. A line "at rest" marks a point at which no
// message was deliverable and the test continued. Messages never received come
// last.
//
// A chart has at most about 200 lines. If it would be longer, steps that repeat
// until the end of the run are printed once, similar unreceived messages are
// grouped, and the middle is omitted. Text omits nothing.
func (t *Trace) Chart() string { return t.ChartWith(ChartOptions{Failed: int(None)}) }

// ChartOptions are additions to a chart.
type ChartOptions struct {
	// Failed is the step in which the run failed, which gets a mark. It is None if
	// the run failed in no step.
	Failed int
	// Remark returns a remark on a step, which comes before the other remarks, or "".
	// It may be nil.
	Remark func(step int) string
	// Below returns lines that come after the log lines of a step. It may be nil.
	Below func(step int) []string
	// Columns is the maximum number of columns of the chart's lines. Longer lines are
	// shortened. Zero means no limit.
	Columns int
}

// ChartWith returns the chart with additions.
func (t *Trace) ChartWith(o ChartOptions) string {
	r := newReading(t)
	c := chart{}
	remarks, notes := r.overtakings(), r.noteGroups()
	rests, came := r.Rests, false
	strikes := r.Strikes
	for i := range r.Steps {
		if came, rests = skipRests(rests, i); came && !r.clockMoved(i) {
			c.add(restLine)
		}
		strikes = r.addStrikes(c.add, "  ", strikes, None, i)
		row := r.chartRow(i, remarks[i])
		if i == o.Failed {
			row.remark = strings.TrimSpace(row.remark + " " + failedHere)
		}
		if o.Remark != nil {
			row.remark = strings.TrimSpace(o.Remark(i) + " " + row.remark)
		}
		c.rows = append(c.rows, row)
		strikes = r.addStrikes(c.add, "  ", strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			c.add("  log: " + oneLine(r.Notes[note].Text))
		}
		if o.Below != nil {
			for _, line := range o.Below(i) {
				c.add("  " + oneLine(line))
			}
		}
	}
	r.addStrikes(c.add, "  ", strikes, None, len(r.Steps))
	c.fold()
	c.addMissing(r)
	c.cut()
	return c.text(o.Columns)
}

// failedHere is the remark on the step at which a run failed.
const failedHere = "✗ fails here"

// clockMoved reports whether virtual time advanced just before step i. If it did,
// a quiescent point needs no line, because the chart shows the time of step i.
func (r *reading) clockMoved(i int) bool { return i > 0 && r.Steps[i].Time != r.Steps[i-1].Time }

func (r *reading) chartRow(i int, overtaken string) chartRow {
	step := &r.Steps[i]
	if step.Kind != Receive {
		return chartRow{step: int32(i), line: r.step(i)}
	}
	send := &r.Sends[step.Send]
	row := chartRow{step: int32(i), remark: overtaken}
	if row.line, row.to = r.arrowTo(send); send.Kind.IsTimer() {
		row.remark = fmt.Sprintf("(at %v)", time.Duration(step.Time))
	}
	return row
}

// addMissing adds the messages that were never received. If the chart becomes too
// long, it adds equal lines once, with their number.
func (c *chart) addMissing(r *reading) {
	missing := r.missing()
	short, times := len(c.rows)+len(missing) <= mostRows, map[chartRow]int{}
	var rows []chartRow
	for _, i := range missing {
		row := chartRow{step: None, remark: r.lossRemark(&r.Sends[i])}
		row.line, row.to = r.arrowTo(&r.Sends[i])
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
	step   int32  // the step that the line shows; None if it shows no step
	line   string // the line's text without the field to
	to     string // the arrowhead and the receiver, which are never shortened; "" if the line has no arrow
	remark string
}

// add adds a line that shows no step.
func (c *chart) add(line string) { c.rows = append(c.rows, chartRow{step: None, line: line}) }

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
	c.rows = append(c.rows[:first+period], chartRow{step: None, line: text})
	c.rows = append(c.rows, tail...)
}

// pattern finds the repeating pattern that covers most rows at the end of the
// chart. It returns the number of rows of the pattern and the number of rows that
// it covers. It ignores step numbers and remarks.
func (c *chart) pattern() (period, covered int) {
	for p := 1; p <= min(longestPeriod, len(c.rows)/2); p++ {
		i := len(c.rows) - 1
		for i >= p && c.rows[i].line == c.rows[i-p].line && c.rows[i].to == c.rows[i-p].to {
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
	middle := chartRow{step: None, line: fmt.Sprintf("… %d lines are left out", out)}
	c.rows = append(append(append([]chartRow(nil), head...), middle), tail...)
}

// columns returns the number of columns of a row without its remark.
func (r *chartRow) columns() int {
	return utf8.RuneCountInString(r.line) + utf8.RuneCountInString(r.to)
}

const (
	gap, tab   = 4, 4 // remarks start at least gap columns after the longest line, at a multiple of tab
	mostRemark = 34   // the number of columns that remarks keep when lines must be shortened
)

// text returns the chart. Its lines have at most most columns; zero means no
// limit.
func (c *chart) text(most int) string {
	last, remarks := int32(0), 0
	for _, row := range c.rows {
		last = max(last, row.step)
		remarks = max(remarks, utf8.RuneCountInString(row.remark))
	}
	width := len(strconv.Itoa(int(last)))
	column := (c.widest(false) + gap + tab - 1) / tab * tab
	if most -= width + 2; most > 0 {
		start := column
		if column+remarks > most {
			start = min(c.widest(true)+2, most-min(remarks, mostRemark))
		}
		for i := range c.rows {
			c.rows[i].fit(start, most)
		}
		if column+remarks > most {
			column = c.widest(true) + 2
		}
		for i := range c.rows {
			c.rows[i].remark = Shortened(c.rows[i].remark, most-column)
		}
	}
	var b strings.Builder
	for _, row := range c.rows {
		number := ""
		if row.step != None {
			number = strconv.Itoa(int(row.step))
		}
		fmt.Fprintf(&b, "%*s  %s%s", width, number, row.line, row.to)
		if row.remark != "" {
			b.WriteString(strings.Repeat(" ", column-row.columns()))
			b.WriteString(row.remark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// widest returns the number of columns of the widest row without its remark, among the steps and the
// rows with a remark. If remarked is set, it ignores the steps without a remark.
func (c *chart) widest(remarked bool) (most int) {
	for i := range c.rows {
		if c.rows[i].remark != "" || !remarked && c.rows[i].step != None {
			most = max(most, c.rows[i].columns())
		}
	}
	return most
}

// fit shortens a row to at most the given number of columns, without its remark. If the row has a
// remark, which starts in the given column, fit leaves room for it.
func (r *chartRow) fit(column, most int) {
	if r.remark != "" {
		most = min(most, column-2)
	}
	r.line = Shortened(r.line, max(1, most-utf8.RuneCountInString(r.to)))
	r.to = Shortened(r.to, max(1, most-utf8.RuneCountInString(r.line)))
}

// Shortened returns a text with at most the given number of characters. A text
// that is too long ends with "…". It is cut between words if it thereby loses
// at most a few characters more.
func Shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	const costs = 12 // a cut between words may lose this many characters
	list := []rune(text)[:max(0, most-1)]
	for i := len(list) - 1; i > max(0, len(list)-costs); i-- {
		if strings.ContainsRune(" ,;:([", list[i]) {
			list = list[:i+1]
			break
		}
	}
	return strings.TrimRight(string(list), " ") + "…"
}
