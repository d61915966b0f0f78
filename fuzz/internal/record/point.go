package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostInLine is the usual maximum number of columns of a line, without indentation. hang is the additional
// indentation of what follows a break in a line.
const mostInLine, hang = Columns - Indent, 4

// decided describes which orders fail and which step decides, in one line or two:
//
//	fails in 1 of 2 orders: exactly where flush comes before write(1) at writer
//	after step 2 (flush at writer) 100 of 100 continuations fail, before it 55 of 100
//
// If the exact condition needs two lines, the deciding step is marked only in the chart. A
// condition on operations on objects, such as mutexes, may need four. If the condition needs
// more lines or is unknown, decided describes only the step:
//
//	fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:
//	    vote(1) at node.2; had vote(2) come, in 0 of 100
//
// If no random order fails, the first line begins with "fails in rare orders (0 of 100 random)".
func decided(e *corpus.Explanation) string {
	p, head := e.Point, ordersOf(e)
	if p.Step < 0 {
		return undecided(e, head)
	}
	switch lines := exactly(e); len(lines) {
	case 0:
		return fmt.Sprintf("%s, after step %d in %s, before it in %s:\n%s", head, p.Step, share(p.After), share(p.Before), came(e))
	case 1:
		return lines[0] + "\n" + afterStep(p)
	default:
		return strings.Join(lines, "\n")
	}
}

// constraintsIn describes all that is known about the failing orders except the point of no
// return, which a page adds to the short text of decided. It returns "" if there is nothing to add.
func constraintsIn(e *corpus.Explanation) string {
	if e == nil || e.Point == nil || e.Point.Step >= 0 && exactly(e) != nil || e.Complete && e.Failing == e.Orders && !e.Mixed && !e.Reduced {
		return ""
	}
	other := *e
	other.Point = nil
	return Why(&other)
}

// ordersOf says in how many orders a case fails.
func ordersOf(e *corpus.Explanation) string {
	fails, those, only := "fails", "", "there is"
	reduced := e.Complete && e.Reduced // e.Reduced says nothing about random orders, which are run if e.Complete is not set
	switch {
	case e.Skipped && reduced:
		those, only = " that were run and not skipped", "that was run and not skipped"
	case e.Skipped:
		those, only = " that are not skipped", "that is not skipped"
	case reduced:
		those, only = " that were run", "that was run"
	case e.Mixed:
		only = "of receives"
	}
	if e.Mixed {
		fails = "can fail"
	}
	fails += " in "
	orders := words.Count(e.Orders, "order") + those
	switch {
	case !e.Complete && e.Sampled != nil && isRare(e.Sampled.Free):
		return fails + "rare orders (" + share(e.Sampled.Free) + " random" + those + ")"
	case !e.Complete && e.Sampled != nil && e.Sampled.Free.Of > 0:
		return fails + share(e.Sampled.Free) + " random orders" + those
	case !e.Complete || e.Failing == 0:
		return fails + "this order"
	case e.Orders == 1:
		return fails + "the only order " + only
	case e.Failing == e.Orders:
		return fails + "all " + orders
	}
	return fails + words.Grouped(e.Failing) + " of " + orders
}

// fewestRare is the number of random orders of which none may fail for a failing order to be called rare.
const fewestRare = 50

func isRare(s corpus.Share) bool { return s.Failed == 0 && s.Of >= fewestRare }

// Share says which of the orders that were run fail: "2 of 3", or "5 of 100 random". It returns ""
// if that is unknown.
func (r *Record) Share() string {
	e := r.why()
	switch {
	case e.Complete && e.Orders > 0:
		return fmt.Sprintf("%s of %s", words.Grouped(e.Failing), words.Grouped(e.Orders))
	case e.Sampled != nil && isRare(e.Sampled.Free):
		return fmt.Sprintf("none of %d random", e.Sampled.Free.Of)
	case e.Sampled != nil && e.Sampled.Free.Of > 0:
		return share(e.Sampled.Free) + " random"
	}
	return ""
}

// mostBrief is the maximum number of characters of the result of Brief.
const mostBrief = 60

// Brief describes the cause of the failure in about ten words: "flush before write(1) at writer". It
// returns "" if the cause is unknown.
func (r *Record) Brief() string { return trace.Shortened(visible(r.brief()), mostBrief) }

