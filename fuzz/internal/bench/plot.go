package bench

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// The size of a plot, and the borders of the area with the curves.
const (
	plotWidth, plotHeight = 760, 420
	plotLeft, plotRight   = 60, 590
	plotTop, plotBottom   = 50, 370
	legendLeft, legendRow = 610, 20
	plotStyle             = `
text { fill: #1d1d1f; font: 13px sans-serif } .paper { fill: #ffffff } .grid { stroke: #d8d8dc } .curve, .tick { fill: none; stroke-width: 2 }
.c0 { stroke: #1d1d1f } .c1 { stroke: #c1121f } .c2 { stroke: #1f6fb4 } .c3 { stroke: #2a8a3e }
.c4 { stroke: #b35c00 } .c5 { stroke: #7b3fa0 } .c6 { stroke: #8a6d3b } .c7 { stroke: #c2408f }
@media (prefers-color-scheme: dark) {
text { fill: #e8e8ea } .paper { fill: #1b1b1e } .grid { stroke: #44444a }
.c0 { stroke: #ffffff } .c1 { stroke: #ff6b6b } .c2 { stroke: #6cb6ff } .c3 { stroke: #6bd48a }
.c4 { stroke: #ffb057 } .c5 { stroke: #c99bf0 } .c6 { stroke: #d9be8c } .c7 { stroke: #ff9bd2 }
}
`
)

// strokes are the dash styles that distinguish curves of the same color.
var strokes = []string{"", ` stroke-dasharray="7 3"`, ` stroke-dasharray="2 3"`}

// colors is the number of colors in plotStyle.
const colors = 8

// plot returns the survival curves of a subject as an SVG picture. The curve of an arm is
// the fraction of searches that have not found the bug, by runs. The picture supports dark
// mode.
func (t *Table) plot(subject string) string {
	d := &drawing{end: 10}
	for _, arm := range t.Arms() {
		for _, s := range t.Cell(subject, arm) {
			d.end = max(d.end, float64(s.Most))
		}
	}
	d.open(subject + ": share of searches that have not found the bug, by runs")
	for i, arm := range t.Arms() {
		if c := t.Cell(subject, arm); len(c) > 0 {
			d.curve(i, c)
		}
	}
	d.put("</svg>")
	return d.String()
}

// open begins a picture with its title and axes.
func (d *drawing) open(title string) {
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, plotHeight, escaped(title))
	d.put("<title>%s</title><style>%s</style>", escaped(title), plotStyle)
	d.put(`<rect class="paper" width="100%%" height="100%%"/>`)
	d.put(`<text x="%d" y="26" style="font-weight: bold">%s</text>`, plotLeft, escaped(title))
	d.axes()
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // writes to a strings.Builder never fail
	return b.String()
}

// A drawing is a plot that is being drawn.
type drawing struct {
	strings.Builder
	end   float64 // the number of runs at the end of the x-axis
	drawn int     // the number of curves drawn so far
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// x returns the position of a number of runs on the x-axis, which is logarithmic.
func (d *drawing) x(runs float64) float64 {
	return plotLeft + (plotRight-plotLeft)*math.Log(max(1, runs))/math.Log(d.end)
}

func (d *drawing) y(share float64) float64 { return plotBottom - (plotBottom-plotTop)*share }

func (d *drawing) axes() {
	for percent := 0; percent <= 100; percent += 25 {
		y := d.y(float64(percent) / 100)
		d.put(`<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, plotLeft, y, plotRight, y)
		d.put(`<text x="%d" y="%.1f" text-anchor="end">%d%%</text>`, plotLeft-8, y+4, percent)
	}
	for runs := 1.0; runs <= d.end; runs *= 10 {
		d.put(`<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, d.x(runs), plotTop, d.x(runs), plotBottom)
		d.put(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, d.x(runs), plotBottom+20, words.Grouped(int(runs)))
	}
	d.put(`<text x="%d" y="%d" text-anchor="middle">runs</text>`, (plotLeft+plotRight)/2, plotHeight-8)
}

// curve draws the curve of one cell and its entry in the legend. It marks the end of the
// curve with a tick if some searches did not find the bug.
func (d *drawing) curve(arm int, c Cell) {
	list := c.Runs()
	var path strings.Builder
	left, last := 1.0, 1.0
	fmt.Fprintf(&path, "M%.1f %.1f", d.x(1), d.y(1))
	for _, p := range survival(list) {
		fmt.Fprintf(&path, "H%.1fV%.1f", d.x(p.At), d.y(p.Left))
		left = p.Left
	}
	for _, o := range list {
		last = max(last, o.At)
	}
	fmt.Fprintf(&path, "H%.1f", d.x(last))
	if left > 0 {
		d.put(`<line class="c%d tick" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, arm%colors, d.x(last), d.y(left)-5, d.x(last), d.y(left)+5)
	}
	d.line(arm, c[0].Arm, path.String())
}

// line draws the curve of an arm, given as an SVG path, and the arm's entry in the legend.
func (d *drawing) line(arm int, name, path string) {
	look := fmt.Sprintf(`class="c%d curve"%s`, arm%colors, strokes[arm/colors%len(strokes)])
	d.put(`<path %s d="%s"/>`, look, path)
	y := plotTop + legendRow*d.drawn
	d.put(`<path %s d="M%d %dh28"/><text x="%d" y="%d">%s</text>`, look, legendLeft, y, legendLeft+36, y+4, escaped(name))
	d.drawn++
}
