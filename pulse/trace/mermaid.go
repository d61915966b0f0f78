package trace

import (
	"fmt"
	"strings"
	"time"
)

// Mermaid returns t as a Mermaid sequence diagram. props.T.Attach can save the
// diagram with a failing case.
func (t *Trace) Mermaid() string { return t.MermaidWith(int(None), nil, nil) }

// MermaidWith returns the diagram with additions. The lines above become a note
// over all actors. Step number failed is marked unless failed is None. marks
// returns lines for a message, by the message's index in Sends. If it returns
// lines, the message is colored and has a note with the lines. marks may be
// nil.
func (t *Trace) MermaidWith(failed int, above []string, marks func(send int) []string) string {
	d := diagram{reading: newReading(t), marks: marks}
	d.line("sequenceDiagram")
	for actor, name := range d.names {
		d.line("    participant %s as %s", alias(int32(actor)), mermaidText(name))
	}
	if len(above) > 0 {
		d.across(mermaidLines(above))
	}
	notes := d.noteGroups()
	rests, came := d.Rests, false
	strikes := d.Strikes
	for i := range d.Steps {
		if came, rests = skipRests(rests, i); came && !d.clockMoved(i) {
			d.rest()
		}
		strikes = d.addStrikes(d.fault, "", strikes, None, i)
		d.step(i)
		strikes = d.addStrikes(d.fault, "", strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			d.note(&d.Notes[note])
		}
		if i == failed {
			d.line("    Note over %s: %s", alias(d.Steps[i].Actor), FailedHere)
		}
	}
	if len(rests) > 0 {
		d.rest()
	}
	d.addStrikes(d.fault, "", strikes, None, len(d.Steps))
	for _, i := range d.missing() {
		d.marked(i, "-x", d.lossRemark(&d.Sends[i], 1))
	}
	return d.text.String()
}

// A diagram is a sequence diagram being written.
type diagram struct {
	*reading
	text  strings.Builder
	marks func(send int) []string // returns the lines of the note on a message; nil if no message has a note
}

func (d *diagram) line(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n", args...)
}

func (d *diagram) step(i int) {
	step := &d.Steps[i]
	if step.Kind != Receive {
		d.line("    Note over %s: %s", alias(step.Actor), mermaidText(d.reading.step(i)))
		return
	}
	send := &d.Sends[step.Send]
	switch {
	case send.Kind.IsTimer():
		d.marked(int(step.Send), "->>", fmt.Sprintf("(timer at %v)", time.Duration(step.Time)))
	case send.Kind == Reply:
		d.marked(int(step.Send), "-->>", "")
	default:
		d.marked(int(step.Send), "->>", "")
	}
}

// setOff begins a colored region. The color is visible on light and on dark
// backgrounds.
const setOff = "    rect rgba(130, 80, 223, 0.2)"

// marked draws a message. If d.marks returns lines for the message, the message
// is colored and has a note with the lines.
func (d *diagram) marked(send int, arrow, remark string) {
	var lines []string
	if d.marks != nil {
		lines = d.marks(send)
	}
	if len(lines) == 0 {
		d.message(&d.Sends[send], arrow, remark)
		return
	}
	d.line(setOff)
	d.message(&d.Sends[send], arrow, remark)
	d.line("    Note over %s: %s", alias(d.Sends[send].To), mermaidLines(lines))
	d.line("    end")
}

// message draws an arrow from sender to receiver. The arrow of a timer points
// from the receiver to itself, except for SendAfter.
func (d *diagram) message(s *Send, arrow, remark string) {
	from := s.From
	if s.Kind.IsTimer() && !s.sentLater() {
		from = s.To
	}
	label := s.Label()
	if s.Kind == Copy {
		label += copied
	}
	label = strings.TrimSpace(label + " " + remark)
	d.line("    %s%s%s: %s", alias(from), arrow, alias(s.To), mermaidText(label))
}

func (d *diagram) note(n *Note) {
	if n.Actor < 0 {
		return
	}
	d.line("    Note right of %s: %s", alias(n.Actor), mermaidLines(strings.Split(strings.TrimRight(n.Text, "\n"), "\n")))
}

func (d *diagram) rest() { d.across(restLine) }

func (d *diagram) across(text string) {
	across := alias(Test)
	if last := int32(len(d.Actors) - 1); last > Test {
		across += "," + alias(last)
	}
	d.line("    Note over %s: %s", across, text)
}

// fault draws a note across all actors about a fault.
func (d *diagram) fault(line string) { d.across(mermaidText(line)) }

// alias returns the identifier of an actor in the diagram, such as a3. Names
// could be keywords of Mermaid.
func alias(actor int32) string { return fmt.Sprintf("a%d", actor) }

// mermaidLines returns lines as the text of one note.
func mermaidLines(lines []string) string {
	var texts []string
	for _, line := range lines {
		texts = append(texts, mermaidText(oneLine(line)))
	}
	return strings.Join(texts, "<br/>")
}

// mermaidText replaces characters that are special in Mermaid (comments,
// directives, line ends, HTML, formulas) with character codes.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("#;:%<>&$\"", r), r < ' ':
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
