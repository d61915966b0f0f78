package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// mostInLine is the maximum number of characters of a line that explains a failure, without
// indentation.
const mostInLine = 92

// decided describes which orders fail and which step decides, in one line or two:
//
//	fails in 1 of 2 orders: exactly where flush comes before write(1) at writer
//	after step 2 (flush at writer) 100 of 100 continuations fail, before it 55 of 100
//
// If there is no short exact condition, the step is all that is known:
//
//	fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:
//	    vote(1) at node.2; had vote(2) at node.2 come, in 0 of 100
func decided(e *corpus.Explanation) string {
	p, head := e.Point, ordersOf(e)
	condition := exactly(e)
	only := head
	if condition != "" {
		head += ": exactly where " + condition
	}
	switch {
	case p.Step < 0:
		return undecided(e, head)
	case condition != "" && utf8.RuneCountInString(head) <= mostInLine:
		return head + "\n" + afterStep(p)
	}
	return fmt.Sprintf("%s, after step %d in %s, before it in %s:\n    %s", only, p.Step, share(p.After), share(p.Before), came(p))
}

// ordersOf says in how many orders a case fails.
func ordersOf(e *corpus.Explanation) string {
	fails, kind := "fails", ""
	if e.Mixed {
		fails = "can fail"
	}
	if e.Skipped {
		kind = " that are not skipped"
	}
	orders := words.Count(e.Orders, "order")
	switch p := e.Point; {
	case !e.Complete && e.Sampled != nil:
		return fmt.Sprintf("%s in %s random orders", fails, share(e.Sampled.Free))
	case !e.Complete && len(p.Chances) > 0:
		return fmt.Sprintf("%s in %s random orders", fails, share(p.Chances[0].Share))
	case e.Orders == 1 && !e.Skipped && !e.Reduced:
		return fails + " in the only order there is"
	case e.Failing == e.Orders:
		return fails + " in all " + orders + kind
	}
	return fmt.Sprintf("%s in %s of %s%s", fails, words.Grouped(e.Failing), orders, kind)
}

// exactly returns the condition that holds in exactly the failing orders, "" if it is unknown.
func exactly(e *corpus.Explanation) string {
	if !e.Complete || !e.Exact || e.Mixed || e.Reduced || e.Failing == e.Orders {
		return ""
	}
	return strings.Join(terms(e), ", or where ")
}

// afterStep says how the chance of a failure changes in the deciding step.
func afterStep(p *corpus.Point) string {
	said := fmt.Sprintf("after step %d (%%s) %s continuations fail, before it %s", p.Step, share(p.After), share(p.Before))
	line := fitted(said, inShort(&p.Message))
	if other := otherwise(p); utf8.RuneCountInString(line+other) <= mostInLine {
		line += other
	}
	return line
}

// otherwise says how many continuations fail if something else comes in the deciding step.
func otherwise(p *corpus.Point) string {
	switch {
	case p.Instead == nil:
		return ""
	case p.Other.Text == "":
		return "; without it " + share(*p.Instead)
	}
	return "; had " + inShort(p.Other) + " come, " + share(*p.Instead)
}

// came describes the deciding step and what could have come in its place.
func came(p *corpus.Point) string {
	if p.Instead == nil || p.Other.Text == "" {
		return fitted("%s", inShort(&p.Message)) + strings.Replace(otherwise(p), "it ", "it in ", 1)
	}
	return fitted("%s; had %s come, in "+share(*p.Instead), inShort(&p.Message), inShort(p.Other))
}

// inShort returns the name of a message and of its receiver.
func inShort(m *corpus.Message) string {
	if m.At == "" {
		return m.Text
	}
	return m.Text + " at " + m.At
}

// always is the number of 100 random runs that must fail so that the order does not matter.
const always = 95

// undecided says that no step decides, and which fault or draw does.
func undecided(e *corpus.Explanation, head string) string {
	p := e.Point
	if p.Before.Of == 0 || p.Before.Failed*100 < always*p.Before.Of {
		return head + "\n" + "no single step decides: the chance rises bit by bit"
	}
	var list []string
	for _, s := range p.Spared {
		if s.Of > 0 && 2*s.Failed < s.Of {
			list = append(list, fitted(fmt.Sprintf("%%s (step %d): without it %s fail", s.Step, share(s.Share)), s.Text))
		}
	}
	switch {
	case len(list) > 0:
		return head + ": the order does not decide, a fault does:\n    " + list[0]
	case len(p.Draws) > 0:
		return head + ": " + fitted("the order does not decide, what is drawn does: %s", strings.Join(p.Draws, ", "))
	}
	return head + ": the order does not decide"
}

func share(s corpus.Share) string { return fmt.Sprintf("%d of %d", s.Failed, s.Of) }

// fitted formats texts of the program. It shortens them, longest first, so that the line is not
// too long.
func fitted(format string, texts ...string) string {
	left := mostInLine - utf8.RuneCountInString(strings.ReplaceAll(format, "%s", ""))
	sizes := make([]int, len(texts))
	for i, text := range texts {
		sizes[i] = utf8.RuneCountInString(text)
		left -= sizes[i]
	}
	for ; left < 0 && slices.Max(sizes) > fewestCut; left++ {
		sizes[slices.Index(sizes, slices.Max(sizes))]--
	}
	args := make([]any, len(texts))
	for i, text := range texts {
		args[i] = cut(text, sizes[i])
	}
	return fmt.Sprintf(format, args...)
}

// fewestCut is the number of characters that fitted leaves of each text at least.
const fewestCut = 12
