package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

const (
	mostUnfolded = 3   // stretches of at most this many steps that do not matter are not folded
	mostRows     = 200 // in a longer fold, each row is only a line of text
	mostCell     = 160 // the maximum number of characters of a cell in a row; the details of the step show the complete text
)

// matters returns the steps that a reader should see first: those of the messages that decide, the
// deciding step, the swapped steps and the step that failed.
func (p *Record) matters() map[int]bool {
	list := map[int]bool{}
	for _, place := range p.Places {
		list[place.Step] = true
	}
	if point := p.why().Point; point != nil {
		list[point.Step] = true
	}
	if p.Passing != nil {
		for _, pair := range p.Passing.Swapped {
			list[pair[0]], list[pair[1]] = true, true
		}
	}
	for i := range p.Steps {
		if p.Steps[i].Failed {
			list[i] = true
		}
	}
	return list
}

// folding writes rows 0 to n-1. It folds consecutive rows that do not matter to one line, which the
// reader can open. In a very long fold, each row is only a line of text, so that a browser opens the
// page quickly.
func (w *Writer) folding(n int, matters func(int) bool, row func(int), text func(int) string) {
	for i := 0; i < n; i++ {
		end := i
		for end < n && !matters(end) {
			end++
		}
		fold := end-i > mostUnfolded
		if fold {
			w.Put("<details class=\"fold\"><summary>%s</summary>\n", fmt.Sprintf("%s, %s to %s", words.Count(end-i, "step"), num(i), num(end-1)))
		}
		long := end-i > mostRows
		if long {
			w.Put("<pre>")
		}
		for ; i < end; i++ {
			if long {
				w.Put("%s\n", text(i))
			} else {
				row(i)
			}
		}
		if long {
			w.Put("</pre>")
		}
		if fold {
			w.Put("</details>\n")
		}
		if end < n {
			row(end)
		}
	}
}

// steps writes the steps as a chart: a column for each actor, a row for each step, and in it an arrow
// from the sender to the receiver. A narrow page has a list in place of the columns. Each row opens and
// shows all that is known about the step.
func (p *Record) steps(w *Writer) {
	if len(p.Steps)+len(p.Waiting) == 0 {
		return
	}
	w.Put("<%s>Steps</%s>\n<div class=\"scroll steps\" tabindex=\"0\" role=\"region\" aria-label=\"Steps\" style=\"--lanes:%s\">\n", w.below, w.below, num(max(1, len(p.Actors))))
	w.Put("<div class=\"names\" aria-hidden=\"true\"><span class=\"n\"></span><span class=\"columns\">")
	for _, name := range p.Actors {
		w.Put("<b title=\"%s\">%s</b>", name, name)
	}
	w.Put("</span><span></span></div>\n")
	matters := p.matters()
	w.folding(len(p.Steps), func(i int) bool { return matters[i] }, func(i int) { p.step(w, &p.Steps[i], matters[i]) }, func(i int) string { return p.line(&p.Steps[i]) })
	w.folding(len(p.Waiting), func(int) bool { return false }, func(i int) {
		m := &p.Waiting[i]
		w.Put("<details class=\"step lost\"><summary><span class=\"n\"></span>")
		p.arrow(w, m)
		w.Put("<span class=\"now\">not received</span></summary><div class=\"more\">%s</div></details>\n", m.sent())
	}, func(i int) string { return p.arrowText(&p.Waiting[i]) + "  " + p.Waiting[i].sent() })
	w.Put("</div>\n")
	if p.LeftOut > 0 {
		w.Put("<p>%s more steps are left out.</p>\n", words.Grouped(p.LeftOut))
	}
	w.Put("<p class=\"faint\">An arrow leads from the sender of a message to its receiver. The messages that decide are in color. A step opens.</p>\n")
}

// step writes a row and the details below it.
func (p *Record) step(w *Writer, s *Step, matters bool) {
	class := "step"
	if matters {
		class += " race"
	}
	w.Put("<details class=\"%s\" id=\"%sstep%s\"><summary><span class=\"n\">%s</span>", class, w.id, num(s.Number), num(s.Number))
	p.arrow(w, &s.Message)
	w.Put("<span class=\"now\">")
	if s.Failed {
		w.Put("<b class=\"bad\">%s</b> ", trace.FailedHere)
	}
	if p.decides(s) {
		w.Put("<b class=\"edge\">%s</b> ", Decides(p.Why.Point))
	}
	w.Put("%s</span></summary><div class=\"more\">%s</div></details>\n", cut(p.changed(s), mostCell), p.inWords(s)+"\n"+strings.Join(append(p.facts(s), s.After...), "\n"))
}

// line describes a step in one line.
func (p *Record) line(s *Step) string {
	return fmt.Sprintf("%5d  %s  %s  %s", s.Number, p.inWords(s), p.changed(s), strings.Join(p.facts(s), ", "))
}

// facts returns what is known about a step except its message and states.
func (p *Record) facts(s *Step) []string {
	lines := []string{s.sent()}
	if what, at := handled(s.Handled, s.Handler); at != "" {
		lines = append(lines, what+at)
	}
	for _, c := range s.Calls {
		lines = append(lines, c.What+" "+c.Text+" at "+c.At)
	}
	for _, line := range s.Log {
		lines = append(lines, "log: "+line)
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// arrow writes the cell of a message. The names of the actors are in it for pages without columns.
func (p *Record) arrow(w *Writer, m *Message) {
	from, to := max(m.From, 0), max(m.To, 0)
	if m.From < 0 {
		from = to
	}
	class := map[bool]string{true: "arrow", false: "arrow back"}[from <= to]
	if from == to {
		class = "arrow self"
	}
	w.Put("<span class=\"columns\"><span class=\"%s\" style=\"--at:%s;--over:%s\"><span class=\"who\">%s → %s: </span>%s</span></span>",
		class, num(min(from, to)), num(max(from, to)-min(from, to)), p.name(m.From), p.name(m.To), cut(m.Label, mostCell))
}

// changed describes the state after a step as the difference to the state before.
func (p *Record) changed(s *Step) string {
	if len(s.Changes) == 0 {
		return strings.Join(s.After, "  ")
	}
	var parts []string
	for i := range s.Changes {
		text := strings.Join(s.Changes[i].inWords(), "")
		if actor := s.Changes[i].Actor; actor != p.name(s.To) {
			text = actor + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// sent says where a message was sent, "" if that is unknown.
func (m *Message) sent() string {
	switch {
	case m.SentIn >= 0 && m.SentAt != "":
		return fmt.Sprintf("sent in step %d at %s", m.SentIn, m.SentAt)
	case m.SentIn >= 0:
		return fmt.Sprintf("sent in step %d", m.SentIn)
	case m.SentAt != "":
		return "sent at " + m.SentAt
	}
	return ""
}

func num(n int) string { return fmt.Sprint(n) }
