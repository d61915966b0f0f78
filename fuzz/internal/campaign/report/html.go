package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

const style = `
h1 { font-size: 1.4em; margin: 0 } h2 { font-size: 1.2em; border-bottom: 1px solid var(--line) } .failure { font-size: 1em; border: 0; margin: 1em 0 } .lead { margin: .4em 0 1em }
.bugs { list-style: none; padding: 0; margin: 0 } .bug { border-top: 1px solid var(--line); padding: .4em 0 } .row { display: grid; grid-template-columns: 7em minmax(12em, 3fr) minmax(8em, 2fr) 7em 5em minmax(10em, 3fr); gap: 0 1em }
.row small { display: block } .heads { color: var(--faint) } .page > summary, .property > summary { color: var(--faint); padding: .2em 0 } .page > article { padding: .5em 0 1.5em 1em; border-left: 3px solid var(--line); padding-left: 1em }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-top: 1px solid var(--line) } .number { text-align: right; white-space: nowrap }
.matrix th { font-weight: normal; overflow-wrap: normal } .matrix td { padding: .2em .6em; border: 1px solid var(--line); text-align: center } .open { background: var(--wash); font-weight: bold }
.curve { fill: none; stroke: var(--edge); stroke-width: 2 } .axis { stroke: var(--line) }
@media (max-width: 40em) { .row { display: block } .heads { display: none } .row > span { display: block } .row [data-is]:not(:empty)::before { content: attr(data-is) ": "; color: var(--faint) } td, th { padding-right: .5em } .page > article { padding-left: .6em } }
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
	w.Begin("jostle: "+r.sentence(), style)
	w.Put("<main>\n<h1>%s</h1>\n<p class=\"lead\">%s</p>\n", fmt.Sprintf("%s; %s in %s", r.sentence(), words.Count(r.Runs, "run"),
		words.InOneUnit(time.Duration(r.Seconds*float64(time.Second)))), r.searched())
	r.bugs(w)
	w.Put("<section>\n<h2>How well it was searched</h2>\n")
	for i := range r.Properties {
		r.Properties[i].section(w, i)
	}
	w.Put("</section>\n")
	if r.Changes != nil {
		w.Put("<details><summary>Since the last report</summary>\n<ul>\n")
		for _, text := range r.Changes.lines() {
			w.Put("<li>%s</li>\n", text)
		}
		w.Put("</ul>\n</details>\n")
	}
	w.Put("<p class=\"faint\">%s</p>\n</main>\n", r.outline())
	w.End()
	return []byte(w.String())
}

// bugs writes a row for each bug. A bug of this report also has a page, which a click on the row
// opens below it.
func (r *Report) bugs(w *record.Writer) {
	if len(r.Bugs) == 0 {
		return
	}
	w.Put("<div class=\"row heads\" aria-hidden=\"true\"><span></span><span>what failed</span><span>cause</span><span>orders that fail</span><span>runs</span><span>again</span></div>\n<ol class=\"bugs\">\n")
	row := func(b *Bug, to string) {
		class := map[bool]string{true: "bad", false: "faint"}[b.failing()]
		w.Put("<li class=\"bug\"><div class=\"row\"><b class=\"%s\">%s</b><span>", class, string(b.State))
		if to != "" {
			w.Put("<a href=\"#%s\">%s</a>", to, b.Headline)
		} else {
			w.Put("%s", b.Headline)
		}
		w.Put("<small class=\"faint\">%s</small></span><span data-is=\"cause\">%s</span><span data-is=\"orders that fail\">%s</span><span data-is=\"runs to find it\">%s</span><span><code class=\"copy\">%s</code></span></div>\n",
			b.Property, b.Cause, b.Share, b.found(), b.Again)
	}
	at := 0
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			id, open := fmt.Sprintf("f%dn%d", i, k), ""
			if r.Failures() == 1 {
				open = ` open="open"`
			}
			row(&r.Bugs[at], id)
			w.Put("<details class=\"page\"" + open + "><summary>cause, steps and states</summary><article id=\"" + id + "\">\n")
			p.failure(w, k, id)
			w.Put("</article></details></li>\n")
			at++
		}
	}
	for ; at < len(r.Bugs); at++ {
		row(&r.Bugs[at], "")
		w.Put("</li>\n")
	}
	w.Put("</ol>\n")
}

// searched says how well all properties were searched. It gives the chance of a new receive pair for
// the property in which this chance is highest.
func (r *Report) searched() string {
	all := Coverage{}
	unproven := 0
	for i := range r.Properties {
		p := &r.Properties[i]
		all.Covered, all.Possible = all.Covered+p.Coverage.Covered, all.Possible+p.Coverage.Possible
		all.Unknown, all.Runs = all.Unknown+p.Coverage.Unknown, all.Runs+p.Coverage.Runs
		if c := p.Coverage.Chance; p.Complete == "" && c.Runs > 0 && c.High > all.Chance.High {
			all.Chance = c
		}
		if len(p.Complaints) > 0 {
			unproven++
		}
	}
	text := all.inWords()
	if unproven > 0 {
		text += fmt.Sprintf("; %d of %s not tested sufficiently", unproven, words.Count(len(r.Properties), "property"))
	}
	return "Searched: " + text
}

// inWords says which pairs of messages were not seen in both orders, and the chance that a run shows
// another one: "3 pairs of messages never raced; the next random run shows a new one in about 1 of
// 200,000".
func (c *Coverage) inWords() string {
	text := "no pairs of messages can race"
	switch n := c.Possible - c.Covered; {
	case n > 0:
		text = fmt.Sprintf("%s of messages never raced", words.Count(n, "pair"))
	case c.Possible > 1:
		text = fmt.Sprintf("all %s of messages raced", words.Count(c.Possible, "pair"))
	case c.Possible == 1:
		text = "the only pair of messages raced"
	case c.Unknown > 0 || c.Runs == 0:
		text = "no pairs of messages raced"
	}
	if c.Possible == c.Covered && c.Covered > 0 && c.Unknown > 0 {
		text += fmt.Sprintf("; whether %s more can race is unknown", words.Grouped(c.Unknown))
	}
	switch h := &c.Chance; {
	case h.Runs == 0 || h.High >= 1:
		return text
	case h.Low > 0:
		return text + "; the next random run shows a new one in about 1 of " + words.Grouped(int(1/h.Likely))
	default:
		return text + "; the next random run shows a new one in fewer than 1 of " + words.Grouped(int(1/h.High))
	}
}

func num(n int) string { return fmt.Sprint(n) }

// failure writes finding k, with a chart if the steps of its run are known.
func (p *Property) failure(w *record.Writer, k int, id string) {
	f := &p.Findings[k]
	if f.Path != "" && !f.Existing {
		w.Put("<p class=\"faint\">step by step, in a browser: <code class=\"copy\">jostle view %s</code></p>\n", words.Argument(f.Path))
	}
	if len(f.Steps) > 0 {
		f.Write(w, id)
	} else {
		w.Put("<p class=\"faint\">%s</p>\n<h2 class=\"failure\">%s</h2>\n<pre>%s</pre>\n", p.Name, f.Headline(), f.Text(0))
	}
	told := f.Where
	if f.Times > 1 {
		told = strings.TrimPrefix(fmt.Sprintf("%s, in %s", told, words.Count(f.Times, "run")), ", ")
	}
	w.Put("<p>%s</p>\n", told)
}

// section writes how well a property was searched.
func (p *Property) section(w *record.Writer, i int) {
	class, verdict, searched := "faint", "passed", p.Coverage.inWords()
	switch {
	case len(p.Findings) > 0:
		class, verdict = "bad", "fails"
	case len(p.Complaints) > 0:
		class, verdict = "bad", "not tested sufficiently"
	}
	if p.Complete != "" {
		searched = p.Complete
	}
	w.Put("<details class=\"property\"><summary><b class=\"%s\">%s</b> %s: %s</summary>\n<p>%s; %s</p>\n", class, verdict, p.Name, searched, p.Ran, p.Coverage.Summary)
	list(w, "Not tested sufficiently", "bad", p.Complaints)
	list(w, "Notes", "faint", p.Notes)
	var situations []string
	for _, s := range p.Sometimes {
		text := "reached in no run"
		if s.Runs > 0 {
			text = "reached in " + words.Count(s.Runs, "run")
		}
		situations = append(situations, s.Name+": "+text)
	}
	list(w, "Situations of Sometimes", "", situations)
	var labels []string
	for _, d := range p.Labels {
		labels = append(labels, d.String())
	}
	list(w, "Values of Label", "", labels)
	p.curves(w)
	p.matrix(w, i)
	list(w, "Receive pairs never seen in this order (possible as far as known)", "", p.Coverage.Open)
	if len(p.Arms) > 0 {
		w.Put("<h3>Strategies</h3>\n"+record.Scroll+"<table>\n<tr><th>strategy</th><th>runs</th><th>new receive pairs</th></tr>\n", "Strategies in "+p.Name)
		for _, a := range p.Arms {
			w.Put("<tr><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n", a.Name, words.Grouped(a.Runs), words.Grouped(int(math.Round(a.Fresh))))
		}
		w.Put("</table></div>\n<p class=\"faint\">Approximate: the new receive pairs of each part of the search are divided among its strategies.</p>\n")
	}
	w.Put("</details>\n")
}

// matrix writes a table of message types by message types for each actor. A cell has the number of
// pairs that came in both orders and of those that can, and leads to the orders that were not seen.
func (p *Property) matrix(w *record.Writer, i int) {
	all := p.Coverage.Types
	for from, to := 0, 0; from < len(all); from = to {
		var types []string
		cells := map[[2]string]int{}
		for to = from; to < len(all) && all[to].Actor == all[from].Actor; to++ {
			c := &all[to]
			types = append(types, c.First, c.Second)
			cells[[2]string{c.First, c.Second}] = to
		}
		slices.Sort(types)
		types = slices.Compact(types)
		w.Put("<h3>Pairs of messages at %s</h3>\n"+record.Scroll+"<table class=\"matrix\">\n<tr><td></td>", all[from].Actor, "Pairs of messages at "+all[from].Actor+" in "+p.Name)
		for _, name := range types {
			w.Put("<th scope=\"col\">%s</th>", name)
		}
		for k, second := range types {
			w.Put("</tr>\n<tr><th scope=\"row\">%s</th>", second)
			for _, first := range types[:k+1] {
				if at, ok := cells[[2]string{first, second}]; ok {
					c := &all[at]
					w.Put("<td class=\"%s\"><a href=\"#%s\">%s</a></td>", map[bool]string{true: "open", false: ""}[c.Open > 0], fmt.Sprintf("p%dc%d", i, at), cell(c))
				} else {
					w.Put("<td></td>")
				}
			}
			w.Put(strings.Repeat("<td></td>", len(types)-k-1))
		}
		w.Put("</tr>\n</table></div>\n<details><summary>the pairs</summary><ul>\n")
		for at := from; at < to; at++ {
			c := &all[at]
			w.Put("<li id=\"%s\">%s</li>\n", fmt.Sprintf("p%dc%d", i, at), pairs(c))
		}
		w.Put("</ul></details>\n")
	}
	if len(all) > 0 {
		w.Put("<p class=\"faint\">A cell has the number of pairs that came in both orders, and of those that can. An arrow: they can come in one order only. A question mark: unknown. The runs are those of %s.</p>\n", p.Test)
	}
}

// cell returns the text of a cell of the matrix.
func cell(c *coverage.TypePair) string {
	switch {
	case c.Covered+c.Open > 0:
		return fmt.Sprintf("%d of %d", c.Covered, c.Covered+c.Open)
	case c.Unknown > 0:
		return "?"
	}
	return "→"
}

// pairs describes a cell of the matrix.
func pairs(c *coverage.TypePair) string {
	text := fmt.Sprintf("%s and %s: %d seen in both orders, %d seen in one order although both are possible, %d possible in one order only, %d unknown", c.First, c.Second, c.Covered, c.Open, c.Impossible, c.Unknown)
	if len(c.Unseen) > 0 {
		text += "; never seen: " + strings.Join(c.Unseen, "; ")
	}
	return text
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
	w.Put("<text x=\"%s\" y=\"%s\">1 run</text>\n<text x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>\n", num(left), num(high-8), num(wide-10), num(high-8), words.Count(runs, "run"))
	for _, curve := range p.Coverage.Curves {
		w.Put("<polyline class=\"curve\" points=\"%s\"/>\n", points(curve, runs, orders))
	}
	for at := 10; at < runs; at *= 10 {
		w.Put("<path class=\"axis\" d=\"M%s 20V%s\"/>\n", num(int(across(at, runs))), num(high-below))
	}
	w.Put("</svg></div>\n<p class=\"faint\">Receive pairs by runs, on a logarithmic scale with a line at each power of ten; each curve is one seed.</p>\n")
}

// points returns the points of a curve in the form of an SVG polyline.
func points(curve []coverage.Point, runs, orders int) string {
	var b strings.Builder
	for _, at := range curve {
		y := float64(high-below) - float64(high-below-20)*float64(at.Orders)/float64(orders)
		fmt.Fprintf(&b, "%.1f,%.1f ", across(at.Runs, runs), y)
	}
	return strings.TrimSpace(b.String())
}

// across returns the horizontal position of a number of runs in a picture of curves.
func across(at, runs int) float64 {
	return left + float64(wide-10-left)*math.Log(float64(max(1, at)))/math.Log(float64(runs))
}
