package coverage

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Limits on a picture.
const (
	mostPictured = 40 // the maximum number of actors
	mostTypes    = 24 // the maximum number of message types of one actor
	mostLetters  = 24 // the maximum number of letters of a name
)

const (
	cell   = 18 // the width and height of a field, in pixels
	margin = 180
)

const svgStyle = `
.orders { --ink: #1c2024; --paper: #ffffff; --faint: #626a72; --covered: #2da44e; --part: #bf8700; --open: #c4261d; --impossible: #d5d9dd; --unknown: #8250df }
@media (prefers-color-scheme: dark) {
.orders { --ink: #e4e8ec; --paper: #16191d; --faint: #98a0a8; --covered: #3fb950; --part: #d29922; --open: #ff7b72; --impossible: #363c43; --unknown: #b78cff } }
.orders text { font: 12px ui-monospace, monospace; fill: var(--ink); stroke: none } .orders .faint { fill: var(--faint) } .orders .name { font-weight: bold }
.orders .paper { fill: var(--paper) } .orders .covered { fill: var(--covered) } .orders .part { fill: var(--part) } .orders .open { fill: var(--open) }
.orders .impossible { fill: var(--impossible) } .orders .unknown { fill: var(--unknown) }
`

// SVG returns a picture of the receive pairs. For each label of receivers it has a matrix
// of message types, with a field for each two types with a receive pair. The color and the
// letter of a field show the status of its receive pairs.
func (o *Orders) SVG() []byte {
	p := &picture{y: 2 * cell}
	list := o.Types()
	actors := 0
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Actor == list[0].Actor {
			n++
		}
		if actors++; actors > mostPictured {
			p.text(cell, "faint", "and more actors")
			p.y += cell
			break
		}
		p.matrix(list[:n])
		list = list[n:]
	}
	if actors == 0 {
		p.text(cell, "faint", "no actor received two messages")
		p.y += cell
	}
	p.legend()
	return fmt.Appendf(nil, "<svg class=\"orders\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n<style>%s</style>\n"+
		"<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n", p.width+cell, p.y, p.width+cell, p.y,
		html.EscapeString("PR: "+o.Count().String()), svgStyle, p.b.String())
}

// A picture is an SVG image that is being drawn from top to bottom.
type picture struct {
	b        strings.Builder
	y, width int
}

func (p *picture) text(x int, class, text string) {
	fmt.Fprintf(&p.b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, p.y, html.EscapeString(text))
	p.width = max(p.width, x+8*utf8.RuneCountInString(text))
}

func (p *picture) square(x int, class, title string) {
	fmt.Fprintf(&p.b, "<g><title>%s</title><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>", html.EscapeString(title), class, x, p.y-13, cell-2, cell-2)
	fmt.Fprintf(&p.b, "<text x=\"%d\" y=\"%d\">%c</text></g>\n", x+4, p.y, class[0])
	p.width = max(p.width, x+cell)
}

// matrix draws the matrix for the actors with one label, given its non-empty fields.
func (p *picture) matrix(list []TypePair) {
	var types []string
	at := map[string]int{}
	add := func(name string) {
		if _, had := at[name]; !had {
			at[name] = len(types)
			types = append(types, name)
		}
	}
	cells := map[[2]string]*TypePair{}
	for i := range list {
		add(list[i].First)
		add(list[i].Second)
		cells[[2]string{list[i].First, list[i].Second}] = &list[i]
	}
	p.text(cell, "name", short(list[0].Actor))
	p.y += cell
	for i, name := range types {
		if i == mostTypes {
			p.text(2*cell, "faint", fmt.Sprintf("and %d more types", len(types)-i))
			p.y += cell
			break
		}
		p.text(2*cell, "", fmt.Sprintf("%d %s", i+1, short(shortType(name))))
		for j := range i + 1 {
			c := cells[[2]string{min(types[j], name), max(types[j], name)}]
			if c != nil {
				p.square(margin+2*cell+j*cell, c.class(), c.describe())
			}
		}
		p.y += cell
	}
	p.y += cell / 2
}

// class returns the CSS class of a field of the matrix. The class decides the color and
// the letter.
func (p *TypePair) class() string {
	switch {
	case p.Open > 0 && p.Covered > 0:
		return "part"
	case p.Open > 0:
		return "open"
	case p.Unknown > 0:
		return "unknown"
	case p.Covered > 0:
		return "covered"
	}
	return "impossible"
}

func (p *TypePair) describe() string {
	return fmt.Sprintf("%s, %s and %s: %d covered, %d open, %d impossible, %d unknown; the first type came first in %d pairs, last in %d",
		short(p.Actor), short(shortType(p.First)), short(shortType(p.Second)), p.Covered, p.Open, p.Impossible, p.Unknown, p.Forth, p.Back)
}

func (p *picture) legend() {
	p.y += cell / 2
	for _, class := range []string{"covered", "part", "open", "impossible", "unknown"} {
		p.square(cell, class, class)
		text := map[string]string{
			"covered":    "every pair that can come in both orders did",
			"part":       "some pairs came in both orders; others came in one and could in the other",
			"open":       "no pair came in both orders; some could",
			"impossible": "no pair can come in both orders",
			"unknown":    "for some pairs it is unknown whether they can",
		}[class]
		p.text(2*cell+2, "faint", class+": "+text)
		p.y += cell
	}
}

func short(name string) string { return shown(name, mostLetters) }
