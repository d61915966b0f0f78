package corpus

import (
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Explanation is what is known about why a shrunk case fails. Unknown parts are
// empty.
type Explanation struct {
	// Orders is how many distinct orders were run. Failing is how many of them had a
	// run that failed with the same signature.
	Orders, Failing int
	// Complete reports that there are no other orders. Exact reports that the
	// constraints of InCondition hold in the orders that fail and in no others.
	// Mixed reports that runs of one order both failed and passed. Reduced reports
	// that orders in which every actor receives the same count as one, although the
	// property may tell them apart. Skipped reports that some runs were skipped. Cut
	// reports that time ran out before all orders were run, and Long that the run is
	// too long for that.
	Complete, Exact, Mixed, Reduced, Skipped, Cut, Long bool
	// Early reports that the case does not fail without the timers that fired early.
	Early       bool
	Constraints []Constraint
	// Depth is how many constraints and nonzero answers turn plain order into the
	// order of the case. Unnamed is how many of these constraints there are if they
	// are too many for Constraints.
	Depth, Unnamed int
	// Given are the kinds of the nonzero answers.
	Given []choice.Kind
	// Sampled is the result of random orders. It is nil if all orders were run, or
	// none at random.
	Sampled *Sampled
	// Draws has a remark for each draw that may have other values, such as "any" or
	// "≥ 3", and "" for each other draw.
	Draws []string
	// Needs says how many answers of which kinds the failure needs.
	Needs []Need
	// Told is this explanation as text, if it comes from a file of version 5 or
	// older.
	Told string
}

// A Place says what a constraint is part of.
type Place uint8

const (
	// InCondition is for constraints of the condition. An order fails if and only if
	// all constraints of one term hold.
	InCondition Place = iota
	// InOwn is for constraints that turn plain order into the order of the case.
	InOwn
	// InSample is for constraints that matter in random orders.
	InSample
)

var places = []string{"condition", "own", "sample"}

// A Constraint says that one message is received before another.
type Constraint struct {
	Place         Place
	Term          int // of the condition, from 0
	First, Second Message
	// Bare reports that no order receives the second without the first before it.
	Bare bool
	// Turned is the result of random orders in which the constraint is reversed, for
	// InSample.
	Turned *Share
}

// A Message is one of the two messages of a constraint.
type Message struct {
	Text string // "write(1) from action.2"
	At   string // its receiver; "" if this run does not send it
	Kind string // its type and that of its receiver, without values
	Send int    // its position among all messages of the run, -1 for none
}

// A Sampled is the result of random orders of a case.
type Sampled struct {
	Free  Share // all random orders
	Under Share // those in which all constraints of InSample hold
	Few   int   // after how many runs the search for these ended; 0 if there were enough
}

// A Share is how many of some orders fail. LeftOut reports that a constraint was left
// out because orders that reverse it are rare.
type Share struct {
	Failed, Of int
	LeftOut    bool
}

// A Need is how many answers of a kind a failure needs.
type Need struct {
	Kind choice.Kind
	N    int
}

// Of returns the constraints of a place.
func (e *Explanation) Of(p Place) (list []Constraint) {
	for _, c := range e.Constraints {
		if c.Place == p {
			list = append(list, c)
		}
	}
	return list
}

// Main returns the constraints that best describe the orders that fail: those of the
// condition, else those that matter in random orders, else the case's own.
func (e *Explanation) Main() []Constraint {
	for _, p := range []Place{InCondition, InSample} {
		if list := e.Of(p); len(list) > 0 {
			return list
		}
	}
	if e.Exact {
		return nil
	}
	return e.Of(InOwn)
}

// Elsewhere returns the explanation without the positions of its messages, which are
// of one run alone.
func (e *Explanation) Elsewhere() *Explanation {
	if e == nil {
		return nil
	}
	other := *e
	other.Constraints = slices.Clone(e.Constraints)
	for i := range other.Constraints {
		other.Constraints[i].First.Send, other.Constraints[i].Second.Send = -1, -1
	}
	return &other
}

// cause returns which kinds of messages come before which others in the orders that
// fail, in a form for comparing. It returns "" if order does not matter, or if that
// is not known.
func (e *Explanation) cause() string {
	if e == nil {
		return ""
	}
	var list []string
	for _, c := range e.Main() {
		if c.Place == InOwn { // other orders may fail as well
			return ""
		}
		if c.First.Kind == "" || c.Second.Kind == "" {
			return ""
		}
		list = append(list, c.First.Kind+" before "+c.Second.Kind)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

// told returns the part of the comment of a file of version 5 or older that describes
// the orders in which the case fails. It ends where the draws or the chart begin.
func told(comment []string) string {
	first := slices.IndexFunc(comment, func(line string) bool {
		return strings.HasPrefix(line, "fails ") || strings.HasPrefix(line, "can fail ")
	})
	if first < 0 {
		return ""
	}
	rest := comment[first:]
	if end := slices.IndexFunc(rest, func(line string) bool { return line == "" || strings.HasPrefix(line, "drew ") }); end >= 0 {
		rest = rest[:end]
	}
	return strings.Join(rest, "\n")
}

// upgrade sets the fields of a case of version 5 or older that newer files have as
// data. No other code reads comments.
func (c *Case) upgrade() {
	c.Doubtful = slices.Contains(c.Comment, Doubt)
	if said := told(c.Comment); said != "" && c.Condition != "" {
		c.Explanation = &Explanation{Told: said}
	}
}

// Doubt is the line that the comment of a doubtful case has.
const Doubt = "did not repeat when it was saved"
