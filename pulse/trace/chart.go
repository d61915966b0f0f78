package trace

import (
	"fmt"
	"time"
)

// Chart returns t as a message chart. Each step is one line, such as "3
// action ──write──▶ writer", followed by its log lines. Remarks on the right mark
// messages that were overtaken. A line "at rest" marks a point at which no
// message was deliverable and the test continued. Messages never received come
// last.
//
// A chart has at most about 200 lines. If it would be longer, steps that repeat are
// printed once, similar unreceived messages are grouped, and the middle is omitted. In a
// chart of goroutines with more than 20 lines, steps that repeat are printed once, and most of
// those that a goroutine takes one after another are omitted. Text omits nothing.
func (t *Trace) Chart() string { return t.ChartWith(ChartOptions{Failed: int(None)}).Text(0) }

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
}

// ChartWith returns the rows of the chart with additions.
func (t *Trace) ChartWith(o ChartOptions) Rows {
	r := newReading(t)
	c := chart{}
	overtaken, preempted, notes := r.overtakings(), r.preempted(), r.noteGroups()
	rests, came := r.Rests, false
	strikes := r.Strikes
	for i := range r.Steps {
		if came, rests = skipRests(rests, i); came && !r.clockMoved(i) {
			c.add(restLine)
		}
		strikes = r.addStrikes(c.add, "  ", strikes, None, i)
		row := r.chartRow(i)
		if o.Remark != nil {
			row.mark(o.Remark(i))
		}
		if row.remark(overtaken[i]); row.send != None && r.Sends[row.send].Kind.IsTimer() {
			row.remark(Phrase{Text: fmt.Sprintf("(at %v)", time.Duration(r.Steps[i].Time))})
		}
		if preempted[i] != None {
			row.mark("← preempts " + r.names.Of(preempted[i]))
		}
		if i == o.Failed {
			row.mark(FailedHere)
		}
		c.rows = append(c.rows, row)
		strikes = r.addStrikes(c.add, "  ", strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			c.rows = append(c.rows, chartRow{step: None, send: None, line: oneLine(r.Notes[note].Text), logs: true})
		}
		if o.Below != nil {
			for _, line := range o.Below(i) {
				c.add("  " + oneLine(line))
			}
		}
	}
	r.addStrikes(c.add, "  ", strikes, None, len(r.Steps))
	c.gather(r)
	if _, interruptible := r.Preemptions(); interruptible {
		c.fold(shortChart)
	}
	c.fold(mostRows)
	c.addMissing(r)
	c.cut()
	return c.finish(r)
}

// FailedHere is the remark on the step at which a run failed.
const FailedHere = "✗ fails here"

// clockMoved reports whether virtual time advanced just before step i. If it did,
// a quiescent point needs no line, because the chart shows the time of step i.
func (r *reading) clockMoved(i int) bool { return i > 0 && r.Steps[i].Time != r.Steps[i-1].Time }

func (r *reading) chartRow(i int) chartRow {
	row := chartRow{step: int32(i), send: r.Steps[i].Send}
	if row.send == None {
		row.line = r.step(i)
	} else {
		row.line = r.arrow(&r.Sends[row.send])
	}
	return row
}

