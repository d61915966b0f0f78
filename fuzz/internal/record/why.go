package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Why describes in which orders a case fails, with one line for each term of the condition. It
// returns "" if the failing orders are unknown.
func Why(e *corpus.Explanation) string { return whyIn(e, math.MaxInt) }

// whyIn returns the text of Why. Where a line has several constraints and more than the given number of columns, each
// constraint gets lines of its own.
func whyIn(e *corpus.Explanation, most int) string {
	if e == nil || e.Told != "" {
		return ""
	}
	if e.Point != nil {
		return decided(e)
	}
	where, tail := ": exactly where", ""
	if e.Mixed {
		where, tail = ": where", ";\n    not exact: something besides the order of messages decides"
	}
	if e.Reduced {
		tail += ";\n    the property may distinguish orders in which every actor receives the same messages; only one of them was run"
	}
	switch {
	case e.Cut:
		return fromPlain("fails in ", e, most) + ";\n    there was no time to run all orders" + free(e.Sampled)
	case e.Long && !e.Complete:
		return fromPlain("fails in ", e, most) + ";\n    other orders were not run: that takes too much memory for a run of so many steps"
	case !e.Complete:
		return fromPlain("fails in ", e, most) + ";\n    there are too many orders to run them all" + sampled(e)
	case e.Orders == 0 || e.Failing == 0:
		return ""
	case e.Failing == e.Orders:
		return ordersOf(e) + tail
	case !e.Exact:
		return ordersOf(e) + "; no short condition on receives says which;\n" + fromPlain("    here: ", e, most) + tail
	}
	text := ""
	for i, term := range terms(e) {
		if i == 0 {
			text = listed(ordersOf(e)+where, term, most)
		} else {
			text += ",\n" + listed("    or where", term, most)
		}
	}
	return text + tail
}

// listed returns a text that begins with begin and has parts with "and" between them. If that has more than the given
// number of columns, each part gets lines of its own.
func listed(begin string, parts []string, most int) string {
	if line := begin + " " + strings.Join(parts, " and "); trace.Width(line) <= most {
		return line
	}
	const margin = "\n        "
	text := begin
	for i, part := range parts {
		if i > 0 {
			part = "and " + part
		}
		text += margin + strings.Join(trace.Fold(part, most-len(margin), hang, true), margin)
	}
	return text
}

// terms describes each term of the condition. The case fails in the orders in which all
// constraints of some term hold.
func terms(e *corpus.Explanation) (list [][]string) {
	var term []corpus.Constraint
	all := e.Of(corpus.InCondition)
	for i, c := range all {
		if term = append(term, c); i == len(all)-1 || all[i+1].Term != c.Term {
			list = append(list, inTerm(term))
			term = nil
		}
	}
	return list
}

