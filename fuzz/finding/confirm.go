package finding

import (
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Confirm replays the finding Tried times and sets Replays and Differs. It also marks the case
// if a replay differs. It does nothing if the program is already known to be nondeterministic.
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

// replay replays the case strictly. It returns the first difference, "" if there is none.
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

// Rerun replays a run that passed. If the replay differs, Rerun returns a finding that says
// how; otherwise it returns nil. The result res is invalid afterwards.
func Rerun(r *props.Runner, o Origin, res *props.Result) *Finding {
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
		how = "it made a system, but its replay made none"
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

// timesCompared is the number of times that Difference replays the case.
const timesCompared = 10

// Difference replays a nondeterministic run several times. It returns how two of the replays
// differ, "" if none do.
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

// Doubt marks a case that did not repeat. If the case passes later, its failure is therefore
// not reported as mended.
func Doubt(c *corpus.Case) {
	if !c.Doubtful {
		c.Doubtful = true
		c.Comment = slices.Insert(slices.Clone(c.Comment), min(1, len(c.Comment)), corpus.Doubt)
	}
}
