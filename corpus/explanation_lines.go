package corpus

import (
	"slices"
	"strconv"
)

// This file reads and writes the lines of an Explanation. Files of version 6 and newer have such
// lines, and those of a Point since version 7.

// flags returns pointers to the boolean fields of an explanation, each with the word that stands
// for it in the file.
func (e *Explanation) flags() []struct {
	word string
	is   *bool
} {
	return []struct {
		word string
		is   *bool
	}{{"complete", &e.Complete}, {"exact", &e.Exact}, {"mixed", &e.Mixed}, {"reduced", &e.Reduced}, {"skipped", &e.Skipped}, {"cut", &e.Cut}, {"long", &e.Long}, {"early", &e.Early}, {"interruptible", &e.Interruptible}}
}

func (w *writer) explained(c *Case) {
	if c.Doubtful {
		w.line("doubtful")
	}
	for _, face := range c.Faces {
		w.line("face", strconv.Quote(face))
	}
	e := c.Explanation
	if e == nil {
		return
	}
	words := []string{"explained", strconv.Itoa(e.Failing), "of", strconv.Itoa(e.Orders)}
	for _, f := range e.flags() {
		if *f.is {
			words = append(words, f.word)
		}
	}
	w.line(words...)
	if e.Told != "" {
		w.line("told", strconv.Quote(e.Told))
	}
	if e.Depth+e.Unnamed > 0 {
		w.line("depth", strconv.Itoa(e.Depth), "unnamed", strconv.Itoa(e.Unnamed))
	}
	if e.Preemptions > 0 {
		w.line("preemptions", strconv.Itoa(e.Preemptions))
	}
	for _, k := range e.Given {
		w.line("given", k.String())
	}
	if s := e.Sampled; s != nil {
		words := []string{"sampled", strconv.Itoa(s.Free.Failed), "of", strconv.Itoa(s.Free.Of), "under", strconv.Itoa(s.Under.Failed), "of", strconv.Itoa(s.Under.Of)}
		if s.Few > 0 {
			words = append(words, "in", strconv.Itoa(s.Few))
		}
		w.line(words...)
	}
	for i := range e.Constraints {
		w.constraint(&e.Constraints[i])
	}
	for i, remark := range e.Draws {
		if remark != "" {
			w.line("draw", strconv.Itoa(i), "of", strconv.Itoa(len(e.Draws)), strconv.Quote(remark))
		}
	}
	for _, n := range e.Needs {
		w.line("needs", strconv.Itoa(n.N), n.Kind.String())
	}
	w.point(e.Point)
}

func shareWords(s Share) []string { return []string{strconv.Itoa(s.Failed), "of", strconv.Itoa(s.Of)} }

func messageWords(m *Message) []string {
	return []string{strconv.Quote(m.Text), strconv.Quote(m.At), strconv.Quote(m.Kind), strconv.Itoa(m.Send + 1)}
}

// point writes the lines of a point of no return.
func (w *writer) point(p *Point) {
	if p == nil {
		return
	}
	w.line(slices.Concat([]string{"point", strconv.Itoa(p.Step + 1)}, messageWords(&p.Message), shareWords(p.Before), []string{"then"}, shareWords(p.After))...)
	if p.Instead != nil {
		w.line(slices.Concat([]string{"instead"}, messageWords(p.Other), shareWords(*p.Instead))...)
	}
	for i := range p.Spared {
		s := &p.Spared[i]
		w.line(slices.Concat([]string{"spared", strconv.Itoa(s.Step), strconv.Quote(s.Text)}, shareWords(s.Share))...)
	}
	for _, label := range p.Draws {
		w.line("decides", strconv.Quote(label))
	}
	for i := range p.Chances {
		c := &p.Chances[i]
		w.line(slices.Concat([]string{"chance", strconv.Itoa(c.Step)}, shareWords(c.Share))...)
	}
}

func (w *writer) constraint(c *Constraint) {
	words := []string{"constraint", places[c.Place], strconv.Itoa(c.Term)}
	for _, m := range []*Message{&c.First, &c.Second} {
		words = append(words, messageWords(m)...)
	}
	if c.Bare {
		words = append(words, "bare")
	}
	if t := c.Turned; t != nil {
		words = append(words, "turned", strconv.Itoa(t.Failed), "of", strconv.Itoa(t.Of))
		if t.LeftOut {
			words = append(words, "left-out")
		}
	}
	w.line(words...)
}

