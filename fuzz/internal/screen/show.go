package screen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A sheet builds a text line by line.
type sheet struct{ strings.Builder }

func (b *sheet) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// list writes a title and, below the title, texts of one or more lines each. It writes nothing if
// there are no texts.
func (b *sheet) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.line("  %s", title)
	for _, text := range lines {
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			b.line("    %s", Inline(line))
		}
	}
}

// Show returns a description of the current step, or of the end of the run.
func (s *Stepper) Show() string {
	b := &sheet{}
	if s.at == s.steps {
		s.showEnd(b)
		return b.String()
	}
	m, problem := s.moment(s.at)
	if problem != "" {
		return problem
	}
	title := fmt.Sprintf("step %d of %d", s.at, s.steps-1)
	if s.at == 0 {
		title = fmt.Sprintf("step 0, the first of %d", s.steps)
	}
	if m.Time != "" {
		title += ", at " + m.Time
	}
	if m.Failed {
		title += "  " + trace.FailedHere
	}
	b.line("%s", title)
	s.arrow(b, "  ", &m.Message, "")
	if how := s.how(m); how != "" {
		b.line("  %s", how)
	}
	s.showState(b, m)
	b.list("others have changed", m.After)
	s.showOthers(b, m)
	b.list("answers", m.Choices)
	b.list("faults", m.Faults)
	b.list("log", m.Log)
	if m.Failed {
		b.list("failed", []string{s.walk.Failure})
	}
	return b.String()
}

// row returns a message, or a fault, as a row of a chart.
func (s *Stepper) row(m *record.Message) trace.Row {
	if m.From < 0 {
		return trace.Row{Step: -1, Text: Inline(m.Label)}
	}
	return trace.Row{Step: -1, From: s.actor(m.From), Label: trace.Phrase{Text: Inline(m.Label), Parts: m.Parts}, To: s.actor(m.To)}
}

// arrow writes a message with its sender and receiver, such as "client ──deposit(1)──▶ server", and what
// follows. If that is too long for a line, the receiver begins another line.
func (s *Stepper) arrow(b *sheet, indent string, m *record.Message, more string) {
	r := s.row(m)
	if r.To == "" {
		b.line("%s%s%s", indent, r.Text, more)
		return
	}
	from, to := indent+r.From+" ──"+r.Label.Text, "──▶ "+r.To+more
	if most := s.columns(); most > 0 && trace.Width(from+to) > most {
		from += "\n  " + indent
	}
	b.line("%s%s", from, to)
}

// how returns where the message of a step was sent and which code has received it.
func (s *Stepper) how(m *record.Moment) string {
	var parts []string
	if m.From >= 0 {
		parts = append(parts, sent(&m.Message))
	}
	if at := cmp.Or(m.Handled, m.Handler); at != "" {
		parts = append(parts, "received by "+Inline(at))
	}
	return strings.Join(parts, ", ")
}

// sent returns where a message was sent: "sent in step 3 at bank.go:21".
func sent(m *record.Message) string {
	text := "sent by the test"
	if m.SentIn >= 0 {
		text = fmt.Sprintf("sent in step %d", m.SentIn)
	}
	if m.SentAt != "" {
		text += " at " + Inline(m.SentAt)
	}
	return text
}

// showState writes the fields of the receiver. If the step has changed a field, showState writes
// "*" before the field, and both the old and the new value.
func (s *Stepper) showState(b *sheet, m *record.Moment) {
	if len(m.Before)+len(m.Now) == 0 {
		return
	}
	name := s.actor(m.To)
	switch {
	case len(m.Now) == 0:
		b.line("  %s before the step (its state after the step is unknown)", name)
	case len(m.Before) == 0:
		b.line("  %s after the step (its state before the step is unknown)", name)
	default:
		b.line("  %s", name)
	}
	if len(m.Before) == 0 || len(m.Now) == 0 {
		for _, f := range append(m.Before, m.Now...) {
			b.line("    %s", field(f.Name, f.Text))
		}
		return
	}
	now := map[string][]string{}
	for _, f := range m.Now {
		now[f.Name] = append(now[f.Name], f.Text)
	}
	for _, f := range m.Before {
		if list := now[f.Name]; len(list) == 0 {
			b.line("  * %s → nothing", field(f.Name, f.Text))
		} else if now[f.Name] = list[1:]; list[0] == f.Text {
			b.line("    %s", field(f.Name, f.Text))
		} else {
			b.line("  * %s → %s", field(f.Name, f.Text), Inline(list[0]))
		}
	}
	for _, f := range m.Now {
		if list := now[f.Name]; len(list) > 0 {
			now[f.Name] = list[1:]
			b.line("  * %s (new)", field(f.Name, list[0]))
		}
	}
}

func field(name, text string) string {
	if name == "" {
		return Inline(text)
	}
	return Inline(name) + ": " + Inline(text)
}

// showOthers writes the messages that were deliverable in addition to the message that was
// received.
func (s *Stepper) showOthers(b *sheet, m *record.Moment) {
	switch n := len(m.Others) + m.More; {
	case m.Fixed:
		return
	case n == 0:
		b.line("  nothing else was deliverable")
	default:
		b.line("  also deliverable (%d)", n)
		s.messages(b, m.Others, m.More)
	}
}

// messages writes a list of messages, and the number of further messages that are not in it.
func (s *Stepper) messages(b *sheet, list []record.Message, more int) {
	for i := range list {
		s.arrow(b, "    ", &list[i], ", "+sent(&list[i]))
	}
	if more > 0 {
		b.line("    and %d more", more)
	}
}

// showEnd writes how the run ended and which messages were never received.
func (s *Stepper) showEnd(b *sheet) {
	b.line("the end, after %s", words.Count(s.steps, "step"))
	switch s.walk.Failed {
	case -1:
		b.line("  the run did not fail")
	case s.steps:
		b.list(trace.FailedHere, []string{s.walk.Failure})
	default:
		b.line("  the run failed in step %d: type f to go there", s.walk.Failed)
	}
	if len(s.walk.Waiting) > 0 {
		b.line("  never received (%d)", len(s.walk.Waiting)+s.walk.More)
		s.messages(b, s.walk.Waiting, s.walk.More)
	}
	if s.steps == 0 {
		b.list("log", s.walk.Logs)
	}
}

// drawn returns the draws of the run and the log of the test, as text.
func (s *Stepper) drawn() string {
	b := &sheet{}
	if len(s.walk.Draws) == 0 {
		b.line("nothing was drawn")
	}
	b.list("drawn", s.walk.Draws)
	b.list("log of the test", s.walk.Logs)
	return b.String()
}

// sight is the number of steps that the method around lists on each side of the current step.
const sight = 5

// around returns a list of the steps before and after the current step, as text.
func (s *Stepper) around() string {
	b := &sheet{}
	var rows trace.Rows
	for i := max(0, s.at-sight); i < min(s.steps, s.at+sight+1); i++ {
		m, problem := s.moment(i)
		if problem != "" {
			b.WriteString(problem)
			break
		}
		row := s.row(&m.Message)
		if row.Step = i; m.Failed {
			row.Remarks = []trace.Phrase{{Text: trace.FailedHere}}
		}
		rows = append(rows, row)
	}
	mark := map[bool]string{true: ">", false: " "}
	last := -1
	for i, line := range rows.Lines(max(0, s.columns()-2)) {
		b.line("%s %s", mark[rows[i].Step == s.at && i > last], line)
		last = i
	}
	if s.at+sight >= s.steps {
		b.line("%s the end", mark[s.at == s.steps])
	}
	return b.String()
}
