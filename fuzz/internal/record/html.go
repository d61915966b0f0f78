package record

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/trace"
)

// HTML returns the record as an HTML file.
func (p *Record) HTML() []byte {
	w := &Writer{}
	w.Begin(p.Property+": "+firstLine(visible(p.Failure)), "")
	w.heading, w.below = "h1", "h2"
	p.all(w)
	w.End()
	return []byte(w.String())
}

// Write writes the record as a part of a larger page. id consists of letters and digits and
// must be unique in the page. All anchors begin with it.
func (p *Record) Write(w *Writer, id string) {
	w.id, w.heading, w.below = id, "h2", "h3"
	p.all(w)
	w.id = ""
}

func (p *Record) all(w *Writer) {
	p.head(w)
	p.cause(w)
	p.curve(w)
	p.beside(w)
	p.steps(w)
	p.inputs(w)
}

// Begin begins an HTML file that loads nothing and runs no scripts. more is CSS that is added
// to the common style.
func (w *Writer) Begin(title, more string) {
	w.Put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
	w.Put("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n")
	w.Put("<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>%s</title>\n", title)
	w.Put("<style>" + style + more + "</style>\n</head>\n<body>\n")
}

// End ends an HTML file.
func (w *Writer) End() { w.Put("</body>\n</html>\n") }

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --paper: #ffffff; --faint: #626a72; --line: #d5d9dd; --bad: #c4261d; --edge: #7440d0; --wash: #f3eefc }
@media (prefers-color-scheme: dark) {
:root { --ink: #e4e8ec; --paper: #16191d; --faint: #98a0a8; --line: #363c43; --bad: #ff7b72; --edge: #b78cff; --wash: #231f33 } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2em; max-width: 90em; overflow-wrap: anywhere }
.failure { font-size: 1.2em; color: var(--bad); white-space: pre-wrap } p { white-space: pre-line } h2, h3 { font-size: 1em; margin: 2em 0 .5em } a { color: var(--edge) }
pre, code, svg, .steps, .runs { font-family: ui-monospace, monospace; font-size: 12px } pre { white-space: pre-wrap } .copy { user-select: all }
.scroll { overflow-x: auto } .faint { color: var(--faint) } .bad { color: var(--bad) } .edge { color: var(--edge) } ol { padding-left: 1.6em } summary { cursor: pointer }
svg text { fill: var(--ink) } svg .lane { stroke: var(--line) } svg .sent { stroke: var(--ink); fill: none } svg .faint { fill: var(--faint) } svg .dot { fill: var(--ink) } svg .point { fill: var(--edge) }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--edge); outline-offset: -2px } :target { background: var(--wash) }
.code { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30em, 100%), 1fr)); gap: .5em 2em } figure { margin: 0; min-width: 0 } .code pre { white-space: pre; margin: .3em 0 }
mark { display: inline-block; min-width: 100%; background: var(--wash); color: var(--ink); font-weight: bold }
.steps { --lane: 10.5em; overflow: auto; max-height: 90vh; border: 1px solid var(--line) } .steps > *, .fold > .step { min-width: calc(23.5em + var(--lanes) * var(--lane)) }
.names, .step > summary { display: grid; grid-template-columns: 3.5em calc(var(--lanes) * var(--lane)) minmax(20em, 1fr); align-items: stretch }
.names { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--line) } .names .columns { display: flex }
.names b { width: var(--lane); text-align: center; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.n { position: sticky; left: 0; z-index: 1; background: inherit; color: var(--faint); text-align: right; padding-right: .8em; white-space: nowrap }
.step { color: var(--faint); background: var(--paper) } .fold > .step, .fold > .pair { content-visibility: auto; contain-intrinsic-height: auto 26px } .step summary { background: inherit; list-style: none } .step > summary > * { padding-block: 3px }
.steps .columns { background-image: repeating-linear-gradient(90deg, transparent 0 calc(var(--lane) / 2), var(--line) calc(var(--lane) / 2) calc(var(--lane) / 2 + 1px), transparent calc(var(--lane) / 2 + 1px) var(--lane)) }
.names .columns { background: none } .now { padding-left: 1em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 60em }
.arrow { position: relative; display: block; box-sizing: border-box; margin-left: calc((var(--at) + .5) * var(--lane)); width: calc(var(--over) * var(--lane)); padding: 0 1em; text-align: center; border-bottom: 1px solid; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; background: var(--paper) }
.race { color: var(--ink); background: var(--wash) } .race .arrow { color: var(--edge); font-weight: bold; background: var(--wash) } .fold > pre { margin: 0 0 0 1em; white-space: pre } .fold > summary { padding: .3em 1em; color: var(--faint); position: sticky; left: 0 }
.arrow::after { content: "▶"; position: absolute; right: 0; bottom: 0; font-size: 9px; line-height: 6px } .back::after { content: "◀"; right: auto; left: 0 }
.self { width: var(--lane); border: 0; text-align: left; padding-left: .8em } .self::after { content: "●"; right: auto; left: 0; bottom: 6px }
summary:hover .arrow, summary:focus-visible .arrow { overflow: visible } summary:hover .now, summary:focus-visible .now { white-space: normal }
.who { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden } .more { padding: .3em 1em .8em 4.3em; white-space: pre-wrap; color: var(--ink); position: sticky; left: 0; max-width: 100vw; box-sizing: border-box }
.lost .arrow { border-bottom-style: dashed } .pair { display: grid; grid-template-columns: 4em minmax(0, 1fr) 4em minmax(0, 1fr); border-top: 1px solid var(--line); padding: .15em 0 } .state { display: block; color: var(--faint) }
@media (max-width: 40em) {
body { margin: 1em } .names { display: none } .steps { max-height: none; border: 0 } .steps > *, .fold > .step { min-width: 0 } .step > summary { grid-template-columns: 4em minmax(0, 1fr) } .step .now { grid-column: 2; padding: 0; white-space: normal } .step .now:empty { display: none }
.steps .columns { background: none } .arrow { margin: 0; padding: 0; width: auto; text-align: left; white-space: normal; border: 0 } .arrow::after { content: none } .who { position: static; clip-path: none } .step { border-top: 1px solid var(--line) } .more { padding-left: 3em } }
`

// Scroll begins a labeled area that scrolls sideways. It can also be scrolled with the
// keyboard.
const Scroll = `<div class="scroll" tabindex="0" role="region" aria-label="%s">`

// head writes what failed and why.
func (p *Record) head(w *Writer) {
	of := p.Property
	if p.Test != of {
		of += ", " + p.Test
	}
	w.Put("<p class=\"faint\">%s</p>\n<%s class=\"failure\">%s</%s>\n", of, w.heading, p.located(), w.heading)
	if p.Detail != "" {
		w.Put("<pre>%s</pre>\n", visible(p.Detail))
	}
	for _, text := range []string{visible(strings.Join(p.hints(), "; ")), p.shrunk(), visible(strings.TrimSpace(p.Orders() + "\n" + constraintsIn(p.Why))), needs(p.why().Needs)} {
		if text != "" {
			w.Put("<p>%s</p>\n", text)
		}
	}
	if p.why().Depth > 0 {
		w.Put("<p>depth %s</p>\n", num(p.why().Depth))
	}
	for _, face := range p.Faces {
		w.Put("<p>same cause: %s</p>\n", visible(face))
	}
}

// cause writes the messages that decide: which must come before which, what the deciding step changed,
// and the lines of code that send and handle them, side by side.
func (p *Record) cause(w *Writer) {
	if list := p.constraints(); len(list) > 0 {
		w.Put("<ol>\n")
		for _, c := range list {
			w.Put("<li>%s before %s", inWords(&c.First, &c.first), inWords(&c.Second, &c.second))
			if c.Turned != nil {
				w.Put(" (%s)", turned(*c.Turned))
			}
			w.Put("</li>\n")
		}
		w.Put("</ol>\n")
	}
	if text := Changed(p.Changes, math.MaxInt); text != "" {
		w.Put("<p>The deciding step leaves %s</p>\n", text)
	}
	w.Put("<div class=\"code\">\n")
	shown := map[string]bool{}
	for i := range p.Places {
		place := &p.Places[i]
		for _, e := range place.Code {
			if shown[e.What+e.At] { // the same line was shown for another message
				continue
			}
			shown[e.What+e.At] = true
			w.Put("<figure><figcaption><b>%s</b> %s at %s", visible(place.Text), e.What, e.At)
			if point := p.why().Point; e.What == Handles && point != nil && point.Step >= 0 && point.Step == place.Step {
				w.Put(" <b class=\"edge\">%s</b>", Decides(point))
			}
			w.Put("</figcaption><pre class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", e.At)
			for k, line := range e.Lines {
				w.Put(map[bool]string{true: "<mark>%s %s</mark>\n", false: "%s %s\n"}[e.First+k == e.Marked], fmt.Sprintf("%4d", e.First+k), strings.ReplaceAll(line, "\t", "    "))
			}
			w.Put("</pre></figure>\n")
		}
	}
	w.Put("</div>\n")
}

// inputs writes the draws and the log of the run.
func (p *Record) inputs(w *Writer) {
	for i, d := range p.Draws {
		w.Put("<p>drew <code>%s</code>", visible(d))
		if remarks := p.why().Draws; i < len(remarks) && remarks[i] != "" {
			w.Put(" (%s)", remarks[i])
		}
		w.Put("</p>\n")
	}
	for _, line := range p.Logs {
		w.Put("<pre class=\"faint\">log: %s</pre>\n", visible(line))
	}
}

// inWords returns the text of a message and the lines of code that send and handle it.
func inWords(m *corpus.Message, p *Place) string {
	if lines := p.inWords(); lines != "" {
		return visible(m.Text) + " (" + lines + ")"
	}
	return visible(m.Text)
}

func (p *Record) inWords(s *Step) string {
	if s.From < 0 {
		return s.Label
	}
	return p.arrowText(&s.Message)
}

func (p *Record) arrowText(m *Message) string {
	return trace.Arrow(p.name(m.From), m.Label, p.name(m.To))
}

func (p *Record) name(actor int) string {
	if actor < 0 || actor >= len(p.Actors) {
		return "nobody"
	}
	return p.Actors[actor]
}

// A Writer writes HTML. Put escapes the texts of the program, so that none of them becomes
// HTML.
type Writer struct {
	strings.Builder
	id      string // the prefix of all anchors
	heading string // the HTML element of the main heading, such as "h1"
	below   string // the HTML element of all other headings
}

// Put writes HTML. Each %s of the format is replaced by the next of texts, escaped.
func (w *Writer) Put(format string, texts ...string) {
	if len(texts) == 0 {
		w.WriteString(format)
		return
	}
	args := make([]any, len(texts))
	for i, t := range texts {
		args[i] = escaped(t)
	}
	fmt.Fprintf(w, format, args...)
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escaped returns text escaped for an HTML element or a quoted attribute. It replaces
// characters that HTML forbids or that change the direction of text.
func escaped(text string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe,
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // these change the direction of the text
			return utf8.RuneError
		}
		return r
	}, text))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// cut returns the first line of a text, shortened to `most` characters.
func cut(text string, most int) string {
	text = firstLine(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