// inTerm describes the constraints of one term, which must all hold.
func inTerm(list []corpus.Constraint) (parts []string) {
	for _, c := range list {
		text := before(c, " comes before ")
		if c.Bare {
			text = fmt.Sprintf("%s is received at %s", c.First.Text, c.First.At)
		}
		parts = append(parts, text)
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// before describes a constraint: "flush before write(1) at writer". verb stands between the messages.
func before(c corpus.Constraint, verb string) string {
	first, at := c.First.Text, " at "
	if onObject(c) && c.Place != corpus.InOwn {
		at = " by "
	}
	if onObject(c) {
		first += at + c.First.At
	}
	return first + verb + c.Second.Text + at + c.Second.At
}

// onObject reports whether a constraint of a condition is about steps of two actors. They are
// operations on one object, such as a mutex.
func onObject(c corpus.Constraint) bool { return c.First.At != c.Second.At }

// plainly says what happens in plain order.
func plainly(e *corpus.Explanation) string {
	if e.Interruptible {
		return "a goroutine runs until it blocks"
	}
	return "the oldest message comes first"
}

// fromPlain describes, after begin, how the order of a case differs from plain order.
func fromPlain(begin string, e *corpus.Explanation, most int) string {
	plain := begin + "plain order, where " + plainly(e)
	var list []string
	if e.Unnamed > 0 {
		list = append(list, words.Count(e.Unnamed, "constraint")+" on which message comes first")
	}
	own := e.Of(corpus.InOwn)
	for _, c := range own[:min(len(own), mostOwn)] {
		if c.First.At == "" {
			list = append(list, c.Second.Text+" at "+c.Second.At+" as late as it can come")
		} else {
			list = append(list, before(c, " before "))
		}
	}
	if n := len(own) - mostOwn; n > 0 {
		list = append(list, words.Count(n, "more constraint"))
	}
	if list = append(list, given(e.Given)...); len(list) == 0 {
		return plain
	}
	return listed(plain+", but with", list, most)
}

// sampled describes the results of random orders.
func sampled(e *corpus.Explanation) string {
	s := e.Sampled
	if s == nil {
		return ", and there was no time to sample some"
	}
	text, and := free(s), "and"
	if isRare(s.Free) {
		and = "but it fails"
	}
	list := e.Of(corpus.InSample)
	switch {
	case s.Free.Of == 0:
		return ", and no random order is known to fail or pass"
	case s.Free.Failed == s.Free.Of:
		return text + ":\n    " + orderDecides(e)
	case len(list) == 0:
		return text + ",\n    and no constraint on two messages was found that says which"
	}
	text += fmt.Sprintf(",\n    %s in %d of %d", and, s.Under.Failed, s.Under.Of)
	if s.Few > 0 {
		text += fmt.Sprintf(" (no more came in %d runs)", s.Few)
	}
	slices.SortStableFunc(list, func(a, b corpus.Constraint) int { return cmp.Compare(lost(s, *b.Turned), lost(s, *a.Turned)) })
	lines := clauses(list[:min(len(list), mostClauses)])
	if n := len(list) - len(lines); n > 0 {
		lines[len(lines)-1] += fmt.Sprintf(" (and %s more)", words.Grouped(n))
	}
	return text + " where " + strings.Join(lines, ",\n    and ")
}

// clauses describes sampled constraints, each with the orders in which it is reversed.
func clauses(list []corpus.Constraint) (lines []string) {
	for _, c := range list {
		lines = append(lines, fmt.Sprintf("%s (%s)", inTerm([]corpus.Constraint{c})[0], turned(*c.Turned)))
	}
	return lines
}

// free says how many random orders fail if nothing is constrained. s may be nil.
func free(s *corpus.Sampled) string {
	switch {
	case s == nil:
		return ""
	case isRare(s.Free):
		return fmt.Sprintf("; sampled: none of %d random orders fails", s.Free.Of)
	}
	return fmt.Sprintf("; sampled: it fails in %d of %d random orders", s.Free.Failed, s.Free.Of)
}

// mostOwn is the maximum number of constraints that fromPlain names.
const mostOwn = 5

// mostClauses is the maximum number of sampled constraints in a text.
const mostClauses = 3

// fewestOrders is the number of orders without a constraint that are needed to tell their share.
const fewestOrders = 10

// lost returns by how much the share of failing orders falls if a constraint is reversed, or -1 if
// there are too few such orders.
func lost(s *corpus.Sampled, turned corpus.Share) float64 {
	if turned.Of < fewestOrders || s.Under.Of == 0 {
		return -1
	}
	return float64(s.Under.Failed)/float64(s.Under.Of) - float64(turned.Failed)/float64(turned.Of)
}

// given describes the choices that have a nonzero answer in a case, such as faults.
func given(kinds []choice.Kind) (list []string) {
	for _, k := range [...]struct {
		choice.Kind
		one, several string
	}{
		{choice.Program, "a nonzero answer of Choose", "nonzero answers of Choose"},
		{choice.Clock, "an early timer", "early timers"},
		{choice.Drop, "a lost message", "lost messages"},
		{choice.Duplicate, "a doubled message", "doubled messages"},
		{choice.Delay, "a delayed message", "delayed messages"},
		{choice.Fault, "a fault", "faults"},
		{choice.Crash, "a crash within a step", "crashes within steps"},
		{choice.Loss, "a loss of writes", "losses of writes"},
	} {
		n := 0
		for _, given := range kinds {
			if given == k.Kind {
				n++
			}
		}
		switch {
		case n == 1:
			list = append(list, k.one)
		case n > 1:
			list = append(list, words.Grouped(n)+" "+k.several)
		}
	}
	return list
}

// turned says how many orders fail if a constraint is reversed.
func turned(s corpus.Share) string {
	how, still := "turned round", ""
	if s.LeftOut {
		how = "hardly ever the other way round"
		if s.Of < fewestOrders {
			return how
		}
		how += "; left out"
	}
	if s.Failed > 0 {
		still = "still "
	}
	return fmt.Sprintf("%s, %s%d of %d", how, still, s.Failed, s.Of)
}

// needs describes the faults that the failure needs. It returns "" if it needs none.
func needs(list []corpus.Need) string {
	suffix := map[choice.Kind]string{choice.Drop: "lost", choice.Duplicate: "delivered twice", choice.Delay: "delayed"}
	var parts []string
	for _, n := range list {
		if how, message := suffix[n.Kind]; message {
			parts = append(parts, words.Count(n.N, "message")+" "+how)
		} else {
			parts = append(parts, words.Count(n.N, "fault")+" of actors")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "needs " + strings.Join(parts, " and ")
}

// Said returns lines that explain why a case fails.
func Said(c *corpus.Case) (lines []string) {
	if c.Doubtful {
		lines = append(lines, corpus.Doubt)
	}
	e := c.Explanation
	if e == nil {
		return lines
	}
	for _, text := range []string{e.Told, whyIn(e, mostInLine), needs(e.Needs), depth(e)} {
		if text != "" {
			lines = append(lines, strings.Split(text, "\n")...)
		}
	}
	for i, remark := range e.Draws {
		if remark != "" && i < len(c.Inputs) {
			lines = append(lines, fmt.Sprintf("draw %s: %s", c.Inputs[i].Label, remark))
		}
	}
	return lines
}

// depth returns a line that gives and explains the depth of a case. It returns "" if the depth
// is zero or unknown.
func depth(e *corpus.Explanation) string {
	if e.Depth == 0 {
		return ""
	}
	return fmt.Sprintf("depth %d: the number of constraints and answers that turn plain order (%s) into this order", e.Depth, plainly(e))
}
