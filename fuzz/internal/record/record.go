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
	// Signature identifies the failure, as in cases; Exact also has the line, for this build.
	// Died reports that the run ended its process.
	Signature string `json:"signature"`
	Exact     string `json:"exact,omitempty"`
	Died      bool   `json:"died,omitempty"`

	// Where says which run it was, Run is its number in the search, from 0, and Shrunk says
	// from what it was shrunk. Unfinished reports that JOSTLE_SHRINK would give that more time,
	// Unsaved that JOSTLE_REPAIR=1 would save this run in place of a larger one.
	Where      string `json:"where,omitempty"`
	Run        int    `json:"run,omitempty"`
	Shrunk     string `json:"shrunk,omitempty"`
	Unfinished bool   `json:"unfinished,omitempty"`
	Unsaved    bool   `json:"unsaved,omitempty"`
	// Replays is how many of Tried replays were the same, Differs how the first other one
	// differed.
	Replays int    `json:"replays"`
	Tried   int    `json:"tried"`
	Differs string `json:"differs,omitempty"`
	// Stray reports that it fails only in the process that found it.
	Stray bool `json:"stray,omitempty"`
	Worth bool `json:"worth"` // worth saving as a case
	// Also lists other failures met while shrinking, Remarks further remarks.
	Also    []string `json:"also,omitempty"`
	Remarks []string `json:"remarks,omitempty"`

	// Length is the number of steps, Early the number of timers that fired while messages
	// waited.
	Length int `json:"length"`
	Early  int `json:"early,omitempty"`
	// Why says in which orders it fails. Filed reports that this comes from the case's file.
	Why   *corpus.Explanation `json:"why,omitempty"`
	Filed bool                `json:"filed,omitempty"`
	// Condition is Why in a comparable form. Failures with the same Cause are one bug; Faces
	// are the signatures of the others.
	Condition string   `json:"condition,omitempty"`
	Cause     string   `json:"cause,omitempty"`
	Faces     []string `json:"faces,omitempty"`
	Draws     []string `json:"draws,omitempty"` // "actions = 2"
	Logs      []string `json:"logs,omitempty"`
	Chart     string   `json:"chart,omitempty"` // the messages as text

	// Case is the text of the case, unless a file has it. Kept says where it was saved, and
	// Problem why it (or its attachments) could not be saved. Known reports that it is a saved
	// case.
	Case    string `json:"case,omitempty"`
	Kept    `json:"kept,omitzero"`
	Problem string `json:"problem,omitempty"`
	Known   bool   `json:"known,omitempty"`

	// Places are the lines that send and handle the messages of Why.
	Places  []Place  `json:"places,omitempty"`
	Actors  []string `json:"actors,omitempty"` // the first is the test
	Steps   []Step   `json:"steps,omitempty"`
	LeftOut int      `json:"leftOut,omitempty"` // how many steps more the run had
	// Waiting are the messages that were not received.
	Waiting []Message `json:"waiting,omitempty"`
}

// Confirmed reports whether all replays were the same, also in another process.
func (r *Record) Confirmed() bool { return r.Tried > 0 && r.Replays == r.Tried && !r.Stray }

// A Kept says where a finding was saved, or why not.
type Kept struct {
	// Path is the file of the case that shows the failure from now on.
	Path string `json:"path,omitempty"`
	// Alike are files of other cases that show the same failure. If Fewer, they were removed
	// in favor of Path. Otherwise Path is one of them, and the finding was not saved.
	Alike []string `json:"alike,omitempty"`
	Fewer bool     `json:"fewer,omitempty"`
	// OneCause reports that some of them have another failure with the same cause.
	OneCause bool `json:"oneCause,omitempty"`
	// Page is the page of HTML next to the case; "" if there is none.
	Page string `json:"page,omitempty"`
}

// Saved reports whether the finding was saved.
func (k *Kept) Saved() bool { return k.Path != "" && (k.Fewer || len(k.Alike) == 0) }

// Yields reports whether the finding was not saved because the case at Path has the same cause.
func (k *Kept) Yields() bool { return k.OneCause && !k.Saved() }

// Yielded returns the Kept of the other finding, whose case was removed for this one.
func (k *Kept) Yielded() Kept {
	return Kept{Path: k.Path, Alike: []string{k.Path}, OneCause: k.OneCause}
}

// Save saves the case of the record as it was found, if it is worth saving, so that nothing
// later can lose it. It reports whether a new file was made.
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

// A Place says which code sends and handles a message.
type Place struct {
	Send    int    `json:"send"`    // the message
	Step    int    `json:"step"`    // in which it was received, -1 for none
	SentAt  string `json:"sentAt"`  // the line that sent it
	Handler string `json:"handler"` // the first line of its handler
}

// A Message is one from an actor to another, both by their places in Record.Actors.
type Message struct {
	From   int    `json:"from"` // -1 for none, as for a fault
	To     int    `json:"to"`
	Label  string `json:"label"`
	SentIn int    `json:"sentIn"` // the step, -1 if the test sent it outside of steps
	SentAt string `json:"sentAt"` // the line, "" if unknown
}

// A Step is one message that was received, or a fault.
type Step struct {
	Message
	Number  int      `json:"number"`
	Kind    string   `json:"kind"`    // "receive", or which fault
	Handler string   `json:"handler"` // the first line of its handler
	Failed  bool     `json:"failed"`  // the run failed in this step
	Log     []string `json:"log"`
	After   []string `json:"after"` // the actor states that the step changed
}

// JSON returns a record as JSON.
func (r *Record) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "\t")
	return append(text, '\n'), err
}
