// Package record is a failing run as one value, from when it is found until it is reported. All
// outputs render it: text, HTML, JSON and what is made of these.
//
// JSON writes the struct: its names stay as they are, and new ones may come. Programs that read
// it look at Format first.
package record

import (
	"encoding/json"

	"github.com/jostle-go/jostle/corpus"
)

// Format is the number of the form that JSON has. It changes when a name changes
// its meaning, or goes.
const Format = 2

// A Record is a failing run, with why it fails as far as that is known. What is not
// known is empty.
type Record struct {
	Format   int    `json:"format"`
	Property string `json:"property"`
	Test     string `json:"test"`
	Failure  string `json:"failure"`          // what was said, on one or more lines
	Detail   string `json:"detail,omitempty"` // more of it, such as a stack
	File     string `json:"file,omitempty"`   // that failed, without its folder
	Line     int    `json:"line,omitempty"`
	// Signature tells the failure from others, as cases have it, and Exact from others of this
	// build, with the line. Died reports that a process ended with the run.
	Signature string `json:"signature"`
	Exact     string `json:"exact,omitempty"`
	Died      bool   `json:"died,omitempty"`

	// Where says which run it was, Run is its number in the search, from 0, and Shrunk says
	// from what it was shrunk.
	Where  string `json:"where,omitempty"`
	Run    int    `json:"run,omitempty"`
	Shrunk string `json:"shrunk,omitempty"`
	// Replays is how many of Tried replays were the same, and Differs what was different in
	// the first that was not.
	Replays int    `json:"replays"`
	Tried   int    `json:"tried"`
	Differs string `json:"differs,omitempty"`
	// Stray reports that it fails in the process that found it alone.
	Stray bool `json:"stray,omitempty"`
	Worth bool `json:"worth"` // it is worth being saved as a case
	// Also says which failures were met on the way, Remarks what else there is to say.
	Also    []string `json:"also,omitempty"`
	Remarks []string `json:"remarks,omitempty"`

	// Length is how many steps the run has, Early how many timers fired although messages
	// waited.
	Length int `json:"length"`
	Early  int `json:"early,omitempty"`
	// Why says in which orders it fails. Filed reports that its file says so.
	Why   *corpus.Explanation `json:"why,omitempty"`
	Filed bool                `json:"filed,omitempty"`
	// Condition is the same in a form for comparing, Cause what it has in common with other
	// failures of the same cause, and Faces are the signatures of these.
	Condition string   `json:"condition,omitempty"`
	Cause     string   `json:"cause,omitempty"`
	Faces     []string `json:"faces,omitempty"`
	Draws     []string `json:"draws,omitempty"` // "actions = 2"
	Logs      []string `json:"logs,omitempty"`
	Chart     string   `json:"chart,omitempty"` // the messages as text

	// Case is its text, unless a file has it; Kept is what became of the file, and Problem
	// why it could not be saved, or not with all that belongs to it. Known reports that it is
	// a saved case that fails.
	Case    string `json:"case,omitempty"`
	Kept    `json:"kept,omitzero"`
	Problem string `json:"problem,omitempty"`
	Known   bool   `json:"known,omitempty"`

	// Places are those of the messages that Why is about, by their places among all messages.
	Places  []Place  `json:"places,omitempty"`
	Actors  []string `json:"actors,omitempty"` // the first is the test
	Steps   []Step   `json:"steps,omitempty"`
	LeftOut int      `json:"leftOut,omitempty"` // how many steps more the run had
	// Waiting are the messages that were not received.
	Waiting []Message `json:"waiting,omitempty"`
}

// Confirmed reports whether all replays were the same, also in another process.
func (r *Record) Confirmed() bool { return r.Tried > 0 && r.Replays == r.Tried && !r.Stray }

// A Kept says what became of a finding that was to be saved.
type Kept struct {
	// Path is the file of the case that shows the failure from now on.
	Path string `json:"path,omitempty"`
	// Alike are files of other cases that show the same failure. If Fewer they were
	// removed, since the finding's shows it better; else Path is one of them, and the
	// finding was not saved.
	Alike []string `json:"alike,omitempty"`
	Fewer bool     `json:"fewer,omitempty"`
	// OneCause reports that some of them fail in another way, with the same cause.
	OneCause bool `json:"oneCause,omitempty"`
	// Page is the page of HTML next to the case; "" if there is none.
	Page string `json:"page,omitempty"`
}

// Saved reports whether the finding was saved.
func (k *Kept) Saved() bool { return k.Path != "" && (k.Fewer || len(k.Alike) == 0) }

// Yields reports that the finding was not saved, since the case at Path has the same cause.
func (k *Kept) Yields() bool { return k.OneCause && !k.Saved() }

// Yielded returns what became of the other finding, whose case gave way to this one.
func (k *Kept) Yielded() Kept {
	return Kept{Path: k.Path, Alike: []string{k.Path}, OneCause: k.OneCause}
}

// Save saves the case of a record as it was found, if it is worth that, so that nothing that
// follows loses it. It reports whether a file was made for it.
func (r *Record) Save(folder corpus.Folder) (fresh bool) {
	if !r.Worth || r.Case == "" {
		return false
	}
	c, err := corpus.Decode("", []byte(r.Case))
	if err == nil {
		r.Path, fresh, err = folder.Save(c)
	}
	if err != nil {
		r.Problem = err.Error()
	}
	return fresh
}

// A Place is where the code of a message is.
type Place struct {
	Send    int    `json:"send"`    // the message
	Step    int    `json:"step"`    // in which it was received, -1 for none
	SentAt  string `json:"sentAt"`  // the line that sent it
	Handler string `json:"handler"` // the line where the code begins that receives it
}

// A Message is one from an actor to another, both by their places in Record.Actors.
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

// JSON returns a record as JSON.
func (r *Record) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "\t")
	return append(text, '\n'), err
}