func (r *Record) brief() string {
	e := r.why()
	main, p := e.Main(), e.Point
	switch {
	case r.Died:
		return "the run ends its process"
	case r.Differs != "" || r.Stray:
		return "does not repeat: something besides messages decides"
	case len(main) > 0 && main[0].Bare:
		return main[0].First.Text + " is received at " + main[0].First.At
	case len(main) > 0 && main[0].First.At != "":
		return before(main[0], " before ")
	case p != nil && p.Step >= 0:
		return p.Message.Text + at(&p.Message)
	case len(e.Needs) > 0:
		return needs(e.Needs)
	case e.Early:
		return "needs a timer that fires early"
	case e.Complete && e.Orders > 0 && e.Failing == e.Orders && !e.Skipped && !e.Reduced:
		return orderDecides(e)
	}
	return ""
}

// exactly returns lines with the condition that holds in exactly the failing orders. It returns nil if
// the condition is unknown or needs more than two lines; for operations on objects, more than four.
func exactly(e *corpus.Explanation) []string {
	text, most := "", 2
	switch list := e.Of(corpus.InSample); {
	case sharp(e, list):
		text, most = ordersOf(e)+", and in "+share(e.Sampled.Under)+" where "+strings.Join(clauses(list), " and "), 4
	case !e.Complete || !e.Exact || e.Mixed || e.Reduced || e.Failing == e.Orders:
		return nil
	default:
		if slices.ContainsFunc(e.Of(corpus.InCondition), onObject) {
			most = 4
		}
		var all []string
		for _, term := range terms(e) {
			all = append(all, strings.Join(term, " and "))
		}
		text = ordersOf(e) + ": exactly where " + strings.Join(all, ", or where ")
	}
	if lines := trace.Fold(text, mostInLine, hang, true); len(lines) <= most {
		return lines
	}
	return nil
}

// sharp reports whether a sampled list of constraints, with some on operations on objects, separates the
// failing orders from the passing ones: all orders with the constraints fail, and none with one reversed.
func sharp(e *corpus.Explanation, list []corpus.Constraint) bool {
	passes := func(c corpus.Constraint) bool { return c.Turned.Failed == 0 && c.Turned.Of >= fewestOrders }
	return !e.Complete && e.Sampled != nil && slices.ContainsFunc(list, onObject) && e.Sampled.Under.Failed == e.Sampled.Under.Of &&
		!slices.ContainsFunc(list, func(c corpus.Constraint) bool { return !passes(c) })
}

// afterStep says how the chance of a failure changes in the deciding step.
func afterStep(p *corpus.Point) string {
	line := fitted(fmt.Sprintf("after step %d (", p.Step), p.Message.Text,
		fmt.Sprintf("%s) %s continuations fail, before it %s", at(&p.Message), share(p.After), share(p.Before)))
	if other := strings.Join(instead(p, ""), ""); utf8.RuneCountInString(line+other) <= mostInLine {
		line += other
	}
	return line
}

// came describes the deciding step and what could have come in its place, in one line. If there is no room
// for the actor of the deciding step, which the chart shows, came leaves that out. In a run of goroutines,
// steps of two actors get a line each.
func came(e *corpus.Explanation) string {
	p := e.Point
	list := append([]string{"    ", p.Message.Text}, instead(p, "in ")...)
	switch long := trace.Width(strings.Join(list, "")+at(&p.Message)) > mostInLine; {
	case !long || len(list) == 3:
		list[2] = at(&p.Message) + list[2]
	case e.Interruptible:
		other := fitted("    had ", list[3], list[4])
		if whole := "    had " + list[3] + list[4]; other != whole {
			other = fitted("    had ", list[3], " come, in "+share(*p.Instead)) // the place in the code says more than the goroutine
		}
		return fitted(list[0], list[1], at(&p.Message)+";") + "\n" + other
	}
	return fitted(list...)
}

// instead says how many continuations fail if something else comes in the deciding step, in the
// form that fitted takes.
func instead(p *corpus.Point, in string) []string {
	switch {
	case p.Instead == nil:
		return []string{""}
	case p.Other.Text == "":
		return []string{"; without it " + in + share(*p.Instead)}
	}
	end := " come, " + in + share(*p.Instead)
	if p.Other.At != p.Message.At {
		end = at(p.Other) + end
	}
	return []string{"; had ", p.Other.Text, end}
}

// at returns the receiver of a message: " at writer".
func at(m *corpus.Message) string {
	if m.At == "" {
		return ""
	}
	return " at " + m.At
}

// always is the number of 100 random runs that must fail so that the order does not matter.
const always = 95

