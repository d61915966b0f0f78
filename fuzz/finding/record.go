package finding

import (
	"cmp"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Record returns the finding as a record. where describes the run. The record has steps only if
// Look was called.
func (f *Finding) Record(where string) record.Record {
	r := f.outline()
	r.Format, r.Where, r.Case, r.Worth = record.Format, where, f.Whole(), f.Worth()
	r.Exact, r.Condition, r.Cause = f.Failure.Signature(), f.Case.Condition, f.Case.Cause()
	r.Also, r.Chart = slices.Clone(f.Also), f.Chart()
	if r.Changes = f.Changes; f.Seen != nil {
		f.addSteps(&r)
	}
	if f.Passing != nil && len(f.Passing.Steps) <= mostPaged {
		r.Passing = f.Passing
	}
	return r
}

// outline returns the record without its steps and without the texts of the chart and the case.
func (f *Finding) outline() record.Record {
	r := record.Record{Property: f.Case.Property, Test: f.Case.Test, Failure: f.Failure.Text, Detail: f.Failure.Detail, Waits: f.Failure.Waits, Advice: f.Failure.Advice, File: f.Location.File, Line: f.Location.Line,
		Signature: f.Case.Signature, Shrunk: f.Shrunk, Unfinished: f.Unfinished, Replays: f.Replays, Tried: Tried, Differs: f.Differs, Length: f.Steps(), Early: f.Case.Record.Early(),
		Why: f.Case.Explanation, Filed: f.filed, Faces: slices.Clone(f.Case.Faces), Rows: f.Rows,
		Draws: slices.Clone(f.Draws), Logs: slices.Clone(f.Logs)}
	if r.Early > 0 && f.Trace != nil && !slices.ContainsFunc(f.Case.Record.Choices, func(c choice.Choice) bool { return c.Kind.IsFault() && c.Value > 0 }) {
		if slow := slowest(f.Trace); slow > 0 {
			r.Slow = slow.String()
		}
	}
	f.addPlaces(&r)
	return r
}

// slowest returns the longest virtual time that a message other than a timer was in flight. It
// returns zero if the program caused faults.
func slowest(t *trace.Trace) (longest time.Duration) {
	at := func(step int32) int64 {
		if step < 0 {
			return 0
		}
		return t.Steps[step].Time
	}
	if len(t.Strikes) > 0 {
		return 0
	}
	for i := range t.Sends {
		d := &t.Sends[i]
		if d.Kind.IsTimer() {
			continue
		}
		end := d.Receipt
		if end == trace.None {
			end = int32(len(t.Steps) - 1)
		}
		longest = max(longest, time.Duration(at(end)-at(d.Step)))
	}
	return longest
}

// Text returns the complete description of the finding. where describes the run.
func (f *Finding) Text(where string) string {
	r := f.outline()
	r.Where, r.Also = where, f.Also
	return r.Text(0)
}

// Headline returns one line with the location and the message of the failure.
func (f *Finding) Headline() string {
	r := f.outline()
	return r.Headline()
}

// Why describes in which orders the finding fails, "" if that is unknown.
func (f *Finding) Why() string {
	r := f.outline()
	return r.Orders()
}

// comment returns the comment for the case's file.
func (f *Finding) comment() []string {
	r := f.outline()
	return r.Comment()
}

// addPlaces adds the lines of code that send and handle the messages that decide. It ignores
// messages that the run does not send, and operations of goroutines, whose texts have their lines.
func (f *Finding) addPlaces(r *record.Record) {
	if r.Why == nil || f.Trace == nil {
		return
	}
	for _, m := range f.deciding(r.Why) {
		known := slices.ContainsFunc(r.Places, func(p record.Place) bool { return p.Send == m.Send })
		if m.Send < 0 || m.Send >= len(f.Trace.Sends) || known || isOperation(&f.Trace.Sends[m.Send]) {
			continue
		}
		p, send := record.Place{Send: m.Send, Step: int(f.Trace.Sends[m.Send].Receipt), Text: m.Text, Kind: visible(shortKind(&f.Trace.Sends[m.Send]))}, int32(m.Send)
		if f.Seen != nil {
			p.SentAt, p.SentFrom, p.SentBy = at(f.Seen.Sent, send), at(f.Seen.SentFrom, send), at(f.Seen.SentBy, send)
			p.Handler, p.Handled, p.Helpers = at(f.Seen.Handlers, send), at(f.Seen.Handled, send), at(f.Seen.Helpers, send)
			p.Text, p.Code = cmp.Or(p.Text, visible(at(f.Seen.Labels, send))), f.Seen.Code[m.Send]
		}
		r.Places = append(r.Places, p)
	}
}

// deciding returns the messages that decide, the most important first: those of the point of no
// return, and those of the constraints. If there are none, it returns the message in whose step the
// run failed, or else the last one.
func (f *Finding) deciding(e *corpus.Explanation) (list []corpus.Message) {
	t := f.Trace
	for _, c := range e.Main() {
		list = append(list, c.First, c.Second)
	}
	if p := e.Point; p != nil && p.Step >= 0 && p.Step < len(t.Steps) {
		about := []corpus.Message{p.Message}
		if p.Message.Send < 0 {
			about = f.struck(p.Step)
		}
		if p.Other != nil {
			about = append(about, *p.Other)
		}
		list = append(about, list...)
	}
	if list = slices.DeleteFunc(list, func(m corpus.Message) bool { return m.Send < 0 }); len(list) > 0 || len(t.Steps) == 0 {
		return list
	}
	last := len(t.Steps) - 1
	if f.Failure.Step >= 0 {
		last = min(f.Failure.Step, last)
	}
	return []corpus.Message{{Send: int(t.Steps[last].Send)}}
}

// struck returns the messages that a fault in a step is about: the lost or doubled message that the
// step sends, or else the message of the step. If the step is a fault of an actor, they are the last
// message that the actor received before, and the last one that it sent to another actor.
func (f *Finding) struck(step int) []corpus.Message {
	t, received, sent := f.Trace, int(trace.None), int(trace.None)
	st := &t.Steps[step]
	for i := range t.Sends {
		switch d := &t.Sends[i]; {
		case st.Kind == trace.Receive && int(d.Step) == step && (d.Kind == trace.Copy || d.Fate == trace.Dropped):
			return []corpus.Message{{Send: i}}
		case st.Kind != trace.Receive && d.From == st.Actor && d.To != st.Actor && int(d.Step) < step && d.Step >= 0:
			sent = i
		}
	}
	for at := int32(step); at != trace.None && received < 0; at = t.Steps[at].Prev {
		received = int(t.Steps[at].Send)
	}
	return []corpus.Message{{Send: received}, {Send: sent}}
}

func visible(text string) string { return trace.Visible(text) }

// addSteps adds the steps, and the messages that were not received.
func (f *Finding) addSteps(p *record.Record) {
	t := f.Trace
	p.Actors = append(p.Actors, t.Names()...)
	logs := make([][]string, len(t.Steps))
	for _, n := range t.Notes {
		if n.Step >= 0 {
			logs[n.Step] = append(logs[n.Step], visible(n.Text))
		}
	}
	shown := min(len(t.Steps), mostPaged)
	p.LeftOut = len(t.Steps) - shown
	calls := f.calls()
	for i := range t.Steps[:shown] {
		st := &t.Steps[i]
		s := record.Step{Number: i, Kind: st.Kind.String(), Failed: i == f.Failure.Step, Log: append([]string{}, logs[i]...), After: []string{}, Calls: calls[i],
			Message: record.Message{From: int(trace.None), To: int(st.Actor), Label: visible(t.StepLabel(i)), SentIn: int(trace.None)}}
		if st.Kind == trace.Receive {
			s.Message = f.message(st.Send)
			s.Handler, s.Handled = at(f.Seen.Handlers, st.Send), at(f.Seen.Handled, st.Send)
		}
		s.Changes = f.Seen.Changes[i]
		for _, line := range f.Seen.After[i] {
			s.After = append(s.After, visible(line))
		}
		p.Steps = append(p.Steps, s)
	}
	for i := range t.Sends {
		if d := &t.Sends[i]; len(p.Waiting) < mostPaged && d.Fate != trace.Delivered && d.Kind != trace.Timer && d.Kind != trace.Periodic && d.Kind != trace.Poll {
			p.Waiting = append(p.Waiting, f.message(int32(i)))
		}
	}
}

// calls returns what the code of each step did, as far as the lines of these calls are known.
func (f *Finding) calls() [][]record.Call {
	t := f.Trace
	list, names := make([][]record.Call, len(t.Steps)), t.Names()
	add := func(step int32, what, text, line string) {
		if step >= 0 && line != "" {
			list[step] = append(list[step], record.Call{What: what, Text: visible(text), At: line})
		}
	}
	for i := range t.Sends {
		d, what := &t.Sends[i], "sends"
		if d.Kind.IsTimer() {
			what = "sets the timer"
		}
		if d.Kind != trace.Start {
			add(d.Step, what, at(f.Seen.Labels, int32(i))+" to "+names.Of(d.To), at(f.Seen.Sent, int32(i)))
		}
	}
	for i := range t.Actors {
		add(t.Actors[i].Step, "spawns", names.Of(int32(i)), at(f.Seen.Spawned, int32(i)))
	}
	return list
}

// message returns the message with index send in the trace.
func (f *Finding) message(send int32) record.Message {
	return messageOf(&f.Trace.Sends[send], trace.Phrase{Text: at(f.Seen.Labels, send)}, at(f.Seen.Sent, send))
}

// messageOf returns a message with its label and the line that sent it.
func messageOf(d *trace.Send, label trace.Phrase, sentAt string) record.Message {
	from := d.From
	if d.Kind == trace.Timer || d.Kind == trace.Periodic {
		from = d.To
	}
	if d.Kind == trace.Copy {
		label.Text += " (copy)"
	}
	return record.Message{From: int(from), To: int(d.To), Label: visible(label.Text), Parts: label.Parts, SentIn: int(d.Step), SentAt: sentAt}
}
