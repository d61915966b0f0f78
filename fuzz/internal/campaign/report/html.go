package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

const style = `
h1 { font-size: 1.4em } h2 { font-size: 1.2em; border-bottom: 1px solid var(--line) } h3, .failure { font-size: 1em } a { color: var(--edge) }
section { margin-bottom: 2em } .number { text-align: right; white-space: nowrap } .name { min-width: 12em } .verdict { font-weight: bold; white-space: nowrap } article { margin-bottom: 2.5em }
.curve { fill: none; stroke: var(--edge); stroke-width: 2 } .axis { stroke: var(--line) } summary { cursor: pointer }
@media (max-width: 40em) { body { margin: 1em } td, th { padding-right: .5em } }
`

// verdict returns the result in a few words: "2 failures".
func (r *Report) verdict() string {
	unproven := 0
	for i := range r.Properties {
		if p := &r.Properties[i]; !p.Passed && len(p.Findings) == 0 {
			unproven++
		}
	}
	switch n := r.Failures(); {
	case n > 0:
		return words.Count(n, "failure")
	case unproven > 0:
		return fmt.Sprintf("no failures, but %d of %d properties were not tested sufficiently", unproven, len(r.Properties))
	}
	return "no failures"
}

// outline returns one line with the number of properties that passed, the number of runs, the time,
// and why the campaign ended.
func (r *Report) outline() string {
	text := fmt.Sprintf("%d of %d properties passed, %s in %s", r.passing(), len(r.Properties), words.Count(r.Runs, "run"),
		words.Elapsed(time.Duration(r.Seconds*float64(time.Second))))
	if r.Ended == "" {
		text += ", not finished"
	} else {
		text += ", ended: " + map[campaign.End]string{campaign.EndRuns: "number of runs reached", campaign.EndTime: "time limit", campaign.EndComplete: "every order was run",
			campaign.EndSaturated: "hardly any new receive pairs", campaign.EndFailures: "failures", campaign.EndGivenUp: "search given up",
			campaign.EndInterrupted: "interrupted"}[r.Ended]
	}
	if r.Deaths > 0 {
		text += fmt.Sprintf(", %s of workers", words.Count(r.Deaths, "death"))
	}
	return text
}

func (r *Report) passing() (n int) {
	for i := range r.Properties {
		if r.Properties[i].Passed {
			n++
		}
	}
	return n
}

// HTML returns the report as one HTML file.
func (r *Report) HTML() []byte {
	w := &record.Writer{}
	w.Begin("jostle: "+r.verdict(), style)
	w.Put("<main>\n<h1>%s</h1>\n<p>%s</p>\n", r.verdict(), r.outline())
	r.summary(w)
	if r.Changes != nil {
		w.Put("<section>\n<h2>Since the last report</h2>\n<ul>\n")
		for _, text := range r.Changes.lines() {
			w.Put("<li>%s</li>\n", text)
		}
		w.Put("</ul>\n</section>\n")
	}
	r.failures(w)
	for i := range r.Properties {
		r.Properties[i].section(w, i)
	}
	w.Put("</main>\n")
	w.End()
	return []byte(w.String())
}

// summary writes a table of the properties.
func (r *Report) summary(w *record.Writer) {
	w.Put("<section>\n<h2>Properties</h2>\n"+record.Scroll+"<table>\n<tr><th></th><th>property</th><th>what was run</th><th>failures</th><th>pairs in both orders</th></tr>\n", "Properties")
	for i := range r.Properties {
		p := &r.Properties[i]
		class, verdict := "verdict", "ok"
		if !p.Passed {
			class, verdict = "verdict bad", "FAIL"
		}
		w.Put("<tr><td class=\"%s\">%s</td><td class=\"name\"><a href=\"#property%s\">%s</a></td><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s of %s</td></tr>\n",
			class, verdict, num(i), p.Name, p.Ran, num(len(p.Findings)), num(p.Coverage.Covered), num(p.Coverage.Possible))
	}
	w.Put("</table></div>\n</section>\n")
}

func num(n int) string { return fmt.Sprint(n) }

// failures writes a section with the findings of all properties, if there are any.
func (r *Report) failures(w *record.Writer) {
	if r.Failures() == 0 {
		return
	}
	w.Put("<section>\n<h2>Failures</h2>\n")
	for i := range r.Properties {
		for k := range r.Properties[i].Findings {
			w.Put("<article>\n")
			r.Properties[i].failure(w, k, fmt.Sprintf("f%dn%d", i, k))
			w.Put("</article>\n")
		}
	}
	w.Put("</section>\n")
}

