package trace

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteMermaid writes t as a Mermaid sequence diagram. See props.T.Attach for how
// to keep it beside a failing case.
func (t *Trace) WriteMermaid(w io.Writer) error {
	_, err := io.WriteString(w, t.Mermaid())
	return err
}

// Mermaid returns what WriteMermaid writes.
func (t *Trace) Mermaid() string {
	d := diagram{reading: newReading(t)}
	d.line("sequenceDiagram")
	for actor, name := range d.names {
		d.line("    participant %s as %s", alias(int32(actor)), mermaidText(name))
	}
	notes := d.noteGroups()
	rests, came := d.Rests, false
	strikes := d.Strikes
	for i := range d.Steps {
		if came, rests = skipRests(rests, i); came && !d.clockMoved(i) {
			d.rest()
		}
		strikes = d.strikes(strikes, None, i)
		d.step(i)
		strikes = d.strikes(strikes, int32(i), i)
		for _, note := range notes.of(int32(i)) {
			d.note(&d.Notes[note])
		}
	}
	if len(rests) > 0 {
		d.rest()
	}
	d.strikes(strikes, None, len(d.Steps))
	for _, s := range d.missing() {
		d.message(s, "-x", d.lossRemark(s))
	}
	return d.text.String()
}

// A diagram is a sequence diagram that is being written.
type diagram struct {
	*reading
	text strings.Builder
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
		d.message(send, "->>", fmt.Sprintf("(timer at %v)", time.Duration(step.Time)))
	case send.Kind == Reply:
		d.message(send, "-->>", "")
	default:
		d.message(send, "->>", "")
	}
}

// message draws one arrow. That of a timer goes from its receiver to itself, unless
// another has set it.
func (d *diagram) message(s *Send, arrow, remark string) {
	from := s.From
	if s.Kind.IsTimer() && !s.sentLater() {
		from = s.To
	}
	label := s.Label()
	if s.Kind == Copy {
		label += " (copy)"
	}
	label = strings.TrimSpace(label + " " + remark)
	d.line("    %s%s%s: %s", alias(from), arrow, alias(s.To), mermaidText(label))
}

func (d *diagram) note(n *Note) {
	if n.Actor < 0 {
		return
	}
	lines := strings.Split(strings.TrimRight(n.Text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = mermaidText(oneLine(line))
	}
	d.line("    Note right of %s: %s", alias(n.Actor), strings.Join(lines, "<br/>"))
}

// rest draws a note across all actors.
func (d *diagram) rest() { d.across(restLine) }

func (d *diagram) across(text string) {
	across := alias(Test)
	if last := int32(len(d.Actors) - 1); last > Test {
		across += "," + alias(last)
	}
	d.line("    Note over %s: %s", across, text)
}

// strikes draws a note for each fault that a step made happen, or the test before
// a step.
func (d *diagram) strikes(list []Strike, step int32, before int) (rest []Strike) {
	these, rest := strikesOf(list, step, before)
	for i := range these {
		d.across(mermaidText(d.strike(&these[i])))
	}
	return rest
}

// alias returns the name of an actor inside the diagram. It is no keyword of
// Mermaid.
func alias(actor int32) string { return fmt.Sprintf("a%d", actor) }

// mermaidText replaces characters that have a meaning in Mermaid (in comments,
// directives, line ends, HTML, formulas) by character codes.
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