// addMissing adds the messages that were never received. If the chart becomes too
// long, it adds equal lines once, with their number.
func (c *chart) addMissing(r *reading) {
	type looks struct{ line, loss string }
	missing := r.missing()
	short, times := len(c.rows)+len(missing) <= mostRows, map[looks]int{}
	var rows []chartRow
	var kinds []looks
	for _, i := range missing {
		kind := looks{r.arrow(&r.Sends[i]), r.lossRemark(&r.Sends[i], 1)}
		if times[kind]++; short || times[kind] == 1 {
			rows, kinds = append(rows, chartRow{step: None, send: int32(i), line: kind.line}), append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		n := times[kind]
		if short {
			n = 1
		}
		rows[i].remark(Phrase{Text: r.lossRemark(&r.Sends[rows[i].send], n)})
	}
	c.rows = append(c.rows, rows...)
}

// stopped reports whether the message is a timer or poll that was stopped. Faults
// never drop such messages.
func (s *Send) stopped() bool { return (s.Kind.IsTimer() || s.Kind == Poll) && s.Fate == Dropped }

// A chart is a list of rows.
type chart struct{ rows []chartRow }

// A chartRow is one row of a chart before the labels of its messages have parts.
type chartRow struct {
	step    int32  // the step that the row shows; None if it shows no step
	send    int32  // the message that the row shows; None if it shows no message
	line    string // the text without remarks
	logs    bool   // set if the row shows a logged line
	remarks []Phrase
	marked  bool // set if the remarks say more than is typical of such rows
}

// add adds a row that shows no step and no message.
func (c *chart) add(line string) {
	c.rows = append(c.rows, chartRow{step: None, send: None, line: line})
}

// remark adds a remark, unless it is empty.
func (r *chartRow) remark(p Phrase) {
	if p.Text != "" {
		r.remarks = append(r.remarks, p)
	}
}

// gather shortens a chart that is not short. Of the steps by which an actor continues, it keeps the last
// one, after which the actor waits or is preempted, and those with remarks.
func (c *chart) gather(r *reading) {
	if len(c.rows) <= shortChart {
		return
	}
	var rows []chartRow
	for i := 0; i < len(c.rows); i++ {
		n := 0
		for i+n < len(c.rows) && len(c.rows[i+n].remarks) == 0 && r.continues(c.rows[i+n].send) {
			n++
		}
		if n > fewestGathered {
			text := fmt.Sprintf("… %d more steps of %s", n-1, r.names.Of(r.Sends[c.rows[i].send].To))
			rows = append(rows, chartRow{step: None, send: None, line: text})
			i += n - 1
		}
		rows = append(rows, c.rows[i])
	}
	c.rows = rows
}

// mark adds a remark that rows with the same text do not have, unless it is empty.
func (r *chartRow) mark(text string) {
	r.remark(Phrase{Text: text})
	r.marked = r.marked || text != ""
}

const (
	shortChart     = 20 // maximum number of rows of a chart of goroutines that stays as it is
	fewestGathered = 3  // maximum number of successive rows that gather leaves as they are

	mostRows      = 200 // maximum number of rows of a chart
	longestPeriod = 64  // maximum number of rows of a repeating pattern
	fewestRepeats = 4   // minimum number of repetitions for a pattern to be printed once
)

// fold shortens a chart with more than the given number of rows. It keeps a pattern of rows that repeats
// only once.
func (c *chart) fold(most int) {
	if len(c.rows) <= most {
		return
	}
	var rows []chartRow
	for i := 0; i < len(c.rows); {
		period, times := c.pattern(i)
		if times < fewestRepeats {
			rows = append(rows, c.rows[i])
			i++
			continue
		}
		text := fmt.Sprintf("… these %d steps, %d times in a row", period, times)
		if period == 1 {
			text = fmt.Sprintf("… this step, %d times in a row", times)
		}
		rows = append(append(rows, c.rows[i:i+period]...), chartRow{step: None, send: None, line: text})
		i += period * times
	}
	c.rows = rows
}

// pattern finds the pattern that covers most rows from row i on, by repeating. It returns the number of
// rows of the pattern, and how often these come. It ignores step numbers and most remarks.
func (c *chart) pattern(i int) (period, times int) {
	for p := 1; p <= min(longestPeriod, (len(c.rows)-i)/2); p++ {
		end := i + p
		for end < len(c.rows) && c.rows[end].line == c.rows[end-p].line && !c.rows[end].marked && !c.rows[end-p].marked {
			end++
		}
		if n := (end - i) / p; n >= fewestRepeats && n*p > period*times {
			period, times = p, n
		}
	}
	return period, times
}

// cut removes the middle rows of a chart that is too long.
func (c *chart) cut() {
	out := len(c.rows) - mostRows
	if out <= 0 {
		return
	}
	head, tail := c.rows[:mostRows/2], c.rows[mostRows/2+out:]
	middle := chartRow{step: None, send: None, line: fmt.Sprintf("… %d lines are left out", out)}
	c.rows = append(append(append([]chartRow(nil), head...), middle), tail...)
}

// finish returns the rows with the labels of their messages.
func (c *chart) finish(r *reading) Rows {
	rows := make(Rows, len(c.rows))
	var sends []*Send
	for _, row := range c.rows {
		if row.send != None {
			sends = append(sends, &r.Sends[row.send])
		}
	}
	labels := Phrases(sends)
	for i, row := range c.rows {
		rows[i] = Row{Step: int(row.step), Remarks: row.remarks}
		switch {
		case row.logs:
			rows[i].Log = row.line
			continue
		case row.send == None:
			rows[i].Text = row.line
			continue
		}
		rows[i].From, rows[i].Label = r.from(sends[0]), labels[0]
		if !sends[0].isOwn() {
			rows[i].To = r.names.Of(sends[0].To)
		}
		sends, labels = sends[1:], labels[1:]
	}
	return rows
}
