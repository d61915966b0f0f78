package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Explanation says why a shrunk case fails, as far as known. It is found by running the case
// in different orders of messages. Unknown fields are empty.
type Explanation struct {
	// Orders is the number of distinct orders that were run.
	Orders int `json:"orders"`
	// Failing is the number of the orders, among those that were run, in which a run failed in
	// the same way as the case.
	Failing int `json:"failing"`
	// Complete is set if every distinct order was run.
	Complete bool `json:"complete,omitempty"`
	// Exact is set if the constraints with place InCondition hold in exactly the failing orders.
	Exact bool `json:"exact,omitempty"`
	// Mixed is set if one order had both failing and passing runs.
	Mixed bool `json:"mixed,omitempty"`
	// Reduced is set if equivalent orders were counted once. In equivalent orders, every actor
	// receives the same messages in the same order. The property may still distinguish them.
	Reduced bool `json:"reduced,omitempty"`
	// Skipped is set if the property skipped some of the runs.
	Skipped bool `json:"skipped,omitempty"`
	// Cut is set if the time was too short to run all orders.
	Cut bool `json:"cut,omitempty"`
	// Long is set if the case was not run in different orders because its run is too long.
	Long bool `json:"long,omitempty"`
	// Early is set if the case does not fail without timers that fire early.
	Early       bool         `json:"early,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
	// Depth says how much the run of the case differs from the run in which the oldest message
	// always comes first and all answers are zero. It is the number of constraints and nonzero
	// answers that make the difference.
	Depth int `json:"depth,omitempty"`
	// Interruptible is set if the run has actors that can be preempted, such as goroutines. In plain
	// order such an actor runs until it blocks.
	Interruptible bool `json:"interruptible,omitempty"`
	// Preemptions is how often the run of the case preempts an actor: another one takes a step
	// although the actor of the previous step could have continued.
	Preemptions int `json:"preemptions,omitempty"`
	// Unnamed is the number of constraints with place InOwn that Constraints omits because they
	// are too many. Usually it is zero.
	Unnamed int `json:"unnamed,omitempty"`
	// Given has the kinds of the nonzero answers of the case, such as faults.
	Given []choice.Kind `json:"given,omitempty"`
	// Sampled is the result of running the case in random orders; nil if no random orders were
	// run.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Draws has a remark for each draw. The remark "any" or "≥ 3" means that the case also fails
	// with such values. The remark "" means nothing.
	Draws []string `json:"draws,omitempty"`
	// Needs says how many nonzero answers of each kind the case needs to fail.
	Needs []Need `json:"needs,omitempty"`
	// Point is the point of no return, nil if it is unknown.
	Point *Point `json:"point,omitempty"`
	// Told is the explanation as text. It is set only in cases from files of version 5 or older.
	Told string `json:"told,omitempty"`
}

// A Place says to which part of an Explanation a Constraint belongs.
type Place uint8

const (
	// InCondition is the place of the constraints of the condition, which consists of terms. An
	// order fails if and only if all constraints of some term hold.
	InCondition Place = iota
	// InOwn is the place of constraints that distinguish the order of the case from the order in
	// which the oldest message always comes first.
	InOwn
	// InSample is the place of constraints that make a failure more likely in random orders.
	InSample
)

var places = []string{"condition", "own", "sample"}

// MarshalText returns the name of place p: "condition", "own" or "sample".
func (p Place) MarshalText() ([]byte, error) { return []byte(places[p]), nil }

// UnmarshalText sets p to the place with the given name.
func (p *Place) UnmarshalText(text []byte) error {
	at := slices.Index(places, string(text))
	if at < 0 {
		return fmt.Errorf("%q is not a part of an explanation with constraints", text)
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
	// Bare is set if Second is never received before First in any order. The constraint then only
	// requires that First is received.
	Bare bool `json:"bare,omitempty"`
	// Turned counts random orders in which the constraint is reversed. It is set only if Place is
	// InSample.
	Turned *Share `json:"turned,omitempty"`
}

// A Message describes one of the two messages of a Constraint.
type Message struct {
	Text string `json:"text"` // "write(1) from action.2"
	At   string `json:"at"`   // the name of the receiver; "" if the run of the case does not send the message
	Kind string `json:"kind"` // the types of the message and the receiver, without values
	Send int    `json:"send"` // the index among all messages of the run, -1 if unknown
}

// A Sampled is the result of running a case in random orders. It counts the failures with and
// without constraints.
type Sampled struct {
	Free  Share `json:"random"`        // random orders in which nothing is constrained
	Under Share `json:"under"`         // random orders in which all constraints with place InSample hold
	Few   int   `json:"few,omitempty"` // the number of runs made to find the orders of Under; set only if Under has too few orders
}

// A Share counts some orders, and the failing ones among them.
type Share struct {
	Failed int `json:"failed"` // number of orders that fail
	Of     int `json:"of"`     // number of orders
	// LeftOut is set in Constraint.Turned if orders that reverse the constraint are rare. The
	// Share then counts the orders in which all constraints except this one hold.
	LeftOut bool `json:"leftOut,omitempty"`
}

// A Point is the point of no return of a run: the step at which the share of failing runs among
// random continuations of the run rises most. All continuations have the draws and the faults of
// the run.
type Point struct {
	// Step is the index of the deciding step, -1 if no step decides.
	Step int `json:"step"`
	// Message is the message that the deciding step received. If a fault or an early timer
	// decides, its Text is "crash of leader" and its At is "".
	Message Message `json:"message"`
	// Before and After count the continuations from the states before and after the deciding
	// step. If no step decides, both count runs that are random from the start.
	Before Share `json:"before"`
	After  Share `json:"after"`
	// Other is the message that the deciding step could have received instead, and after which
	// fewest continuations fail. If the deciding step is a fault or an early timer, the Text of
	// Other is "". Instead counts the continuations after Other, or without the fault or timer.
	// Both are nil if no alternative makes fewer continuations fail.
	Other   *Message `json:"other,omitempty"`
	Instead *Share   `json:"instead,omitempty"`
	// Spared has the faults and other nonzero answers of the run, if no step decides.
	Spared []Spared `json:"spared,omitempty"`
	// Draws has the labels of the draws for which another value does not fail, if no step decides.
	Draws []string `json:"draws,omitempty"`
	// Chances is the curve: the continuations from the states before some steps, in order.
	Chances []Chance `json:"chances,omitempty"`
}

// A Spared is a fault or another nonzero answer of a run. The Share counts the continuations in
// which the answer is zero.
type Spared struct {
	Step int    `json:"step"` // the step with the fault, or in which the question was asked
	Text string `json:"text"` // "crash of leader"
	Share
}

// A Chance is the share of random continuations that fail, from the state before a step.
type Chance struct {
	Step int `json:"step"` // the index of the step
	Share
}

// A Need says how many nonzero answers of a kind, such as faults, the case needs to fail.
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

// Main returns the constraints that best describe the failing orders. These are the
// constraints with place InCondition if there are any, else InSample, else InOwn. It
// does not return constraints with place InOwn if Exact is set.
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

// Elsewhere returns a copy of the explanation for use with a different run. Message.Send is
// unknown in the copy, because Message.Send is valid only for the run that was explained.
func (e *Explanation) Elsewhere() *Explanation {
	if e == nil {
		return nil
	}
	other := *e
	other.Constraints = slices.Clone(e.Constraints)
	for i := range other.Constraints {
		other.Constraints[i].First.Send, other.Constraints[i].Second.Send = -1, -1
	}
	other.Point = nil // its steps are those of the run that was explained
	return &other
}

// told returns the lines of a comment that describe the failing orders. In files of version 5 or
// older, the comment has such lines before the draws and the chart of messages.
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

// upgrade sets Doubtful and Explanation of a case from its comment. The case is of version 5 or
// older. In newer versions nothing is read from comments.
func (c *Case) upgrade() {
	c.Doubtful = slices.Contains(c.Comment, Doubt)
	if said := told(c.Comment); said != "" && c.Condition != "" {
		c.Explanation = &Explanation{Told: said}
	}
}

// Doubt is the line that the comment of a Doubtful case has.
const Doubt = "did not repeat when it was saved"
