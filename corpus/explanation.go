package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Explanation says why a shrunk case fails, as far as known. To find this, the draws of the
// case are run in other orders of messages. Unknown fields are empty.
type Explanation struct {
	// Orders is the number of distinct orders that were run.
	Orders int `json:"orders"`
	// Failing is the number of these orders in which a run failed in the same way.
	Failing int `json:"failing"`
	// Complete is set if every distinct order was run.
	Complete bool `json:"complete,omitempty"`
	// Exact is set if the constraints of InCondition hold in exactly the failing orders.
	Exact bool `json:"exact,omitempty"`
	// Mixed is set if one order had both failing and passing runs.
	Mixed bool `json:"mixed,omitempty"`
	// Reduced is set if orders in which every actor receives the same messages in the same
	// order were counted as one, although the property may distinguish them.
	Reduced bool `json:"reduced,omitempty"`
	// Skipped is set if the property skipped some of the runs.
	Skipped bool `json:"skipped,omitempty"`
	// Cut is set if there was not enough time to run all orders.
	Cut bool `json:"cut,omitempty"`
	// Long is set if no other orders were run because the run is too long.
	Long bool `json:"long,omitempty"`
	// Early is set if the case does not fail without timers that fire early.
	Early       bool         `json:"early,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
	// Depth is the number of constraints and nonzero answers that distinguish the order of
	// the case from the order in which the oldest message always comes first.
	Depth int `json:"depth,omitempty"`
	// Unnamed is the number of these constraints if they are too many for Constraints,
	// else zero.
	Unnamed int `json:"unnamed,omitempty"`
	// Given are the kinds of the nonzero answers.
	Given []choice.Kind `json:"given,omitempty"`
	// Sampled is the result of random orders; nil if no random orders were run.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Draws has a remark for each draw: "any" or "≥ 3" if the case also fails with such
	// values, else "".
	Draws []string `json:"draws,omitempty"`
	// Needs has, for each kind of choice, the number of nonzero choices that the case needs
	// to fail.
	Needs []Need `json:"needs,omitempty"`
	// Told is the explanation as text, from a file of version 5 or older.
	Told string `json:"told,omitempty"`
}

// A Place says to which part of an explanation a constraint belongs.
type Place uint8

const (
	// InCondition is for constraints of the condition. An order fails if and only if
	// all constraints of one term hold.
	InCondition Place = iota
	// InOwn is for constraints that distinguish the order of the case from the order in
	// which the oldest message always comes first.
	InOwn
	// InSample is for constraints that make a failure more likely in random orders.
	InSample
)

var places = []string{"condition", "own", "sample"}

// MarshalText returns the name of a place: "condition", "own" or "sample".
func (p Place) MarshalText() ([]byte, error) { return []byte(places[p]), nil }

// UnmarshalText sets p to the place with the given name.
func (p *Place) UnmarshalText(text []byte) error {
	at := slices.Index(places, string(text))
	if at < 0 {
		return fmt.Errorf("%q is no place of a constraint", text)
	}
	*p = Place(at)
	return nil
}

// A Constraint requires that message First is received before message Second.
type Constraint struct {
	Place  Place   `json:"place"`
	Term   int     `json:"term"` // the number of the condition's term, from 0
	First  Message `json:"first"`
	Second Message `json:"second"`
	// Bare is set if Second is never received before First. Then the constraint only
	// requires that First is received.
	Bare bool `json:"bare,omitempty"`
	// Turned counts random orders in which the constraint is reversed. It is set only for
	// InSample.
	Turned *Share `json:"turned,omitempty"`
}

// A Message is one of the two messages of a constraint.
type Message struct {
	Text string `json:"text"` // "write(1) from action.2"
	At   string `json:"at"`   // the name of the receiver; "" if this run does not send the message
	Kind string `json:"kind"` // the types of the message and the receiver, without values
	Send int    `json:"send"` // the index among all messages of the run, -1 if unknown
}

// A Sampled is the result of running a case in random orders.
type Sampled struct {
	Free  Share `json:"random"`        // orders without constraints
	Under Share `json:"under"`         // orders in which all constraints of InSample hold
	Few   int   `json:"few,omitempty"` // if Under counts too few orders, the number of runs made to find them
}

// A Share counts the failing orders among some orders.
type Share struct {
	Failed int `json:"failed"` // number of orders that fail
	Of     int `json:"of"`     // number of orders
	// LeftOut is set in Constraint.Turned if orders that reverse the constraint are rare.
	// Then the orders are those in which the remaining constraints hold.
	LeftOut bool `json:"leftOut,omitempty"`
}

// A Need is a number of nonzero answers of a kind, such as faults, that a failure needs.
type Need struct {
	Kind choice.Kind `json:"kind"`
	N    int         `json:"n"`
}

// Of returns the constraints with the given Place.
func (e *Explanation) Of(p Place) (list []Constraint) {
	for _, c := range e.Constraints {
		if c.Place == p {
			list = append(list, c)
		}
	}
	return list
}

// Main returns the constraints that best describe the failing orders. It returns those of
// InCondition if there are any, else those of InSample, else those of InOwn.
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

// Elsewhere returns a copy of the explanation without Message.Send, which is valid only for the
// run that was explained.
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

// cause returns a text with the constraints of the failing orders, on kinds of messages instead
// of single messages. It returns "" if there are none or they are unknown.
func (e *Explanation) cause() string {
	if e == nil {
		return ""
	}
	var list []string
	for _, c := range e.Main() {
		if c.Place == InOwn { // orders that violate the constraint may fail too
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

// told returns the lines that describe the failing orders in the comment of a file of version 5
// or older. These lines end before the draws or the chart of messages.
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

// upgrade sets Doubtful and Explanation of a case of version 5 or older from its comment. No
// other code reads comments.
func (c *Case) upgrade() {
	c.Doubtful = slices.Contains(c.Comment, Doubt)
	if said := told(c.Comment); said != "" && c.Condition != "" {
		c.Explanation = &Explanation{Told: said}
	}
}

// Doubt is a line in the comment of a case that is Doubtful.
const Doubt = "did not repeat when it was saved"
