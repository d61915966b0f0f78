package record

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
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
	w.id, w.heading, w.below = id, "h3", "h4"
	p.all(w)
	w.id = ""
}

func (p *Record) all(w *Writer) {
	p.head(w)
	p.curve(w)
	p.chart(w)
	p.beside(w)
	p.table(w)
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
:root { color-scheme: light dark; --ink: #1c2024; --paper: #ffffff; --faint: #626a72; --line: #d5d9dd; --bad: #c4261d; --edge: #8250df }
@media (prefers-color-scheme: dark) {
:root { --ink: #e4e8ec; --paper: #16191d; --faint: #98a0a8; --line: #363c43; --bad: #ff7b72; --edge: #b78cff } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2em; max-width: 90em }
.failure { font-size: 1.2em; color: var(--bad); white-space: pre-wrap; overflow-wrap: anywhere } h2, h4 { font-size: 1em; margin: 2em 0 .5em }
pre, code, td, svg { font-family: ui-monospace, monospace; font-size: 12px } pre { white-space: pre-wrap }
.scroll { overflow-x: auto } .faint { color: var(--faint) } .bad { color: var(--bad) } .edge { color: var(--edge) } ol { padding-left: 1.6em }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-top: 1px solid var(--line) }
svg text { fill: var(--ink); stroke: var(--paper); stroke-width: 3px; paint-order: stroke } svg .lane { stroke: var(--line) } svg .sent { stroke: var(--ink); fill: none } svg .faint { fill: var(--faint) }
svg .lost { stroke: var(--faint); stroke-dasharray: 3 3; fill: none } svg .dot { fill: var(--ink) } svg .fails { fill: var(--bad) }
svg .edge { stroke: var(--edge); stroke-width: 2; fill: none } svg .point { fill: var(--edge) } svg .edges { fill: var(--edge) }
svg a { text-decoration: none } svg a:hover text { text-decoration: underline } tr:target { background: color-mix(in srgb, var(--edge) 18%, transparent) }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--edge); outline-offset: 2px }
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
	w.Put("<p class=\"faint\">%s</p>\n<%s class=\"failure\">%s</%s>\n", of, w.heading, trimmed(p.location()+": "+visible(p.Failure)), w.heading)
	if p.Detail != "" {
		w.Put("<pre>%s</pre>\n", visible(p.Detail))
	}
	for _, text := range []string{visible(strings.Join(p.hints(), "; ")), p.shrunk(), visible(p.Orders()), visible(constraintsIn(p.Why)), needs(p.why().Needs)} {
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
	list := p.constraints()
	if len(list) > 0 {
		w.Put("<ol>\n")
	}
	for _, c := range list {
		w.Put("<li>%s before %s", inWords(&c.First, &c.first), inWords(&c.Second, &c.second))
		if c.Turned != nil {
			w.Put(" (%s)", turned(*c.Turned))
		}
		w.Put("</li>\n")
	}
	if len(list) > 0 {
		w.Put("</ol>\n")
	}
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

// table writes the steps with all their details.
func (p *Record) table(w *Writer) {
	w.Put("<%s>Steps</%s>\n"+Scroll+"<table>\n<tr><th>step</th><th>message</th><th>sent at</th><th>handled at</th><th>log, and new states of actors</th></tr>\n", w.below, w.below, "Steps")
	for i := range p.Steps {
		s := &p.Steps[i]
		w.Put("<tr id=\"%sstep%s\"><td>%s</td><td>%s", w.id, fmt.Sprint(s.Number), fmt.Sprint(s.Number), p.inWords(s))
		if s.Failed {
			w.Put(" <span class=\"bad\">%s</span>", failedHere)
		}
		if p.decides(s) {
			w.Put(" <span class=\"edge\">%s</span>", Decides(p.Why.Point))
		}
		_, at := handled(s.Handled, s.Handler)
		w.Put("</td><td>%s</td><td>%s", s.SentAt, at)
		for _, c := range s.Calls {
			w.Put("<div class=\"faint\">%s %s at %s</div>", c.What, c.Text, c.At)
		}
		w.Put("</td><td>")
		for _, line := range s.Log {
			w.Put("<div>log: %s</div>", line)
		}
		for _, line := range s.After {
			w.Put("<div>%s</div>", line)
		}
		w.Put("</td></tr>\n")
	}
	for i := range p.Waiting {
		m := &p.Waiting[i]
		w.Put("<tr><td></td><td class=\"faint\">%s (not received)</td><td>%s</td><td></td><td></td></tr>\n", p.arrow(m), m.SentAt)
	}
	w.Put("</table></div>\n")
	if p.LeftOut > 0 {
		w.Put("<p>%s more steps are left out.</p>\n", fmt.Sprint(p.LeftOut))
	}
}

func (p *Record) inWords(s *Step) string {
	if s.From < 0 {
		return s.Label
	}
	return p.arrow(&s.Message)
}

func (p *Record) arrow(m *Message) string {
	return p.name(m.From) + " ──" + m.Label + "──▶ " + p.name(m.To)
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
	heading string // the element of the main heading, such as "h1"
	below   string // the element of other headings
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

func trimmed(s string) string { return strings.TrimPrefix(s, ": ") }

// cut returns the first line of a text, shortened to `most` characters.
func cut(text string, most int) string {
	text = firstLine(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
