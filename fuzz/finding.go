package fuzz

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A finding is a run in which the property broke, kept beyond the next run.
type finding struct {
	index       int   // of the run in its search, from 0
	place       place // the same, of an exploration
	kase        *corpus.Case
	failure     *pulse.Failure
	location    string
	logs        []string
	draws       []string     // in words: "actions = 2"
	trace       *trace.Trace // nil when the property made no system
	chart       string       // of the trace, drawn while the references in it are good
	attachments []attachment
	replays     int    // how many of replaysTried gave the same failure and trace
	differs     string // what was different in the first that did not
}

const replaysTried = 2

// An attachment is a file that belongs beside the case, such as a picture.
type attachment struct {
	name string
	data []byte
}

func newFinding(test, strategyName string, seed uint64, res *props.Result) *finding {
	f := &finding{failure: res.Failure, location: res.Location, logs: append([]string(nil), res.Logs...),
		kase: &corpus.Case{Test: test, Strategy: strategyName, Seed: seed, Inputs: choice.CloneInputs(res.Inputs)}}
	for i, in := range res.Inputs {
		f.draws = append(f.draws, fmt.Sprintf("%s = %s", in.Label, trace.Label(res.Values[i])))
	}
	for _, a := range res.Attachments {
		var b bytes.Buffer
		if err := a.Write(&b); err != nil {
			f.logs = append(f.logs, a.Name+" could not be made: "+err.Error())
			continue
		}
		f.attachments = append(f.attachments, attachment{a.Name, b.Bytes()})
	}
	if res.System != nil {
		f.trace = res.System.Trace().Clone()
		f.chart = f.trace.Chart()
		f.kase.Record = *res.System.Record().Clone()
		f.kase.Settings = settingsOf(res.System.Options())
	}
	return f
}

// settingsOf returns what a run was told, as a case keeps it.
func settingsOf(o pulse.Options) (list []corpus.Setting) {
	for _, s := range o.Settings() {
		list = append(list, corpus.Setting(s))
	}
	return list
}

// changedSettings says what a case was told that a run was not, or otherwise.
func changedSettings(was, is []corpus.Setting) (changes []string) {
	find := func(list []corpus.Setting, name string) string {
		for _, s := range list {
			if s.Name == name {
				return s.Value
			}
		}
		return "default"
	}
	for _, list := range [][]corpus.Setting{was, is} {
		for _, s := range list {
			change := fmt.Sprintf("%s was %s, is %s", s.Name, find(was, s.Name), find(is, s.Name))
			if find(was, s.Name) != find(is, s.Name) && !slices.Contains(changes, change) {
				changes = append(changes, change)
			}
		}
	}
	return changes
}

// confirm replays a finding and notes whether it repeats.
func (f *finding) confirm(r *props.Runner) {
	f.replays, f.differs = 0, ""
	for range replaysTried {
		if how := f.replay(r); how == "" {
			f.replays++
		} else if f.differs == "" {
			f.differs = how
		}
	}
}

// replay runs the case again, strictly, and says what was different.
func (f *finding) replay(r *props.Runner) (different string) {
	replayer := strategy.Replay(&f.kase.Record, strategy.ReplayOptions{Trace: f.trace})
	res := r.Run(props.Plan{Inputs: f.kase.Inputs, Strategy: replayer})
	switch {
	case res.Stray != "":
		return res.Stray
	case f.trace != nil && replayer.Done() != nil:
		return replayer.Done().Error()
	case res.Failure == nil:
		return "it did not fail"
	case res.Failure.Signature() != f.failure.Signature():
		return "it failed with: " + res.Failure.Text
	case f.trace != nil && res.System.Trace().Hash != f.trace.Hash:
		d, _ := trace.Diff(f.trace, res.System.Trace())
		return d.String()
	}
	return ""
}
