package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Text returns everything in t as tables: the steps with their notes, the
// actors that received nothing, the undelivered messages, and the notes of the
// test. Step numbers are indices in t.Steps.
func (t *Trace) Text() string { return t.TextIn(0) }

// TextIn returns the text of Text. If the table of steps has more than the given number of columns, which is not zero,
// the labels of messages lose fields and elements.
func (t *Trace) TextIn(columns int) string {
	r := newReading(t)
	b := r.stepTable(columns)
	b = append(b, r.section("spawned, but never received:", r.silent())...)
	b = append(b, r.section("not delivered:", r.undelivered())...)
	b = append(b, r.section("notes of the test:", r.testNotes())...)
	return string(b)
}

func (r *reading) stepTable(columns int) []byte {
	if len(r.Steps) == 0 {
		return []byte("no steps\n")
	}
	steps := table{header: []string{"step", "time", "what", "from", "sent at", ""}, right: 2}
	notes, timed, at := r.noteGroups(), r.timed(), make([]int, len(r.Steps))
	rests, came := r.Rests, false
	strikes := r.Strikes
	for i := range r.Steps {
		if came, rests = skipRests(rests, i); came {
			steps.addLine(restLine)
		}
		strikes = r.addStrikes(steps.addLine, "      ", strikes, None, i)
		at[i] = len(steps.rows)
		steps.add(r.cells(i, timed)...)
		strikes = r.addStrikes(steps.addLine, "      ", strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			addNote(&steps, "      ", r.Notes[note].Text)
		}
	}
	if len(rests) > 0 {
		steps.addLine(restLine)
	}
	r.addStrikes(steps.addLine, "      ", strikes, None, len(r.Steps))
	if columns > 0 {
		r.shorten(&steps, at, columns)
	}
	return steps.appendTo(nil)
}

const (
	what     = 2  // the column of the table of steps that has the labels of messages
	leastFor = 20 // the least number of columns to which a table shortens texts with labels
)

// shorten shortens the labels in a table of steps that is too wide, as far as that helps. at has the row of each step.
func (r *reading) shorten(steps *table, at []int, columns int) {
	widths := steps.widths()
	most := max(leastFor, widths[what]-steps.width(widths)+columns)
	for i, row := range at {
		cell := &steps.rows[row].cells[what]
		if s := &r.Steps[i]; s.Send != None && Width(*cell) > most {
			p := r.Sends[s.Send].Phrase().then(received(r.names.Of(s.Actor), int(r.turns[i])), "")
			text, _ := p.Fit(most)
			*cell = Shortened(text, most)
		}
	}
}

func (r *reading) cells(i int, timed bool) []string {
	step := &r.Steps[i]
	at, from, sent := "", "", ""
	if timed {
		at = time.Duration(step.Time).String()
	}
	if step.Send != None {
		send := &r.Sends[step.Send]
		from, sent = r.from(send), stepName(send.Step)
	}
	return []string{strconv.Itoa(i), at, r.step(i), from, sent, r.flags(step)}
}

func (r *reading) flags(step *Step) string {
	var flags []string
	if step.Send != None && r.Sends[step.Send].Kind == Copy {
		flags = append(flags, "copy")
	}
	if step.Changed {
		flags = append(flags, "changed handlers")
	}
	if step.Settled {
		flags = append(flags, "settled")
	}
	return strings.Join(flags, ", ")
}

// timed reports whether virtual time ever advanced.
func (r *reading) timed() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Time != 0 })
}

// addNote adds a note of one or more lines.
func addNote(t *table, indent, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		t.addLine(indent + oneLine(line))
	}
}

// section returns a titled table, or nil if the table is empty.
func (r *reading) section(title string, rows table) []byte {
	if len(rows.rows) == 0 {
		return nil
	}
	return rows.appendTo([]byte("\n" + title + "\n"))
}

// silent lists the actors that received nothing.
func (r *reading) silent() table {
	received := make([]bool, len(r.Actors))
	for _, step := range r.Steps {
		received[step.Actor] = received[step.Actor] || step.Kind == Receive
	}
	silent := table{indent: "  "}
	for actor, a := range r.Actors {
		if actor == int(Test) || received[actor] {
			continue
		}
		by := "by " + r.names.Of(a.Parent)
		if a.Step != None {
			by += fmt.Sprintf(" at step %d", a.Step)
		}
		silent.add(r.names[actor], by)
	}
	return silent
}

func (r *reading) undelivered() table {
	lost := table{indent: "  "}
	for i := range r.Sends {
		if s := &r.Sends[i]; s.Fate != Delivered {
			lost.add(r.arrow(s), s.fateLabel(), origin(s))
		}
	}
	return lost
}

// origin says in which step a message was sent or a timer was set.
func origin(s *Send) string {
	verb := "sent"
	if s.Kind.IsTimer() {
		verb = "set"
	}
	if s.Step == None {
		return verb + " by " + testName
	}
	return fmt.Sprintf("%s at step %d", verb, s.Step)
}

func (r *reading) testNotes() table {
	var own table
	for _, note := range r.noteGroups().of(None) {
		addNote(&own, "  ", r.Notes[note].Text)
	}
	return own
}

func (r *reading) noteGroups() groups {
	return groupByStep(len(r.Steps), len(r.Notes), func(i int) int32 { return r.Notes[i].Step })
}
