// Package finding turns a failing run, which package search has found, into a small case that
// says why it fails. A finding goes through these stages:
//
//	found      From copies what is needed to replay and describe the run.
//	confirmed  Finding.Confirm replays the run twice and compares the failure and the trace.
//	shrunk     Shrink looks for the smallest run with the same failure.
//	explained  Shrink also finds out in which orders that run fails, which draws matter,
//	           and which faults the failure needs.
//	saved      Finding.Keep saves a case, and removes larger cases of the same bug.
//	           Finding.WritePages writes a page next to the case.
//	replayed   Replay replays a saved case.
//	repaired   If the program has changed, Repair searches near a case for a run with the
//	           same failure.
//
// Finding.Text and Finding.Record describe what is known at any stage. The package does not
// depend on package testing.
package finding

import (
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Finding is a run in which a property failed.
type Finding struct {
	// Case is used to replay the run.
	Case    corpus.Case
	Failure *pulse.Failure
	// Location is the line that failed; it may be empty.
	Location pulse.Frame
	Logs     []string
	// Draws describes the drawn inputs: "actions = 2".
	Draws []string
	// Trace is a copy of the run's trace; nil if the property made no system.
	Trace *trace.Trace
	// Rows is the trace as a chart. It is made in From, because actor references in messages are valid
	// only until the next run.
	Rows        trace.Rows
	Attachments []Attachment
	// Shrunk describes the result of shrinking, "" if there is none.
	Shrunk string
	// Also describes other failures that were met while shrinking.
	Also []string
	// Unfinished is set if shrinking needs more time, which JOSTLE_SHRINK can give it.
	Unfinished bool
	// Passing is the nearest passing run, nil if none is known. Only Shrink sets it.
	Passing *record.Passing
	// Changes says what the deciding step has changed: see record.Record. Only Look sets it.
	Changes []record.Change
	// Seen is the result of Look; nil if Look was not called.
	Seen *Seen

	passed []trace.Field // the state of the actor after the deciding step, in the run Passing
	print  pulse.Print   // the fingerprint of the run
	filed  bool          // set if Case.Explanation was read from the case's file

	// Replays is the number of replays, out of Tried, that had the same failure and trace.
	// It is set by Confirm.
	Replays int
	// Differs describes the first difference between a replay and this run, "" if all replays
	// were the same.
	Differs string
}

// Tried is the number of replays that Confirm makes.
const Tried = 2

// An Attachment is a file that is saved next to the case, such as a picture.
type Attachment struct {
	Name string
	Data []byte
}

// An Origin says which search made a run.
type Origin struct {
	// Property is the name under which the property's cases are saved.
	Property string
	// Test is the name of the test that ran the property.
	Test string
	// Strategy is the name of the strategy.
	Strategy string
	// Seed is the seed of the strategy.
	Seed uint64
}

// From returns the finding of a failing run. The finding stays valid after the next run.
func From(o Origin, res *props.Result) *Finding {
	f := &Finding{Failure: res.Failure, Location: res.Location, Logs: append([]string(nil), res.Logs...), Case: CaseOf(o, res)}
	if res.System != nil {
		f.print.Take(res.System) // take the fingerprint before the texts below, because String methods may change messages
	}
	f.Draws = draws(res)
	f.Case.Signature = res.Failure.Lasting()
	if res.System != nil {
		f.Trace = res.System.Trace().Clone()
		f.draw(f.Trace)
	}
	f.attach(res.Attachments)
	f.Case.Comment = f.comment()
	return f
}

// mostChanged is the number of columns up to which the chart prints the changes of the deciding step as they are.
const mostChanged = 160

// draw sets f.Rows. t is the trace of the last run, because an actor reference in a message is
// valid only until the next run.
func (f *Finding) draw(t *trace.Trace) {
	o := trace.ChartOptions{Failed: f.Failure.Step}
	o.Remark = func(step int) string {
		swap := f.Passing.Swap(step)
		if e := f.Case.Explanation; e != nil && e.Point != nil && step == e.Point.Step {
			return strings.TrimSpace(record.Decides(e.Point) + " " + swap)
		}
		return swap
	}
	o.Below = func(step int) []string {
		if e := f.Case.Explanation; len(f.Changes) > 0 && e != nil && e.Point != nil && e.Point.Step == step {
			return []string{record.Changed(f.Changes, mostChanged)}
		}
		return nil
	}
	f.Rows = t.ChartWith(o)
}

// Chart returns the trace as text in the usual width.
func (f *Finding) Chart() string { return f.Rows.Text(record.Columns - record.Indent) }

// CaseOf returns the case of a run, failed or not. The case stays valid after the next run.
func CaseOf(o Origin, res *props.Result) corpus.Case {
	c := corpus.Case{Property: o.Property, Test: o.Test, Strategy: o.Strategy, Seed: o.Seed, Inputs: choice.CloneInputs(res.Inputs)}
	if res.System == nil {
		return c
	}
	c.Record = *res.System.Record().Clone()
	c.Settings = settingsOf(res)
	if res.System.Timers() > 0 { // without timers, EarlyTimers has no effect
		c.EarlyTimers = res.EarlyTimers
	}
	c.Hash = res.System.Trace().Hash
	return c
}

// These constants limit the columns of a draw with its label, and of the value alone.
const mostDraw, fewestValue = 76, 20

// draws describes the drawn inputs of a run.
func draws(res *props.Result) (list []string) {
	for i, in := range res.Inputs {
		value := trace.PhraseOf(res.Values[i])
		text, _ := value.Fit(max(fewestValue, mostDraw-trace.Width(in.Label)))
		list = append(list, in.Label+" = "+text)
	}
	return list
}

// Steps returns the number of steps of the run.
func (f *Finding) Steps() int {
	if f.Trace == nil {
		return 0
	}
	return len(f.Trace.Steps)
}

// Explain sets f.Shrunk and the explanation of the case, which is nil if unknown.
func (f *Finding) Explain(shrunk string, why *corpus.Explanation) {
	f.Shrunk, f.Case.Explanation, f.filed = shrunk, why, false
	f.Case.Comment = f.comment()
}
