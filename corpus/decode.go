package corpus

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Decode returns the case that a text contains. path is the path of the file with the text. An
// error has the number of the wrong line, and says what is wrong and what to do.
func Decode(path string, text []byte) (Case, error) {
	if n := bytes.Count(text, []byte("\n")); n > mostLines {
		return Case{}, fmt.Errorf("%s:1: the file has %d lines, expected at most %d: %s", path, n, mostLines, restore)
	}
	r := reader{path: path, lines: splitLines(strings.TrimPrefix(string(text), byteOrderMark))}
	c := Case{Path: path}
	r.foreign(text)
	r.begin()
	c.Comment = r.comment()
	r.head(&c)
	r.settings(&c)
	r.inputs(&c)
	r.decisions(&c)
	r.schedule(&c.Schedule)
	r.line("hash", func() { c.Hash = r.hex() })
	if r.version >= 4 && r.peek() == "unlike" { // Decode ignores the line that the function unlike adds
		r.keyword("unlike")
		r.rest = ""
	}
	r.keyword("end")
	r.end()
	if r.err == nil && r.at < len(r.lines) {
		r.next()
		r.failf(restore, "%s after the end line, expected no more", shown(r.rest))
	}
	if r.err != nil {
		return Case{}, r.err
	}
	return c, nil
}

// mostLines limits the number of lines of a case. It is enough for a run of 16 million steps.
const mostLines = 4 << 20

// byteOrderMark is a character that some editors write at the beginning of a text.
const byteOrderMark = "\ufeff"

// foreign records an error if an editor has saved the text in UTF-16, or if version control has
// left the marks of a merge conflict in the text.
func (r *reader) foreign(text []byte) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		r.failf("save it as UTF-8", "the file is in UTF-16, expected UTF-8")
	}
	for i, line := range r.lines {
		if isConflictMark(line) {
			r.at = i + 1
			r.failf(oneSide, "%s is a mark of a merge conflict", shown(line))
			return
		}
	}
}

// isConflictMark reports whether a line is one of the marks that version control writes around
// the two sides of a merge conflict.
func isConflictMark(line string) bool {
	const width = 7
	if len(line) < width || !strings.Contains("<=>|", line[:1]) {
		return false
	}
	return strings.Count(line[:width], line[:1]) == width
}

// splitLines returns the lines of a text without their line ends, which may be \n or \r\n. It
// removes the indentation of the first line from all lines, because a case may be copied from
// the output of a test.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	for i := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimRight(lines[i], "\r"), indent)
	}
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// begin reads the version of the format in the first line, and checks that the file is complete.
func (r *reader) begin() {
	if len(r.lines) == 0 {
		r.failf(restore, "the file is empty, expected %q", magic+strconv.Itoa(version))
		return
	}
	if r.next(); r.err != nil {
		return
	}
	number, isCase := strings.CutPrefix(r.rest, magic)
	n, err := strconv.Atoi(number)
	switch {
	case !isCase || err != nil || n < 1:
		r.failf(restore, "%s, expected %q: this is not a case", shown(r.rest), magic+strconv.Itoa(version))
	case n > version:
		r.failf(update, "a case of version %d, written by a newer jostle; this one reads versions up to %d", n, version)
	case r.lines[len(r.lines)-1] != "end":
		r.at = len(r.lines)
		r.failf(restore, "the file has been cut off here: its last line is %s, expected %q", lineShown(r.lines[r.at-1]), "end")
	}
	r.version, r.rest = n, ""
}

func (r *reader) comment() (list []string) {
	for r.err == nil && (strings.HasPrefix(r.peek(), "#") || r.peek() == "" && r.at < len(r.lines)) {
		r.next()
		if text, ok := strings.CutPrefix(r.rest, "#"); ok {
			list = append(list, strings.TrimPrefix(text, " "))
			continue
		}
		if r.rest != "" { // the line begins with a space, so it is no comment
			r.failf(restore, "%s, expected a line that begins with # or with %s", shown(r.rest), r.firstWord())
		}
	}
	return Comment(list)
}

