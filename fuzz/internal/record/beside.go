package record

import "github.com/jostle-go/jostle/fuzz/internal/words"

// beside writes the steps of the failing run and of the nearest passing run side by side. It marks
// the swapped steps and the deciding step, and shows the states that they changed. It writes nothing
// if no passing run is known.
func (p *Record) beside(w *Writer) {
	if p.Passing == nil || len(p.Steps) == 0 {
		return
	}
	marked := map[int]bool{}
	for _, pair := range p.Passing.Swapped {
		marked[pair[0]], marked[pair[1]] = true, true
	}
	if point := p.why().Point; point != nil {
		marked[point.Step] = true
	}
	delete(marked, -1)
	cell := func(mark bool, number, text string, after []string) {
		class := map[bool]string{true: "edge", false: ""}[mark]
		w.Put("<td class=\"faint\">%s</td><td class=\"%s\">%s", number, class, text)
		for _, line := range after {
			if mark {
				w.Put("<div class=\"faint\">%s</div>", line)
			}
		}
		w.Put("</td>")
	}
	w.Put("<%s>The nearest passing run</%s>\n<p>It differs in %s.</p>\n"+Scroll+"<table>\n<tr><th>step</th><th>fails</th><th>step</th><th>passes</th></tr>\n",
		w.below, w.below, words.Count(p.Passing.Swaps, "swap"), "Both runs side by side")
	for i := range max(len(p.Steps), len(p.Passing.Steps)) {
		w.Put("<tr>")
		if i < len(p.Steps) {
			cell(marked[i], num(i), p.inWords(&p.Steps[i]), p.Steps[i].After)
		} else {
			cell(false, "", "", nil)
		}
		if i < len(p.Passing.Steps) {
			s := &p.Passing.Steps[i]
			cell(marked[s.Step], num(i), s.Label, s.After)
		} else {
			cell(false, "", "", nil)
		}
		w.Put("</tr>\n")
	}
	w.Put("</table></div>\n")
}
