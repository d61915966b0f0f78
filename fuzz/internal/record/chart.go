package record

import (
	"fmt"
	"strings"
)

// Sizes in the chart, in pixels unless stated otherwise. Each actor has a vertical line, called
// a lane, and each step has a row.
const (
	lane, row     = 150, 30 // the width of a lane and the height of a row
	left, top     = 90, 50  // the horizontal position of the first lane and the vertical position of the first row
	head          = 24      // the maximum length of a label or name, in characters
	tail          = 70      // the maximum length of the text next to a step, in characters
	mostCharted   = 300     // the maximum number of rows
	bulge         = 26      // how far a curve bulges out from its lane
	constraintGap = 7       // how much farther the curve of each further constraint bulges out
)

const failedHere = "✗ fails here"

func laneAt(actor int) int { return left + max(actor, 0)*lane }
func rowAt(step int) int   { return top + (step+1)*row }

// chart draws an arrow for each message, from the sender's line to the receiver's line, and a
// curve for each constraint.
func (p *Record) chart(w *Writer) {
	switch rows := len(p.Steps) + len(p.Waiting); {
	case rows == 0:
		return
	case rows > mostCharted:
		w.Put("<p class=\"faint\">There are too many steps for a chart.</p>\n")
		return
	}
	rows := len(p.Steps) + len(p.Waiting)
	width, height := laneAt(len(p.Actors)-1)+lane/2+tail*8, rowAt(rows)
	w.Put("<%s>Messages</%s>\n"+Scroll+"<svg width=\"%s\" height=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">\n",
		w.below, w.below, "Chart of the messages", num(width), num(height))
	w.Put(`<defs><marker id="%stip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" class="dot"/></marker></defs>`+"\n", w.id)
	for i, name := range p.Actors {
		w.Put("<line class=\"lane\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", num(laneAt(i)), num(top), num(laneAt(i)), num(height))
		w.Put("<text x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s<title>%s</title></text>\n", num(laneAt(i)), num(top-10), cut(name, head-6), name)
	}
	for i := range p.Steps {
		p.arrowOf(w, &p.Steps[i])
	}
	for i := range p.Steps { // the texts are drawn last, so that they are above all arrows
		p.textOf(w, &p.Steps[i])
	}
	for i := range p.Waiting {
		p.waiting(w, &p.Waiting[i], len(p.Steps)+i)
	}
	for i, c := range p.constraints() {
		p.edge(w, i, &c)
	}
	w.Put("</svg></div>\n<p class=\"faint\">An arrow leads from where a message was sent to where it was received. " +
		"Curves with numbers are the constraints above. A step leads to its row in the table.</p>\n")
}

// arrowOf draws the message that a step received, and a dot for the step.
func (p *Record) arrowOf(w *Writer, s *Step) {
	x, y := laneAt(s.To), rowAt(s.Number)
	w.Put("<g><title>%s</title>", p.title(s))
	if s.From >= 0 {
		from := y
		if s.SentIn >= 0 && s.SentIn < s.Number {
			from = rowAt(s.SentIn)
		}
		line(w, "sent", laneAt(s.From), from, x, y)
	}
	dot := "dot"
	if s.Failed {
		dot = "fails"
	}
	w.Put("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"3\"/></g>\n", dot, num(x), num(y))
}

// textOf writes the label of a step and the states that the step changed. The label links to
// the row of the step in the table.
func (p *Record) textOf(w *Writer, s *Step) {
	y := rowAt(s.Number)
	w.Put("<a href=\"#%sstep%s\"><title>%s</title><text class=\"faint\" x=\"8\" y=\"%s\">%s</text>", w.id, num(s.Number), p.title(s), num(y+4), num(s.Number))
	label(w, s.From, s.To, y, s.Label)
	w.Put("</a>\n")
	told := s.After
	if s.Failed {
		told = append([]string{failedHere}, told...)
	}
	if p.decides(s) {
		told = append([]string{Decides(p.Why.Point)}, told...)
	}
	if text := strings.Join(told, "  "); text != "" {
		class := map[bool]string{true: "fails", false: "faint"}[s.Failed]
		w.Put("<text class=\"%s\" x=\"%s\" y=\"%s\">%s<title>%s</title></text>\n", class, num(laneAt(len(p.Actors)-1)+lane/2), num(y+4), cut(text, tail), text)
	}
}

func (p *Record) title(s *Step) string { return fmt.Sprintf("%d  %s", s.Number, p.inWords(s)) }

// waiting draws a message that was not received. at is the row in which the arrow ends.
func (p *Record) waiting(w *Writer, m *Message, at int) {
	from := rowAt(at)
	if m.SentIn >= 0 && m.SentIn < at {
		from = rowAt(m.SentIn)
	}
	w.Put("<g><title>%s</title>", p.arrow(m)+" (not received)")
	line(w, "lost", laneAt(m.From), from, laneAt(m.To), rowAt(at))
	label(w, m.From, m.To, rowAt(at), m.Label)
	w.Put("</g>\n")
}

// line draws an arrow, or a loop if it begins and ends at the same actor.
func line(w *Writer, class string, x1, y1, x2, y2 int) {
	if x1 != x2 {
		w.Put("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" marker-end=\"url(#%stip)\"/>", class, num(x1), num(y1), num(x2), num(y2), w.id)
		return
	}
	if y1 == y2 {
		y1 -= row / 2
	}
	w.Put("<path class=\"%s\" d=\"M%s %sC%s %s %s %s %s %s\" marker-end=\"url(#%stip)\"/>", class, num(x1), num(y1),
		num(x1-bulge), num(y1), num(x2-bulge), num(y2), num(x2), num(y2), w.id)
}

// label writes the label of a message above the end of its arrow.
func label(w *Writer, from, to, y int, text string) {
	x, anchor := laneAt(to)-8, "end"
	if from > to {
		x, anchor = laneAt(to)+8, "start"
	}
	w.Put("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>", num(x), num(y-5), anchor, cut(text, head))
}

// edge draws constraint i as a curve between the steps that received its messages. It draws
// nothing if this run does not satisfy the constraint.
func (p *Record) edge(w *Writer, i int, c *constraint) {
	first, ok := p.stepOf(c.first.Step)
	if !ok {
		return
	}
	x1, y1 := laneAt(first.To), rowAt(first.Number)
	x2, y2 := x1, rowAt(len(p.Steps)+len(p.Waiting))
	if second, ok := p.stepOf(c.second.Step); ok {
		x2, y2 = laneAt(second.To), rowAt(second.Number)
	}
	if y2 < y1 {
		return
	}
	out, anchor := bulge+i*constraintGap, "start"
	if first.From > first.To { // the arrow and the label of first are to the right of the lane
		out, anchor = -out, "end"
	}
	w.Put("<g><title>%s</title><path class=\"edge\" d=\"M%s %sC%s %s %s %s %s %s\"/>", visible(c.First.Text+" before "+c.Second.Text), num(x1), num(y1),
		num(x1+out), num(y1), num(x2+out), num(y2), num(x2), num(y2))
	w.Put("<text class=\"edges\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text></g>\n", num((x1+x2)/2+out), num((y1+y2)/2+4), anchor, num(i+1))
}

// stepOf returns the step with the given number.
func (p *Record) stepOf(number int) (*Step, bool) {
	if number < 0 || number >= len(p.Steps) {
		return nil, false
	}
	return &p.Steps[number], true
}

func num(n int) string { return fmt.Sprint(n) }