// firstWord returns the first word of the line after the comment.
func (r *reader) firstWord() string {
	if r.version == 1 {
		return "test"
	}
	return "property"
}

func (r *reader) head(c *Case) {
	if r.firstWord() == "property" {
		r.line("property", func() { c.Property = r.quoted() })
	}
	r.line("test", func() { c.Test = r.quoted() })
	r.line("signature", func() { c.Signature = r.quoted() })
	r.condition(c)
	r.explained(c)
	r.line("strategy", func() { c.Strategy = r.quoted() })
	r.line("seed", func() { c.Seed = r.hex() })
}

func (r *reader) condition(c *Case) {
	if r.version < 3 || r.peek() != "condition" {
		return
	}
	r.keyword("condition")
	if c.Condition = r.quoted(); r.err == nil && c.Condition == "" {
		r.failf(restore, "an empty condition, expected a text or no condition line")
	}
	r.end()
}

func (r *reader) inputs(c *Case) {
	for r.peek() == "input" {
		r.keyword("input")
		in := choice.Input{Label: r.quoted()}
		r.literal("seed")
		in.Seed = r.hex()
		if r.more() {
			r.literal("words")
			in.Words = append(in.Words, r.short())
		}
		for r.more() {
			in.Words = append(in.Words, r.short())
		}
		c.Inputs = append(c.Inputs, in)
	}
}

func (r *reader) settings(c *Case) {
	r.each("setting", func() { c.Settings = append(c.Settings, Setting{Name: r.quoted(), Value: r.quoted()}) })
	if r.peek() == "early-timers" {
		r.keyword("early-timers")
		n := r.decimal()
		if r.err == nil && (n == 0 || n > math.MaxInt32) {
			r.failf(restore, "%d early timers, expected a number of at least 1, or no early-timers line", n)
		}
		c.EarlyTimers = int(n)
		r.end()
	}
}

func (r *reader) schedule(s *choice.Schedule) {
	if r.peek() == "schedule" {
		r.keyword("schedule")
		if s.Seed = r.hex(); r.err == nil && s.Seed == 0 {
			r.failf(restore, "a schedule of seed 0, expected a nonzero seed, or no schedule line for plain order (oldest message first)")
		}
		r.end()
	}
	r.each("priority", func() { s.Priorities = append(s.Priorities, choice.Priority{ID: r.hex(), P: r.hex()}) })
	r.each("before", func() { s.Before = append(s.Before, choice.Constraint{First: r.hex(), Second: r.hex()}) })
	for r.peek() == "answer" {
		s.Choices = append(s.Choices, r.choice("answer"))
	}
}

func (r *reader) decisions(c *Case) {
	record := &c.Record
	for r.peek() == "choice" {
		record.Choices = append(record.Choices, r.choice("choice"))
	}
	for r.peek() == "deliveries" {
		r.keyword("deliveries")
		record.Deliveries = append(record.Deliveries, r.delivery())
		for r.more() {
			record.Deliveries = append(record.Deliveries, r.delivery())
		}
	}
	if r.peek() == "then" && r.version >= 3 {
		r.keyword("then")
		r.literal("plain")
		r.end()
		record.Plain = true
	}
}

// delivery reads the identity of a step, or the word "hold", for which it returns choice.Hold.
func (r *reader) delivery() uint64 {
	if word, _, _ := strings.Cut(r.rest, " "); word == hold && r.version >= 5 {
		r.word()
		return choice.Hold
	}
	return r.hex()
}

func (r *reader) choice(keyword string) choice.Choice {
	r.keyword(keyword)
	c := choice.Choice{Kind: r.kind(), Value: r.decimal()}
	r.literal("of")
	c.N = r.decimal()
	if c.Value >= c.N {
		r.failf(restore, "answer %d of %d answers, expected an answer below the number of answers", c.Value, c.N)
	}
	r.end()
	return c
}
