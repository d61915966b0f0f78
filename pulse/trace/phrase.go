package trace

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Phrase is a line of text with parts that can be left out, each as a whole.
type Phrase struct {
	Text string `json:"text"`
	// Parts are the fields and elements of values in Text. A part comes before the parts within it.
	Parts []Part `json:"parts,omitempty"`
}

// A Part is a field or an element of a value in the text of a Phrase.
type Part struct {
	Begin int `json:"begin"` // the index of the first byte
	End   int `json:"end"`   // the index after the last byte
	// Same is set if the part has the same text in all messages of the type.
	Same bool `json:"same,omitempty"`
	// place is the index of the part among the parts of the same value, after the indices of the parts around it.
	place string
}

const (
	phraseRunes = 240 // the number of runes after which PhraseOf leaves out further fields and elements
	shortPhrase = 16  // the number of columns up to which a phrase has no parts, because it is short enough
)

// PhraseOf returns a message as Label does. It leaves out only whole fields and elements, and has
// more of them. A short text has no parts.
func PhraseOf(body any) Phrase {
	p := printer{left: phraseRunes, keep: true}
	p.value(reflect.ValueOf(body), true)
	if text := p.text.String(); Width(text) <= shortPhrase {
		return Phrase{Text: text}
	}
	return Phrase{p.text.String(), p.parts}
}

// part calls show, which writes one field or element. If there is no room left, it writes "…" instead.
func (p *printer) part(show func()) {
	if !p.keep {
		show()
		return
	}
	if p.left <= 0 {
		p.full = true
		p.text.WriteString(cut)
		return
	}
	i, around, count := len(p.parts), p.place, p.count
	p.place, p.count = around+"."+strconv.Itoa(count), 0
	p.parts = append(p.parts, Part{Begin: p.text.Len(), place: p.place})
	show()
	p.parts[i].End = p.text.Len()
	p.place, p.count = around, count+1
}

// whole writes the text of a value that has no parts.
func (p *printer) whole(text string) {
	if p.keep {
		text = Shortened(text, labelRunes)
	}
	p.write(text)
}

// then returns a phrase that has more texts before and after those of p.
func (p Phrase) then(before, after string) Phrase {
	list := slices.Clone(p.Parts)
	for i := range list {
		list[i].Begin += len(before)
		list[i].End += len(before)
	}
	return Phrase{before + p.Text + after, list}
}

// Fit returns the text of p with as many parts replaced by "…" as needed to make it at most the given
// number of columns wide. Parts that are the same in all messages of the type are replaced first, and
// then the last ones. The text is wider if p has not enough parts. Kept reports whether a part is left,
// or p has none.
func (p *Phrase) Fit(most int) (text string, kept bool) {
	out := make([]bool, len(p.Parts))
	var gone []int
	for _, same := range []bool{true, false} {
		for i := len(p.Parts) - 1; i >= 0 && Width(p.without(out)) > most; i-- {
			if part := p.Parts[i]; part.Same == same && utf8.RuneCountInString(p.Text[part.Begin:part.End]) > 1 {
				out[i], gone = true, append(gone, i)
			}
		}
	}
	lost := false                             // set if a part is missing that is not the same in all messages
	for _, i := range slices.Backward(gone) { // a large part that was left out may make room for smaller ones
		if out[i] = lost && p.Parts[i].Same; !out[i] && Width(p.without(out)) > most {
			out[i], lost = true, lost || !p.Parts[i].Same
		}
	}
	text = p.without(out)
	return text, text != p.without(slices.Repeat([]bool{true}, len(out))) || len(out) == 0
}

// without returns the text of p without some parts. Parts that follow each other share one "…".
func (p *Phrase) without(out []bool) string {
	var b strings.Builder
	end := 0
	for i, part := range p.Parts {
		if !out[i] || part.Begin < end {
			continue
		}
		if between := p.Text[end:part.Begin]; end == 0 || strings.Trim(between, ", "+cut) != "" {
			b.WriteString(between + cut)
		}
		end = part.End
	}
	rest := p.Text[end:]
	if after, more := strings.CutPrefix(strings.TrimLeft(rest, ", "), cut); more && end > 0 {
		rest = after
	}
	return b.String() + rest
}

// Phrases returns the labels of messages, each with a remark if it is a copy. It marks the parts that are the same in all messages of a type,
// if there are several.
func Phrases(sends []*Send) []Phrase {
	list, alike := make([]Phrase, len(sends)), map[string][]*Phrase{}
	for i, s := range sends {
		if list[i] = s.Phrase(); s.Kind == Copy {
			list[i] = list[i].then("", copied)
		}
		kind := TypeLabel(s.Body)
		alike[kind] = append(alike[kind], &list[i])
	}
	for _, group := range alike {
		if len(group) > 1 {
			markSame(group)
		}
	}
	return list
}

// markSame marks the parts that have the same text at the same place in all phrases of a list.
func markSame(list []*Phrase) {
	type look struct{ place, text string }
	times := map[look]int{}
	each := func(do func(part *Part, l look)) {
		for _, p := range list {
			for i := range p.Parts {
				do(&p.Parts[i], look{p.Parts[i].place, p.Text[p.Parts[i].Begin:p.Parts[i].End]})
			}
		}
	}
	each(func(_ *Part, l look) { times[l]++ })
	each(func(part *Part, l look) { part.Same = times[l] == len(list) })
}
