package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Explanation is what is known about why a shrunk case fails. Unknown parts are
// empty.
type Explanation struct {
	// Orders is how many distinct orders were run, and Failing in how many of them a run
	// failed alike.
	Orders  int `json:"orders"`
	Failing int `json:"failing"`
	// Complete reports that there are no other orders, Exact that the constraints of
	// InCondition hold in those that fail and in no others. Mixed reports that runs of one
	// order failed and passed. Reduced reports that orders in which every actor receives the
	// same count as one, although the property may tell them apart. Skipped reports that
	// some runs were skipped, Cut that there was no time for all, and Long that the run is too
	// long for its orders to be run.
	Complete bool `json:"complete,omitempty"`
	Exact    bool `json:"exact,omitempty"`
	Mixed    bool `json:"mixed,omitempty"`
	Reduced  bool `json:"reduced,omitempty"`
	Skipped  bool `json:"skipped,omitempty"`
	Cut      bool `json:"cut,omitempty"`
	Long     bool `json:"long,omitempty"`
	// Early reports that the case does not fail without the timers that fired early.
	Early       bool         `json:"early,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
	// Depth is how many constraints and answers other than zero make the order of the case
	// out of plain order. Unnamed is how many of these constraints there are if they are too
	// many to be among Constraints.
	Depth   int `json:"depth,omitempty"`
	Unnamed int `json:"unnamed,omitempty"`
	// Given are the kinds of the answers other than zero.
	Given []choice.Kind `json:"given,omitempty"`
	// Sampled is what random orders show; nil if all orders were run, or none at random.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Draws has a remark for each draw that other values do for as well: "any" or "≥ 3";
	// else it is "".
	Draws []string `json:"draws,omitempty"`
	// Needs says without how many answers of a kind the case does not fail.
	Needs []Need `json:"needs,omitempty"`
	// Told are the words in which a file of version 5 or older has all this.
	Told string `json:"told,omitempty"`
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

// MarshalText returns the name of a place.
func (p Place) MarshalText() ([]byte, error) { return []byte(places[p]), nil }

// UnmarshalText reads the name of a place.
func (p *Place) UnmarshalText(text []byte) error {
	at := slices.Index(places, string(text))
	if at < 0 {
		return fmt.Errorf("%q is no place of a constraint", text)
	}
	*p = Place(at)
	return nil
}

// A Constraint is that one message is received before another.
type Constraint struct {
	Place  Place   `json:"place"`
	Term   int     `json:"term"` // of the condition, from 0
	First  Message `json:"first"`
	Second Message `json:"second"`
	// Bare reports that no order receives the second without the first before it.
	Bare bool `json:"bare,omitempty"`
	// Turned are random orders in which the constraint is turned round, of InSample.
	Turned *Share `json:"turned,omitempty"`
}

// A Message is one of the two messages of a constraint.
type Message struct {
	Text string `json:"text"` // "write(1) from action.2"
	At   string `json:"at"`   // its receiver; "" if this run does not send it
	Kind string `json:"kind"` // its type and that of its receiver, whatever values it has
	Send int    `json:"send"` // its place among all messages of the run, -1 for none
}

// A Sampled is the result of random orders of a case.
type Sampled struct {
	Free  Share `json:"random"`        // of any kind
	Under Share `json:"under"`         // in which all constraints of InSample hold
	Few   int   `json:"few,omitempty"` // after how many runs no more of these were looked for; 0 if there were enough
}

// A Share is how many of some orders fail. LeftOut reports that a constraint was left
// out because orders that reverse it are rare.
type Share struct {
	Failed  int  `json:"failed"`
	Of      int  `json:"of"`
	LeftOut bool `json:"leftOut,omitempty"`
}

// A Need is how many answers of a kind a failure needs.
type Need struct {
	Kind choice.Kind `json:"kind"`
	N    int         `json:"n"`
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
