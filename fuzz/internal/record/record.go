// Package record defines Record, which describes a failing run from its discovery to its
// report. All outputs are made from a Record: text, HTML and JSON.
//
// The JSON output is the struct Record. New fields may be added at any time. Format changes
// with every other change, so programs that read JSON should check Format first.
package record

import (
	"encoding/json"
	"fmt"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Format is the version of the JSON output. It changes when a field changes its meaning or is
// removed.
const Format = 3

// A Record describes a failing run and why it fails, as far as that is known. Unknown fields are
// empty.
type Record struct {
	Format   int          `json:"format"`
	Property string       `json:"property"`
	Test     string       `json:"test"`
	Failure  string       `json:"failure"`          // the message of the failure, one or more lines
	Detail   string       `json:"detail,omitempty"` // more about the failure, such as a stack
	Waits    []stack.Wait `json:"waits,omitempty"`  // for a deadlock, what each stuck actor waits for; Detail has it as text
	Advice   string       `json:"advice,omitempty"` // what may help, in one line
	File     string       `json:"file,omitempty"`   // the file of the line that failed, without its folder
	Line     int          `json:"line,omitempty"`   // the number of the line that failed

	// Signature identifies the failure, as in saved cases.
	Signature string `json:"signature"`
	// Exact is the signature with the line of code, for one build of the program.
	Exact string `json:"exact,omitempty"`
	// Existing is set if the run is one of an existing test, which jostle test runs, and not of a
	// property.
	Existing bool `json:"existing,omitempty"`
	// Package is the import path of the package of an existing test, if a campaign has found the run.
	Package string `json:"package,omitempty"`
	// Race is set if that test was compiled with the race detector.
	Race bool `json:"race,omitempty"`
	// Died is set if the run ended its process.
	Died bool `json:"died,omitempty"`
	// Where describes the run: "run 3 (random)".
	Where string `json:"where,omitempty"`
	// Run is the number of the run in the search, from 1. It is 0 if the search did not make the run, or if
	// the number is unknown.
	Run int `json:"run,omitempty"`
	// Shrunk describes the result of shrinking, "" if there is none.
	Shrunk string `json:"shrunk,omitempty"`
	// Unfinished is set if shrinking needs more time, which JOSTLE_SHRINK can give it.
	Unfinished bool `json:"unfinished,omitempty"`
	// Replays is the number of replays with the same failure and trace.
	Replays int `json:"replays"`
	// Tried is the number of replays.
	Tried int `json:"tried"`
	// Differs describes the first difference between a replay and the run, "" if all replays
	// were the same.
	Differs string `json:"differs,omitempty"`
	// Elsewhere is set if the run was also replayed in a new process, with the same failure.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Stray is set if the run fails only in the process that found it.
	Stray bool `json:"stray,omitempty"`
	// Worth is set if the run is worth saving as a case.
	Worth bool `json:"worth"`
	// Also describes other failures that were met while shrinking.
	Also []string `json:"also,omitempty"`
	// Remarks are further lines to print.
	Remarks []string `json:"remarks,omitempty"`
	// Length is the number of steps.
	Length int `json:"length"`
	// Early is the number of timers that fired early, while messages were deliverable.
	Early int `json:"early,omitempty"`
	// Slow is the longest virtual time that a message was in flight: "1s". It is set only if Early is
	// positive and no faults occurred.
	Slow string `json:"slow,omitempty"`
	// Why says in which orders the run's draws fail.
	Why *corpus.Explanation `json:"why,omitempty"`
	// Filed is set if Why was read from the case's file.
	Filed bool `json:"filed,omitempty"`
	// Condition is Why in a form that can be compared.
	Condition string `json:"condition,omitempty"`
	// Cause is the same text for all failures that have one cause and so are one bug.
	Cause string `json:"cause,omitempty"`
	// Faces are the signatures of other failures with the same cause.
	Faces []string `json:"faces,omitempty"`
	Draws []string `json:"draws,omitempty"` // the drawn inputs: "actions = 2"
	Logs  []string `json:"logs,omitempty"`
	// Chart is the text of Rows in the usual width, for programs that read the JSON.
	Chart string `json:"chart,omitempty"`
	// Rows are the rows of the chart, from which text of any width can be made.
	Rows trace.Rows `json:"rows,omitempty"`

	// Case is the text of the case, "" if a file has it.
	Case string `json:"case,omitempty"`
	// Kept says where the case was saved.
	Kept `json:"kept,omitzero"`
	// Problem says why the case or its attachments could not be saved.
	Problem string `json:"problem,omitempty"`
	// Known is set if the record is about a case that was saved before.
	Known bool `json:"known,omitempty"`

	// Places has the lines of code that send and handle the messages that decide: first those of the
	// point of no return and of the constraints in Why. The most important come first.
	Places []Place  `json:"places,omitempty"`
	Actors []string `json:"actors,omitempty"` // the names of actors; the first is the test
	Steps  []Step   `json:"steps,omitempty"`
	// LeftOut is the number of steps of the run that are not in Steps.
	LeftOut int `json:"leftOut,omitempty"`
	// Waiting lists messages that were not received.
	Waiting []Message `json:"waiting,omitempty"`
	// Passing is the nearest passing run, nil if none is known.
	Passing *Passing `json:"passing,omitempty"`
	// Changes has the fields that the deciding step has left with another value than the same step of
	// the passing run, or else the fields that the deciding step has changed.
	Changes []Change `json:"changes,omitempty"`
}

// A Change is a field of an actor's state, with its value as text.
type Change struct {
	Actor   string `json:"actor"`
	Field   string `json:"field,omitempty"`   // the name, "" if the state is no struct
	Before  string `json:"before,omitempty"`  // the value before the step, "" if unknown
	After   string `json:"after"`             // the value after the step
	Passing string `json:"passing,omitempty"` // the value after the same step of the passing run, "" if unknown
}

// A Passing is a passing run with the draws and the faults of a failing run. It differs from the
// failing run in the fewest swaps that a search has found. A swap is two messages that one actor
// receives in the other order.
type Passing struct {
	// Swaps is the number of swaps.
	Swaps int `json:"swaps"`
	// Swapped has, for each swap, the steps of the failing run that received the two messages. The
	// second step is -1 if the failing run did not receive that message.
	Swapped [][2]int `json:"swapped"`
	// Steps has the steps of the passing run.
	Steps []PassingStep `json:"steps"`
}

// A PassingStep is one step of a Passing.
type PassingStep struct {
	Label string `json:"label"` // "terminator ──flush──▶ writer"
	Step  int    `json:"step"`  // the step of the failing run that received the same message, -1 if none did
	// After has the actor states that the step changed.
	After []string `json:"after,omitempty"`
}

// Swap returns the mark of a step in the chart of the failing run: "⇄ 3" if a swap with step 3
// alone makes the run pass, "" otherwise.
func (p *Passing) Swap(step int) string {
	if p == nil || p.Swaps != 1 || p.Swapped[0][1] < 0 {
		return ""
	}
	switch pair := p.Swapped[0]; step {
	case pair[0]:
		return fmt.Sprintf("⇄ %d", pair[1])
	case pair[1]:
		return fmt.Sprintf("⇄ %d", pair[0])
	}
	return ""
}

// Confirmed reports whether all replays had the same failure and trace. If the run was also
// replayed in another process, it must have failed there too.
func (r *Record) Confirmed() bool { return r.Tried > 0 && r.Replays == r.Tried && !r.Stray }

// A Kept says where a finding was saved, or why it was not saved.
type Kept struct {
	// Path is the file of the case that shows the failure from now on.
	Path string `json:"path,omitempty"`
	// Alike lists files of other cases of the same bug.
	Alike []string `json:"alike,omitempty"`
	// Fewer is set if the files in Alike were removed in favor of Path. If Fewer is not set and
	// Alike is not empty, the finding was not saved, and Path is one of the files in Alike.
	Fewer bool `json:"fewer,omitempty"`
	// OneCause is set if a case in Alike has another failure with the same cause.
	OneCause bool `json:"oneCause,omitempty"`
	// Page is the HTML page next to the case, "" if there is none.
	Page string `json:"page,omitempty"`
}

// Saved reports whether the finding was saved.
func (k *Kept) Saved() bool { return k.Path != "" && (k.Fewer || len(k.Alike) == 0) }

// Yields reports whether the finding was not saved because the case at Path shows another
// failure with the same cause.
func (k *Kept) Yields() bool { return k.OneCause && !k.Saved() }

// Yielded returns the Kept of the finding whose case was removed in favor of k.Path.
func (k *Kept) Yielded() Kept {
	return Kept{Path: k.Path, Alike: []string{k.Path}, OneCause: k.OneCause}
}

// Save saves the case of the record, if it is worth saving, before anything is done with it
// that could end the process. fresh reports whether a new file was made.
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

// A Place has the lines of code that send and handle a message.
type Place struct {
	Send   int    `json:"send"`   // the index of the message among all messages of the run
	Step   int    `json:"step"`   // the step that received the message, -1 if none did
	Text   string `json:"text"`   // the message
	Kind   string `json:"kind"`   // the name of the message's type, without its package
	SentAt string `json:"sentAt"` // the line that sent the message
	// SentFrom is the line of the sender's handler that led to the line SentAt, in the function SentBy.
	// Both are "" if the line SentAt is in the handler itself.
	SentFrom string `json:"sentFrom,omitempty"`
	SentBy   string `json:"sentBy,omitempty"`
	Handler  string `json:"handler"` // the first line of the handler that received the message
	// Handled is the line that handles the message: the case of its type in the handler, or the line
	// at which the process waited. It is "" if unknown.
	Handled string `json:"handled,omitempty"`
	// Helpers are the functions of the same file that the case calls.
	Helpers []string `json:"helpers,omitempty"`
	// Code has the lines that send and handle the message, each with the lines around it. It is empty if
	// the source was not readable where the program ran.
	Code []Excerpt `json:"code,omitempty"`
}

// What an Excerpt shows.
const (
	Sends   = "sent"
	Handles = "handled"
)

// An Excerpt is some lines of a source file.
type Excerpt struct {
	What   string   `json:"what"`   // what happens to the message in the marked line: Sends or Handles
	At     string   `json:"at"`     // the marked line: "writer.go:12"
	First  int      `json:"first"`  // the number of the first line
	Marked int      `json:"marked"` // the number of the marked line
	Lines  []string `json:"lines"`
}

// A Message is a message of the run. Actors are given as indices in Record.Actors.
type Message struct {
	From  int    `json:"from"` // the sender, -1 if there is none, for example for a fault
	To    int    `json:"to"`   // the receiver
	Label string `json:"label"`
	// Parts are the parts of Label that may be left out, empty if they are unknown.
	Parts  []trace.Part `json:"parts,omitempty"`
	SentIn int          `json:"sentIn"` // the step that sent the message, -1 if the test sent it outside of steps
	SentAt string       `json:"sentAt"` // the line that sent the message, "" if unknown
}

// A Step is one message that was received, or a fault.
type Step struct {
	Message
	Number  int      `json:"number"`
	Kind    string   `json:"kind"`              // "receive", or the kind of fault
	Handler string   `json:"handler"`           // the first line of the handler that received the message
	Handled string   `json:"handled,omitempty"` // see Place.Handled
	Calls   []Call   `json:"calls,omitempty"`   // what the code of the step did
	Failed  bool     `json:"failed"`            // set if the run failed in this step
	Log     []string `json:"log"`
	After   []string `json:"after"` // the actor states that the step changed
	// Changes has the fields that the step changed, as far as states have fields.
	Changes []Change `json:"changes,omitempty"`
}

// A Call is a call within a step.
type Call struct {
	What string `json:"what"` // "sends", "sets the timer" or "spawns"
	Text string `json:"text"` // the message with its receiver, or the actor
	At   string `json:"at"`   // the line of the call, "" if unknown
}

// JSON returns a record as JSON.
func (r *Record) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "\t")
	return append(text, '\n'), err
}
