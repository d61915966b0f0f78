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
	magic   = "jostle case "
	version = 6 // the newest
	// unexplained is the version of a case without an explanation, doubt or faces.
	unexplained = 5
	// unheld is the version of such a case if, in addition, no messages were held
	// back. Its readers need not know the word hold.
	unheld = 4
	// perLine is how many identities a line has, so that it fits into 80 columns.
	perLine = 4
)

// Encode returns the text of a case. It fails only if a choice breaks its invariant.
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

// versionOf returns the oldest version that can express a case.
func versionOf(c *Case) int {
	switch {
	case c.Explanation != nil || c.Doubtful || len(c.Faces) > 0:
		return version
	case slices.Contains(c.Record.Deliveries, choice.Hold):
		return unexplained
	}
	return unheld
}

// A writer writes lines of words.
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

// schedule writes a schedule; nothing when it is plain order.
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

// delivery returns the word for a delivery.
func delivery(id uint64) string {
	if id == choice.Hold {
		return hold
	}
	return hex64(id)
}

// hold is the word for a delivery in which all messages were held back.
const hold = "hold"

func hex64(n uint64) string { return fmt.Sprintf("%016x", n) }

// Comment returns the lines of a comment in the form in which they are saved.
func Comment(comment []string) (list []string) {
	for _, text := range comment {
		for line := range strings.SplitSeq(text, "\n") {
			list = append(list, strings.TrimRightFunc(strings.Map(printable, line), unicode.IsSpace))
		}
	}
	return list
}

// printable replaces control characters, which would make tools take the text for
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

// unlike returns the text of a case with a line before its end that no other text
// has. The line is longer than all the rest.
//
// Without it git may see a conflict where there is none. Suppose that two branches
// drop a case, and one of them adds a case that looks like it. Git then takes the new
// case for the old one renamed, and sees a file that one branch renamed and the other
// deleted. Git matches files that share half of their bytes, in lines or, within long
// lines, in pieces of 64 bytes. With the line no two files share so much. A text that
// is too large for people to keep gets no such line.
func unlike(text []byte) []byte {
	const (
		last = "end\n"
		most = 1 << 18
	)
	if len(text) > most {
		return text
	}
	body := bytes.TrimSuffix(text, []byte(last))
	size := len(text) + len(text)/4 // some of the pieces collide in git's table
	sum := sha256.Sum256(text)
	list := append(bytes.Clone(body), "unlike "...)
	for len(list) < len(body)+size {
		list = hex.AppendEncode(list, sum[:])
		sum = sha256.Sum256(sum[:])
	}
	return append(append(list, '\n'), last...)
}