// explained reads the lines about the explanation of case c, which writer.explained writes.
func (r *reader) explained(c *Case) {
	if r.version < 6 {
		c.upgrade()
		return
	}
	if r.peek() == "doubtful" {
		r.line("doubtful", func() { c.Doubtful = true })
	}
	r.each("face", func() { c.Faces = append(c.Faces, r.quoted()) })
	if r.peek() != "explained" {
		return
	}
	e := &Explanation{}
	c.Explanation = e
	r.keyword("explained")
	e.Failing = r.count()
	r.literal("of")
	e.Orders = r.count()
	for r.more() {
		word := r.word()
		flags := e.flags()
		at := slices.IndexFunc(flags, func(f struct {
			word string
			is   *bool
		}) bool {
			return f.word == word
		})
		if at < 0 {
			r.failf(update, "%s, expected a result of the explanation, such as %q", shown(word), "complete")
			return
		}
		*flags[at].is = true
	}
	r.details(e)
}

// details reads the lines of an explanation after the first one.
func (r *reader) details(e *Explanation) {
	if r.peek() == "told" {
		r.line("told", func() { e.Told = r.quoted() })
	}
	if r.peek() == "depth" {
		r.line("depth", func() {
			e.Depth = r.count()
			r.literal("unnamed")
			e.Unnamed = r.count()
		})
	}
	if r.peek() == "preemptions" {
		r.line("preemptions", func() { e.Preemptions = r.count() })
	}
	r.each("given", func() { e.Given = append(e.Given, r.kind()) })
	if r.peek() == "sampled" {
		r.keyword("sampled")
		e.Sampled = &Sampled{Free: r.share()}
		r.literal("under")
		e.Sampled.Under = r.share()
		if r.more() {
			r.literal("in")
			e.Sampled.Few = r.count()
		}
		r.end()
	}
	r.each("constraint", func() { e.Constraints = append(e.Constraints, r.constraint()) })
	for r.peek() == "draw" {
		r.remark(e)
	}
	r.each("needs", func() { e.Needs = append(e.Needs, Need{N: r.count(), Kind: r.kind()}) })
	if r.version >= 7 && r.peek() == "point" {
		e.Point = r.point()
	}
}

// point reads the lines that writer.point writes.
func (r *reader) point() *Point {
	r.keyword("point")
	p := &Point{Step: r.count() - 1, Message: r.message(), Before: r.share()}
	r.literal("then")
	p.After = r.share()
	r.end()
	if r.peek() == "instead" {
		r.line("instead", func() {
			m, s := r.message(), r.share()
			p.Other, p.Instead = &m, &s
		})
	}
	r.each("spared", func() { p.Spared = append(p.Spared, Spared{Step: r.count(), Text: r.quoted(), Share: r.share()}) })
	r.each("decides", func() { p.Draws = append(p.Draws, r.quoted()) })
	r.each("chance", func() { p.Chances = append(p.Chances, Chance{Step: r.count(), Share: r.share()}) })
	return p
}

func (r *reader) message() Message {
	return Message{Text: r.quoted(), At: r.quoted(), Kind: r.quoted(), Send: r.count() - 1}
}

// mostDraws limits the number of draws, so that a damaged file cannot use up the memory.
const mostDraws = 1 << 20

// remark reads a line with the remark on a draw (see Explanation.Draws).
func (r *reader) remark(e *Explanation) {
	r.keyword("draw")
	i := r.count()
	r.literal("of")
	n := r.count()
	text := r.quoted()
	r.end()
	if r.err != nil {
		return
	}
	if i >= n || n > mostDraws || text == "" || e.Draws != nil && len(e.Draws) != n {
		r.failf(restore, "draw %d of %d with the remark %q, expected a draw below the number of draws, and a remark", i, n, text)
		return
	}
	if e.Draws == nil {
		e.Draws = make([]string, n)
	}
	e.Draws[i] = text
}

func (r *reader) constraint() (c Constraint) {
	word := r.word()
	at := slices.Index(places, word)
	if r.err == nil && at < 0 {
		r.failf(update, "%s, expected the part of the explanation with the constraint, such as %q", shown(word), places[InCondition])
		return c
	}
	c.Place, c.Term = Place(max(0, at)), r.count()
	for _, m := range []*Message{&c.First, &c.Second} {
		*m = r.message()
	}
	for r.more() {
		switch word := r.word(); {
		case word == "bare" && !c.Bare && c.Turned == nil:
			c.Bare = true
		case word == "turned" && c.Turned == nil:
			s := r.share()
			c.Turned = &s
		case word == "left-out" && c.Turned != nil && !c.Turned.LeftOut:
			c.Turned.LeftOut = true
		default:
			r.failf(update, "%s, expected bare, turned or (after turned) left-out, each at most once", shown(word))
		}
	}
	return c
}

// share reads the number of failing orders and the number of all orders: "3 of 7".
func (r *reader) share() (s Share) {
	s.Failed = r.count()
	r.literal("of")
	s.Of = r.count()
	return s
}

func (r *reader) count() int { return int(r.number(10, 31, false, "a number of at most 2147483647")) }
