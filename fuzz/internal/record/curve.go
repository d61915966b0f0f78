package record

import "fmt"

// Sizes of the curve in pixels.
const (
	curveWidth, curveHeight = 640, 120
	curveLeft, curveTop     = 44, 14
)

// decides reports whether a step is the deciding one.
func (p *Record) decides(s *Step) bool {
	point := p.why().Point
	return point != nil && point.Step == s.Number
}

// curve draws the share of failing continuations before each step, and marks the deciding step. It
// draws nothing if less than two shares are known.
func (p *Record) curve(w *Writer) {
	point := p.why().Point
	if point == nil || len(point.Chances) < 2 {
		return
	}
	last := max(1, p.Length, point.Chances[len(point.Chances)-1].Step)
	x := func(step int) string { return num(curveLeft + curveWidth*step/last) }
	y := func(failed, of int) string { return num(curveTop + curveHeight - curveHeight*failed/max(1, of)) }
	w.Put("<%s>Chance of failing</%s>\n"+Scroll+"<svg width=\"%s\" height=\"%s\" xmlns=\"http://www.w3.org/2000/svg\"><title>chance of failing</title>\n",
		w.below, w.below, "Chance of failing before each step", num(curveLeft+curveWidth+curveLeft), num(curveTop+curveHeight+30))
	for _, percent := range []int{0, 50, 100} {
		w.Put("<line class=\"lane\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", x(0), y(percent, 100), x(last), y(percent, 100))
		w.Put("<text class=\"faint\" x=\"%s\" y=\"%s\" text-anchor=\"end\">%s%%</text>\n", num(curveLeft-6), y(percent, 100), num(percent))
	}
	w.Put("<path class=\"sent\" d=\"")
	for i, c := range point.Chances {
		w.Put(map[bool]string{true: "M", false: "L"}[i == 0]+"%s %s", x(c.Step), y(c.Failed, c.Of))
	}
	w.Put("L%s %s\"/>\n", x(last), y(1, 1)) // the curve ends at 100%, because the run has failed
	for _, c := range point.Chances {
		w.Put("<circle class=\"dot\" cx=\"%s\" cy=\"%s\" r=\"2\"><title>before step %s: %s</title></circle>\n", x(c.Step), y(c.Failed, c.Of), num(c.Step), share(c.Share))
	}
	w.Put("<text class=\"faint\" x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>\n", x(last), num(curveTop+curveHeight+20), fmt.Sprintf("end, step %d", last))
	if point.Step >= 0 {
		w.Put("<a href=\"#%sstep%s\"><circle class=\"point\" cx=\"%s\" cy=\"%s\" r=\"5\"/><text x=\"%s\" y=\"%s\">step %s</text></a>\n", w.id, num(point.Step),
			x(point.Step), y(point.Before.Failed, point.Before.Of), x(point.Step), num(curveTop+curveHeight+20), num(point.Step))
	}
	w.Put("</svg></div>\n<p class=\"faint\">Each dot is the share of failing runs among random continuations from the state before a step. " +
		"They have the draws and the faults of the run.</p>\n")
}
