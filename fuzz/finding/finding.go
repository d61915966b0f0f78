// Package finding turns a run in which a property failed into a small case that says why it
// fails. Package search finds such runs. Each goes through these stages:
//
//	found      From keeps what is needed to replay and describe the run.
//	confirmed  Finding.Confirm replays it twice, and expects the same failure and trace.
//	shrunk     Shrink looks for the smallest run that fails alike.
//	explained  Shrink also says in which orders that run fails, which draws matter, and
//	           which faults it needs.
//	saved      Finding.Keep writes a case, and leaves one case for each bug.
//	           Finding.WritePages writes a page next to it.
//	replayed   Play runs a saved case again.
//	repaired   If the program has changed, Repair looks near a case for a run that fails alike.
//
// Finding.Text and Finding.Record describe what is known at any stage. The package does not
// depend on package testing.
package finding

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Finding is a run in which a property failed.
type Finding struct {
	// Case has all that is needed to replay the run.
	Case    corpus.Case
	Failure *pulse.Failure
	// Location is the line that failed; it may be empty.
	Location pulse.Frame
	Logs     []string
	// Draws are the inputs in words: "actions = 2".
	Draws []string
	// Trace is nil if the property made no system. Chart shows it; it was drawn
	// while the references in the trace were valid.
	Trace       *trace.Trace
	Chart       string
	Attachments []Attachment
	// Shrunk says from what the run was shrunk, Also which other failures were met
	// meanwhile. Both are empty before shrinking. Case.Explanation says why it fails.
	Shrunk string
	Also   []string
	// Unfinished reports that JOSTLE_SHRINK would give shrinking more time, Unsaved that
	// JOSTLE_REPAIR=1 would save this run in place of a larger one.
	Unfinished, Unsaved bool
	// Seen is set by Look.
	Seen *Seen

	print pulse.Print // of the run
	filed bool        // Case.Explanation comes from its file

	// Replays is how many of Tried replays had the same failure and trace,
	// Differs how the first other one differed. Confirm sets both.
	Replays int
	Differs string
}

// Tried is the number of replays that Confirm makes.
const Tried = 2

// An Attachment is a file to save next to the case, such as a picture.
type Attachment struct {
	Name string
	Data []byte
}

// An Origin says which search made a run.
type Origin struct {
	// Property is the name under which the property's cases are saved, Test the
	// test that ran it.
	Property, Test string
	// Strategy is the name of the strategy, Seed its seed.
	Strategy string
	Seed     uint64
}

// From returns the finding of a run that failed. It does not refer to res afterwards.
func From(o Origin, res *props.Result) *Finding {
	f := &Finding{Failure: res.Failure, Location: res.Location, Logs: append([]string(nil), res.Logs...), Case: CaseOf(o, res)}
	if res.System != nil {
		f.print.Take(res.System) // before anything is shown, since that may change messages
	}
	f.Draws = draws(res)
	f.Case.Signature = res.Failure.Lasting()
	if res.System != nil {
		f.Trace = res.System.Trace().Clone()
		f.Chart = f.Trace.ChartWith(f.Failure.Step, nil)
	}
	f.attach(res.Attachments)
	f.Case.Comment = f.comment()
	return f
}

// CaseOf returns the case of a run, failed or not. It does not refer to res
// afterwards.
func CaseOf(o Origin, res *props.Result) corpus.Case {
	c := corpus.Case{Property: o.Property, Test: o.Test, Strategy: o.Strategy, Seed: o.Seed, Inputs: choice.CloneInputs(res.Inputs)}
	if res.System == nil {
		return c
	}
	c.Record = *res.System.Record().Clone()
	c.Settings = settingsOf(res)
	if res.System.Timers() > 0 { // else they have changed nothing
		c.EarlyTimers = res.EarlyTimers
	}
	c.Hash = res.System.Trace().Hash
	return c
}

// draws returns the inputs of a run in words.
func draws(res *props.Result) (list []string) {
	for i, in := range res.Inputs {
		list = append(list, fmt.Sprintf("%s = %s", in.Label, trace.Label(res.Values[i])))
	}
	return list
}

// attach adds the attachments of the run.
func (f *Finding) attach(list []props.Attachment) {
	for _, a := range list {
		data, err := written(a)
		if err != nil {
			f.Logs = append(f.Logs, a.Name+" could not be made: "+err.Error())
			continue
		}
		f.Attachments = append(f.Attachments, Attachment{a.Name, data})
	}
}

// written returns what an attachment writes. It writes on another goroutine, so
// that a panic or Goexit in an attachment does not lose the finding.
func written(a props.Attachment) (data []byte, err error) {
	if a.Write == nil {
		return nil, errors.New("it has no function that writes it")
	}
	done := make(chan struct{})
	var b bytes.Buffer
	go func() {
		defer close(done)
		err = errors.New("its function called runtime.Goexit, as FailNow and Skip of a testing.T do")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("its function panicked: %s", trace.Label(v))
			}
		}()
		err = a.Write(&b)
	}()
	<-done
	return b.Bytes(), err
}

// Steps returns how many steps the run took.
func (f *Finding) Steps() int {
	if f.Trace == nil {
		return 0
	}
	return len(f.Trace.Steps)
}

// Explain sets from what the finding was shrunk and why it fails, nil if that is unknown.
func (f *Finding) Explain(shrunk string, why *corpus.Explanation) {
	f.Shrunk, f.Case.Explanation, f.filed = shrunk, why, false
	f.Case.Comment = f.comment()
}