// failure writes finding k, with a chart if the steps of its run are known.
func (p *Property) failure(w *record.Writer, k int, id string) {
	f := &p.Findings[k]
	if len(f.Steps) > 0 {
		f.Write(w, id)
		w.Put("<details><summary>as text</summary><pre>%s</pre></details>\n", f.Text())
	} else {
		w.Put("<p class=\"faint\">%s</p>\n<h3 class=\"failure\">%s</h3>\n<pre>%s</pre>\n", p.Name, f.Headline(), f.Text())
	}
	told := f.Where
	if f.Times > 1 {
		told = strings.TrimPrefix(fmt.Sprintf("%s, in %s", told, words.Count(f.Times, "run")), ", ")
	}
	w.Put("<p>%s</p>\n", told)
	if f.Path != "" {
		w.Put("<p>again: <code>%s</code></p>\n", f.Again(f.Path))
	}
}

// section writes the section of a property, without its failures.
func (p *Property) section(w *record.Writer, i int) {
	w.Put("<section id=\"property%s\">\n<h2>%s</h2>\n<p>%s; %s</p>\n", num(i), p.Name, p.Ran, p.Coverage.Summary)
	list(w, "Not tested sufficiently", "bad", p.Complaints)
	list(w, "Notes", "faint", p.Notes)
	list(w, "Situations that no run has reached", "", p.Missed)
	p.curves(w)
	if p.matrix != nil {
		w.Put("<h3>Receives that came in both orders</h3>\n"+record.Scroll, "Matrix of receives of "+p.Name)
		w.Write(p.matrix)
		w.Put("</div>\n")
	}
	list(w, "Receive pairs never seen in this order (possible as far as known)", "", p.Coverage.Open)
	if len(p.Arms) > 0 {
		w.Put("<h3>Strategies</h3>\n"+record.Scroll+"<table>\n<tr><th>strategy</th><th>runs</th><th>new receive pairs</th></tr>\n", "Strategies in "+p.Name)
		for _, a := range p.Arms {
			w.Put("<tr><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n", a.Name, words.Grouped(a.Runs), words.Grouped(int(math.Round(a.Fresh))))
		}
		w.Put("</table></div>\n<p class=\"faint\">Approximate: the new receive pairs of each part of the search are divided among its strategies.</p>\n")
	}
	w.Put("</section>\n")
}

// list writes a heading and a list, unless the list is empty.
func list(w *record.Writer, heading, class string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.Put("<h3>%s</h3>\n<ul class=\"%s\">\n", heading, class)
	for _, text := range texts {
		w.Put("<li>%s</li>\n", text)
	}
	w.Put("</ul>\n")
}

// The size of a picture of curves, and its left and bottom margins.
const (
	wide, high  = 560, 220
	left, below = 70, 30
)

// curves draws one curve for each campaign: the number of seen receive pairs by the number of runs.
func (p *Property) curves(w *record.Writer) {
	runs, orders := 2, 1
	for _, curve := range p.Coverage.Curves {
		for _, at := range curve {
			runs, orders = max(runs, at.Runs), max(orders, at.Orders)
		}
	}
	if p.Coverage.Seen == 0 || runs == 2 {
		return
	}
	w.Put("<h3>Receive pairs seen</h3>\n"+record.Scroll+"<svg width=\"%s\" height=\"%s\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>%s</title>\n",
		"Curves of "+p.Name, num(wide), num(high), fmt.Sprintf("%s known after %s", words.Count(orders, "receive pair"), words.Count(p.Coverage.Runs, "run")))
	w.Put("<path class=\"axis\" fill=\"none\" d=\"M%s 20V%sH%s\"/>\n", num(left), num(high-below), num(wide-10))
	w.Put("<text x=\"%s\" y=\"24\" text-anchor=\"end\">%s</text>\n<text x=\"%s\" y=\"%s\" text-anchor=\"end\">0</text>\n", num(left-8), words.Grouped(orders), num(left-8), num(high-below))
	w.Put("<text x=\"%s\" y=\"%s\">1</text>\n<text x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>\n", num(left), num(high-8), num(wide-10), num(high-8), words.Count(runs, "run"))
	for _, curve := range p.Coverage.Curves {
		w.Put("<polyline class=\"curve\" points=\"%s\"/>\n", points(curve, runs, orders))
	}
	w.Put("</svg></div>\n<p class=\"faint\">Runs are on a logarithmic scale; each curve is one seed.</p>\n")
}

// points returns the points of a curve in the form of an SVG polyline.
func points(curve []coverage.Point, runs, orders int) string {
	var b strings.Builder
	for _, at := range curve {
		x := left + float64(wide-10-left)*math.Log(float64(max(1, at.Runs)))/math.Log(float64(runs))
		y := float64(high-below) - float64(high-below-20)*float64(at.Orders)/float64(orders)
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	return strings.TrimSpace(b.String())
}
