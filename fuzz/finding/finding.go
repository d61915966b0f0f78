// Package finding handles a failing run after it has ended. It confirms the run by
// replays, shrinks and explains it, and saves it as a case. It also replays and repairs
// saved cases. It does not depend on package testing.
//
// From makes a Finding of a failing run. Shrink returns a smaller failing run and an
// Explanation: in which orders the program fails. Play replays a case.
package finding

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
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

// Confirm replays the finding and records whether it repeats, also in its case's comment. It
// skips this if the program is already known not to repeat itself.
func (f *Finding) Confirm(r *props.Runner) {
	if f.Failure.Kind == pulse.KindNondeterminism && f.Differs != "" {
		return
	}
	f.Replays, f.Differs, f.Case.Doubtful = 0, "", false
	for range Tried {
		if how := f.replay(r); how == "" {
			f.Replays++
		} else if f.Differs == "" {
			f.Differs, f.Case.Doubtful = how, true
		}
	}
	f.Case.Comment = f.comment()
}

// replay replays the case strictly, and returns what differed.
func (f *Finding) replay(r *props.Runner) (different string) {
	replayer := strategy.Replay(&f.Case.Record, strategy.ReplayOptions{Trace: f.Trace})
	res := r.Run(planOf(&f.Case, replayer))
	switch {
	case res.Stray != "":
		return res.Stray
	case f.Trace != nil && replayer.Done() != nil:
		return replayer.Done().Error()
	case res.Failure == nil:
		return "it did not fail"
	case res.Failure.Signature() != f.Failure.Signature():
		return "it failed with: " + res.Failure.Text
	case f.Trace != nil && res.System.Trace().Hash != f.Trace.Hash:
		d, _ := trace.Diff(f.Trace, res.System.Trace())
		return d.String()
	case f.Trace != nil:
		var again pulse.Print
		again.Take(res.System)
		return f.print.Differs(&again, res.System)
	}
	return ""
}

// Repeat replays a run that passed. It returns a finding that says how the two
// runs differ, nil if they do not. The result res is invalid afterwards.
func Repeat(r *props.Runner, o Origin, res *props.Result) *Finding {
	var before, again pulse.Print
	before.Take(res.System)
	record, inputs := res.System.Record().Clone(), choice.CloneInputs(res.Inputs)
	replayer := strategy.Replay(record, strategy.ReplayOptions{})
	second := r.Run(props.Plan{Inputs: inputs, Strategy: replayer, EarlyTimers: res.EarlyTimers})
	how := second.Stray
	switch {
	case how != "":
	case replayer.Done() != nil:
		how = replayer.Done().Error()
	case second.Failure != nil:
		how = "it passed, but failed when replayed: " + second.Failure.Text
	case second.Skipped || second.Rejected != "":
		how = "it passed, but was skipped when replayed"
	case second.System == nil:
		how = "it had a system, but none when replayed"
	default:
		again.Take(second.System)
		how = before.Differs(&again, second.System)
	}
	if how == "" {
		return nil
	}
	second.Failure = &pulse.Failure{Kind: pulse.KindNondeterminism, Step: -1, Text: "the program does not repeat itself"}
	second.Location = pulse.Frame{}
	f := From(o, &second)
	f.Differs = how
	return f
}

// timesCompared is how many times Difference runs the case.
const timesCompared = 10

// Difference replays a run that does not repeat itself several times, and returns
// how two of the replays differ, "" if none do.
func (f *Finding) Difference(r *props.Runner) string {
	if f.Trace == nil {
		return ""
	}
	var first *trace.Trace
	for range timesCompared {
		again := strategy.Replay(&f.Case.Record, strategy.ReplayOptions{Lenient: true})
		res := r.Run(planOf(&f.Case, again))
		if res.System == nil {
			return ""
		}
		if first == nil {
			first = res.System.Trace().Clone()
			continue
		}
		if d, differ := trace.Diff(first, res.System.Trace()); differ {
			return d.String()
		}
	}
	return ""
}
