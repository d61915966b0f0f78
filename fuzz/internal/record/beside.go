package record

import "github.com/jostle-go/jostle/fuzz/internal/words"

// beside writes the steps of the failing run and of the nearest passing run side by side, and marks
// the swapped steps. It writes nothing if no passing run is known.
func (p *Record) beside(w *Writer) {
	if p.Passing == nil || len(p.Steps) == 0 {
		return
	}
	marked := map[int]bool{}
	for _, pair := range p.Passing.Swapped {
		marked[pair[0]], marked[pair[1]] = true, true
	}
	delete(marked, -1)
	cell := func(known bool, mark bool, number, text string) {
		if !known {
			w.Put("<td></td><td></td>")
			return
		}
		class := map[bool]string{true: "edge", false: ""}[mark]
		w.Put("<td class=\"faint\">%s</td><td class=\"%s\">%s</td>", number, class, text)
	}
	w.Put("<%s>The nearest passing run</%s>\n<p>It differs in %s.</p>\n"+Scroll+"<table>\n<tr><th>step</th><th>fails</th><th>step</th><th>passes</th></tr>\n",
		w.below, w.below, words.Count(p.Passing.Swaps, "swap"), "Both runs side by side")
	for i := range max(len(p.Steps), len(p.Passing.Steps)) {
		w.Put("<tr>")
		if fails := i < len(p.Steps); fails {
			cell(true, marked[i], num(i), p.inWords(&p.Steps[i]))
		} else {
			cell(false, false, "", "")
		}
		if passes := i < len(p.Passing.Steps); passes {
			s := &p.Passing.Steps[i]
			cell(true, marked[s.Step], num(i), s.Label)
		} else {
			cell(false, false, "", "")
		}
		w.Put("</tr>\n")
	}
	w.Put("</table></div>\n")
}
