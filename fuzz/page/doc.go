// Package page shows a failing run to people and to programs: as one HTML page that
// needs nothing else, neither a network nor a script, and as JSON.
//
// A Page is all that is shown. It is the struct that JSON writes: its names stay as
// they are, and new ones may come. Programs that read it look at Format first.
package page

import (
	"encoding/json"
	"fmt"
)

// Format is the number of the form that JSON has. It changes when a name changes
// its meaning, or goes.
const Format = 1

// A Page is a failing run, with why it fails as far as that is known. What is not
// known is empty.
type Page struct {
	Format    int      `json:"format"`
	Property  string   `json:"property"`
	Test      string   `json:"test"`
	Failure   string   `json:"failure"`   // what was said, on one or more lines
	Detail    string   `json:"detail"`    // more of it, such as a stack
	Location  string   `json:"location"`  // the line that failed: "writer_test.go:31"
	Signature string   `json:"signature"` // what tells the failure from others
	Early     string   `json:"early"`     // which timers fired early, and what forbids it
	Shrunk    string   `json:"shrunk"`    // from what it was shrunk
	Orders    string   `json:"orders"`    // in which orders it fails
	Depth     int      `json:"depth"`     // how many constraints and answers make its order out of plain order
	Faults    string   `json:"faults"`    // which faults are needed
	Faces     []string `json:"faces"`     // signatures of other failures with the same cause
	Draws     []Draw   `json:"draws"`
	Logs      []string `json:"logs"`
	// Constraints say in which orders it fails: where all of one term hold. They are of
	// the condition that Orders has, or, if there is none, of this run.
	Constraints []Constraint `json:"constraints"`
	// Sampled is what random orders show, if there are too many to run them all: then
	// Constraints are what was found to matter in them, if anything was.
	Sampled *Sampled `json:"sampled,omitempty"`
	Actors  []string `json:"actors"` // the first is the test
	Steps   []Step   `json:"steps"`
	LeftOut int      `json:"leftOut"` // how many steps more the run had
	// Waiting are the messages that were not received.
	Waiting []Message `json:"waiting"`
}

// A Draw is one input.
type Draw struct {
	Text  string `json:"text"`  // "actions = 2"
	Other string `json:"other"` // which other values fail alike: "any", "≥ 3", or "" if that is not known
}

// A Constraint is that one message is received before another.
type Constraint struct {
	Term   int `json:"term"` // from 0
	First  End `json:"first"`
	Second End `json:"second"`
	// Turned are random orders in which this constraint is turned round, and the others
	// hold; nil if all orders were run.
	Turned *Share `json:"turned,omitempty"`
}

// Sampled are random orders of a run.
type Sampled struct {
	Random Share `json:"random"` // of any kind
	Under  Share `json:"under"`  // in which all constraints hold
}

// A Share is how many of some orders fail.
type Share struct {
	Failed int `json:"failed"`
	Of     int `json:"of"`
	// LeftOut reports that a constraint was left out, since orders in which it is turned
	// round hardly come.
	LeftOut bool `json:"leftOut,omitempty"`
}

// InWords says how many orders fail when a constraint is turned round.
func (s Share) InWords() string {
	how, still := "turned round", ""
	if s.LeftOut {
		how = "hardly ever the other way round; left out"
	}
	if s.Failed > 0 {
		still = "still "
	}
	return fmt.Sprintf("%s, %s%d of %d", how, still, s.Failed, s.Of)
}

// An End is one message of a constraint.
type End struct {
	Text    string `json:"text"`
	Step    int    `json:"step"`    // in which it was received, -1 for none
	SentAt  string `json:"sentAt"`  // the line that sent it
	Handler string `json:"handler"` // the line where the code begins that receives it
}

// A Message is one from an actor to another, both by their places in Page.Actors.
type Message struct {
	From   int    `json:"from"` // -1 if there is none, as of a fault
	To     int    `json:"to"`
	Label  string `json:"label"`
	SentIn int    `json:"sentIn"` // the step, -1 if the test has sent it outside of steps
	SentAt string `json:"sentAt"` // the line, "" if that is not known
}

// A Step is one message that was received, or a fault.
type Step struct {
	Message
	Number  int      `json:"number"`
	Kind    string   `json:"kind"`    // "receive", or which fault
	Handler string   `json:"handler"` // the line where the code begins that received it
	Failed  bool     `json:"failed"`  // the run failed in this step
	Log     []string `json:"log"`
	After   []string `json:"after"` // what actors keep that the step has changed
}

// JSON returns a page as JSON.
func (p *Page) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", "\t")
	return append(text, '\n'), err
}