// undecided says that no step decides, and which fault or draw does.
func undecided(e *corpus.Explanation, head string) string {
	p := e.Point
	switch {
	case p.Before.Of == 0:
		return head
	case p.Before.Failed*100 < always*p.Before.Of:
		return head + "\n" + "no single step decides: the chance of failing rises gradually"
	}
	not := ", not the order"
	if somePass(e) {
		not = ""
	}
	for _, s := range p.Spared {
		if s.Of > 0 && 2*s.Failed < s.Of {
			return head + ": a fault decides" + not + ":\n" + fitted("    ", s.Text, fmt.Sprintf(" (step %d): without it %s fail", s.Step, share(s.Share)))
		}
	}
	switch {
	case len(p.Draws) > 0:
		return fitted(head+": the draws decide"+not+" (", strings.Join(p.Draws, ", "), ")")
	case e.Complete && e.Orders == 1 || e.Skipped:
		return head
	}
	return head + ": " + orderDecides(e)
}

// somePass reports whether an explanation says that an order with the draws and faults of the case
// passes.
func somePass(e *corpus.Explanation) bool {
	p, s := e.Point, e.Sampled
	if e.Complete && !e.Mixed && !e.Reduced {
		return e.Failing < e.Orders
	}
	plain := e.Depth > 0 && len(e.Given) == 0 // without its constraints, the case is in plain order and passes
	return plain || p != nil && p.Before.Failed < p.Before.Of || s != nil && s.Free.Failed < s.Free.Of
}

// orderDecides is for a case in which nearly all continuations fail from the start. It says whether
// the order of messages ever decides if the case fails.
func orderDecides(e *corpus.Explanation) string {
	if somePass(e) {
		return "the order seldom decides whether it fails"
	}
	return "the order does not decide whether it fails"
}

func share(s corpus.Share) string { return fmt.Sprintf("%d of %d", s.Failed, s.Of) }

// fitted joins texts. It shortens every second text, the longest first, so that the line is not
// too long.
func fitted(texts ...string) string { return fittedTo(mostInLine, texts...) }

func fittedTo(most int, texts ...string) string {
	left, sizes := most, make([]int, len(texts))
	for i, text := range texts {
		left -= utf8.RuneCountInString(text)
		if i%2 == 1 {
			sizes[i] = utf8.RuneCountInString(text)
		}
	}
	for ; left < 0 && slices.Max(sizes) > fewestCut; left++ {
		sizes[slices.Index(sizes, slices.Max(sizes))]--
	}
	var b strings.Builder
	for i, text := range texts {
		if i%2 == 1 {
			text = trace.Shortened(text, sizes[i])
		}
		b.WriteString(text)
	}
	return b.String()
}

// Changed describes in one line how the deciding step has changed the state of its actor:
// "writer: stored = [] (passes with [1])". It returns "" if there is nothing to say. It shortens
// values, unless the line has at most the given number of columns.
func Changed(list []Change, most int) string {
	if len(list) == 0 {
		return ""
	}
	texts := []string{list[0].Actor + ": "}
	for i := range list {
		own := list[i].inWords()
		texts[len(texts)-1] += own[0]
		texts = append(texts, own[1:]...)
		if i < len(list)-1 {
			texts[len(texts)-1] += ", "
		}
	}
	return fittedTo(most, texts...)
}

// inWords describes a change, in the form that fitted takes: "stored = [] (was [1])".
func (c *Change) inWords() []string {
	field := ""
	if c.Field != "" {
		field = c.Field + " = "
	}
	switch {
	case c.Passing != "" && c.Passing != c.After:
		return []string{field, c.After, " (passes with ", c.Passing, ")"}
	case c.Before != "" && c.Field == "": // Before is a phrase, such as "waits in Receive"
		return []string{field, c.After, " (before: ", c.Before, ")"}
	case c.Before != "":
		return []string{field, c.After, " (was ", c.Before, ")"}
	}
	return []string{field, c.After, ""}
}

// fewestCut is the least number of characters to which the function fitted shortens a text.
const fewestCut = 12

// Decides returns the mark of the deciding step in the chart of a run. It has the share of failing
// continuations before and after the step.
func Decides(p *corpus.Point) string {
	percent := func(s corpus.Share) int { return 100 * s.Failed / max(1, s.Of) }
	return fmt.Sprintf("◆ decides: %d%% → %d%%", percent(p.Before), percent(p.After))
}
