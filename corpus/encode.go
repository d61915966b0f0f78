package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jostle-go/jostle/pulse/choice"
)

const (
	magic = "jostle case " // begins each file
	// version is the newest version of the format.
	version = 7
	// undecided is the version of the format for a case without Explanation.Point.
	undecided = 6
	// unexplained is the version of the format for a case without Explanation, Doubtful and
	// Faces.
	unexplained = 5
	// unheld is the version of the format for a case without Explanation, Doubtful and Faces, if
	// Record.Deliveries has no choice.Hold either.
	unheld = 4
	// perLine is the number of deliveries in a line. A line with so many fits into 80 columns.
	perLine = 4
)

// Encode returns the text of a case. It returns an error only if a choice is invalid, such as
// answer 3 of 2.
func Encode(c Case) ([]byte, error) {
	for _, list := range [][]choice.Choice{c.Record.Choices, c.Schedule.Choices} {
		for i, x := range list {
			if err := x.Check(); err != nil {
				return nil, fmt.Errorf("corpus: choice %d cannot be stored: %w", i, err)
			}
		}
	}
	var w writer
	w.line(magic + strconv.Itoa(versionOf(&c)))
	for _, text := range Comment(c.Comment) {
		w.line(strings.TrimRight("# "+text, " "))
	}
	w.line()
	w.line("property", strconv.Quote(c.Property))
	w.line("test", strconv.Quote(c.Test))
	w.line("signature", strconv.Quote(c.Signature))
	if c.Condition != "" {
		w.line("condition", strconv.Quote(c.Condition))
	}
	w.explained(&c)
	w.line("strategy", strconv.Quote(c.Strategy))
	w.line("seed", hex64(c.Seed))
	w.settings(&c)
	w.inputs(&c)
	w.decisions(&c)
	w.schedule(&c.Schedule)
	w.line("hash", hex64(c.Hash))
	w.line("end")
	return w.text, nil
}

// versionOf returns the oldest version of the format that can represent a case.
func versionOf(c *Case) int {
	switch {
	case c.Explanation != nil && c.Explanation.Point != nil:
		return version
	case c.Explanation != nil || c.Doubtful || len(c.Faces) > 0:
		return undecided
	case slices.Contains(c.Record.Deliveries, choice.Hold):
		return unexplained
	}
	return unheld
}

// A writer builds the text of a case.
type writer struct{ text []byte }

func (w *writer) line(words ...string) {
	w.text = append(w.text, strings.Join(words, " ")...)
	w.text = append(w.text, '\n')
}

func (w *writer) inputs(c *Case) {
	for _, in := range c.Inputs {
		words := []string{"input", strconv.Quote(in.Label), "seed", hex64(in.Seed)}
		if len(in.Words) > 0 {
			words = append(words, "words")
		}
		for _, n := range in.Words {
			words = append(words, strconv.FormatUint(n, 16))
		}
		w.line(words...)
	}
}

func (w *writer) settings(c *Case) {
	for _, s := range c.Settings {
		w.line("setting", strconv.Quote(s.Name), strconv.Quote(s.Value))
	}
	if c.EarlyTimers > 0 {
		w.line("early-timers", strconv.Itoa(c.EarlyTimers))
	}
}

func (w *writer) choice(keyword string, c choice.Choice) {
	w.line(keyword, c.Kind.String(), strconv.FormatUint(uint64(c.Value), 10), "of", strconv.FormatUint(uint64(c.N), 10))
}

// schedule writes a schedule. It writes nothing for the zero Schedule.
func (w *writer) schedule(s *choice.Schedule) {
	if s.Seed != 0 {
		w.line("schedule", hex64(s.Seed))
	}
	for _, p := range s.Priorities {
		w.line("priority", hex64(p.ID), hex64(p.P))
	}
	for _, c := range s.Before {
		w.line("before", hex64(c.First), hex64(c.Second))
	}
	for _, c := range s.Choices {
		w.choice("answer", c)
	}
}

func (w *writer) decisions(c *Case) {
	for _, c := range c.Record.Choices {
		w.choice("choice", c)
	}
	for ids := c.Record.Deliveries; len(ids) > 0; ids = ids[min(perLine, len(ids)):] {
		words := []string{"deliveries"}
		for _, id := range ids[:min(perLine, len(ids))] {
			words = append(words, delivery(id))
		}
		w.line(words...)
	}
	if c.Record.Plain {
		w.line("then", "plain")
	}
}

// delivery returns the word for an element of Record.Deliveries.
func delivery(id uint64) string {
	if id == choice.Hold {
		return hold
	}
	return hex64(id)
}

// hold is the word for choice.Hold in the text of a case. It stands for a timer that fired while
// messages were deliverable.
const hold = "hold"

func hex64(n uint64) string { return fmt.Sprintf("%016x", n) }

// Comment returns the lines of a comment as Encode saves them.
func Comment(comment []string) (list []string) {
	for _, text := range comment {
		for line := range strings.SplitSeq(text, "\n") {
			list = append(list, strings.TrimRightFunc(strings.Map(printable, line), unicode.IsSpace))
		}
	}
	return list
}

// printable replaces control characters, because tools treat a text with control characters as
// binary data.
func printable(r rune) rune {
	if r == '\t' || !unicode.IsControl(r) {
		return r
	}
	if r == '\r' {
		return -1
	}
	return utf8.RuneError
}

// unlike returns the text of a case with an additional line before the last line. The additional
// line is longer than all other lines together, and different in every text.
//
// The line prevents false conflicts in git. Suppose that two branches delete a case, and one of
// them adds a similar case. Git then treats the new case as the old one renamed, and reports a
// file that one branch renamed and the other deleted. Git matches two files if half of their
// bytes are equal, in whole lines or in pieces of 64 bytes within long lines. With the additional
// line, no two files have so much in common. A very large text gets no additional line.
func unlike(text []byte) []byte {
	const (
		last = "end\n"
		most = 1 << 18
	)
	if len(text) > most {
		return text
	}
	body := bytes.TrimSuffix(text, []byte(last))
	size := len(text) + len(text)/4 // a quarter more than half of the file needs, because pieces may collide in git's hash table
	sum := sha256.Sum256(text)
	list := append(bytes.Clone(body), "unlike "...)
	for len(list) < len(body)+size {
		list = hex.AppendEncode(list, sum[:])
		sum = sha256.Sum256(sum[:])
	}
	return append(append(list, '\n'), last...)
}
