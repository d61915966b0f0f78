package record

import (
	"fmt"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// beside writes the steps of the failing run and of the nearest passing run side by side. It marks
// the steps that matter and shows the states that they changed. It writes nothing if no passing run is
// known.
func (p *Record) beside(w *Writer) {
	if p.Passing == nil || len(p.Steps) == 0 {
		return
	}
	marked := p.matters()
	delete(marked, -1)
	cell := func(mark bool, number, text string, after []string) {
		w.Put("<span class=\"n\">%s</span><span class=\"%s\">%s", number, map[bool]string{true: "edge", false: ""}[mark], text)
		for _, line := range after {
			if mark {
				w.Put("<span class=\"state\">%s</span>", line)
			}
		}
		w.Put("</span>")
	}
	differs := words.Count(p.Passing.Swaps, "swap")
	if p.Passing.Swaps > 1 {
		differs += ", the fewest that were found"
	}
	w.Put("<%s>The nearest passing run</%s>\n<p>It differs in %s.</p>\n<div class=\"runs\">\n<div class=\"pair\"><b class=\"n\"></b><b>fails</b><b class=\"n\"></b><b>passes</b></div>\n",
		w.below, w.below, differs)
	passing := func(i int) *PassingStep {
		if i < len(p.Passing.Steps) {
			return &p.Passing.Steps[i]
		}
		return &PassingStep{Step: -1}
	}
	w.folding(max(len(p.Steps), len(p.Passing.Steps)), func(i int) bool { return marked[i] && i < len(p.Steps) || marked[passing(i).Step] }, func(i int) {
		w.Put("<div class=\"pair\">")
		if i < len(p.Steps) {
			cell(marked[i], num(i), p.inWords(&p.Steps[i]), p.Steps[i].After)
		} else {
			cell(false, "", "", nil)
		}
		s := passing(i)
		cell(marked[s.Step], num(i), s.Label, s.After)
		w.Put("</div>\n")
	}, func(i int) string {
		text := passing(i).Label
		if i < len(p.Steps) {
			text = p.inWords(&p.Steps[i]) + "  |  " + text
		}
		return fmt.Sprintf("%5d  %s", i, text)
	})
	w.Put("</div>\n")
}
