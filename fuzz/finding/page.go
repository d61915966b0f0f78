package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/page"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostPaged is how many steps a page shows.
const mostPaged = 1000

// WritePages writes the finding as HTML, as JSON and as a diagram of Mermaid beside its
// case, which is at path already: a case x.case has x.html, x.json and x.mmd. Look looks at
// it first, if it has not; what it does not look at has no diagram.
func (f *Finding) WritePages(r *props.Runner, path string) error {
	if f.Seen == nil {
		f.Look(r)
	}
	p := f.Page()
	text, err := p.JSON()
	if err == nil {
		err = os.WriteFile(beside(path, ".json"), text, 0o644)
	}
	if err == nil && f.Seen != nil && f.Seen.Diagram != "" {
		err = os.WriteFile(beside(path, ".mmd"), []byte(f.Seen.Diagram), 0o644)
	}
	if err == nil {
		err = os.WriteFile(beside(path, ".html"), p.HTML(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("the case is saved, but not the pages beside it: %w", err)
	}
	return nil
}

// pages are the endings of what WritePages writes.
var pages = []string{".html", ".json", ".mmd"}

// beside returns the file with another ending beside a case.
func beside(path, ending string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ending
}

// Page returns all that is known of a finding, to be shown or read by programs. There
// are no steps on it unless Look has looked.
func (f *Finding) Page() *page.Page {
	e := f.known()
	p := &page.Page{Format: page.Format, Property: f.Case.Property, Test: f.Case.Test, Failure: visible(f.Failure.Text),
		Detail: visible(f.Failure.Detail), Location: f.Location, Signature: visible(f.Case.Signature),
		Early: strings.Join(f.early(), "; "), Shrunk: f.Shrunk, Orders: visible(f.Why()), Depth: e.Depth, Faults: needs(e.Needs), Faces: append([]string{}, f.Case.Faces...), Logs: []string{},
		Draws: []page.Draw{}, Constraints: []page.Constraint{}, Actors: []string{}, Steps: []page.Step{}, Waiting: []page.Message{}}
	for i, d := range f.Draws {
		p.Draws = append(p.Draws, page.Draw{Text: visible(d), Other: at(e.Draws, int32(i))})
	}
	for _, line := range f.Logs {
		p.Logs = append(p.Logs, visible(line))
	}
	for _, c := range e.Main() {
		p.Constraints = append(p.Constraints, page.Constraint{Term: c.Term, First: f.end(c.First), Second: f.end(c.Second), Turned: (*page.Share)(c.Turned)})
	}
	if s := e.Sampled; s != nil {
		p.Sampled = &page.Sampled{Random: page.Share(s.Free), Under: page.Share(s.Under)}
	}
	if f.Seen != nil {
		f.addSteps(p)
	}
	return p
}

func visible(text string) string { return trace.Visible(text) }

// end returns one message of a constraint.
func (f *Finding) end(m corpus.Message) page.End {
	e := page.End{Text: visible(m.Text), Step: int(trace.None)}
	e.SentAt, e.Handler = f.placesOf(m.Send)
	if f.sends(m.Send) {
		e.Step = int(f.Trace.Sends[m.Send].Receipt)
	}
	return e
}

// addSteps adds the steps to a page, and the messages that were not received.
func (f *Finding) addSteps(p *page.Page) {
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
	for i := range t.Steps[:shown] {
		st := &t.Steps[i]
		s := page.Step{Number: i, Kind: st.Kind.String(), Failed: i == f.Failure.Step, Log: append([]string{}, logs[i]...), After: []string{},
			Message: page.Message{From: int(trace.None), To: int(st.Actor), Label: visible(t.StepLabel(i)), SentIn: int(trace.None)}}
		if st.Kind == trace.Receive {
			s.Message = f.message(st.Send)
			s.Handler = at(f.Seen.Handled, int32(i))
		}
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

// message returns a message of the trace.
func (f *Finding) message(send int32) page.Message {
	return messageOf(&f.Trace.Sends[send], at(f.Seen.Labels, send), at(f.Seen.Sent, send))
}

// messageOf returns a message with its label and the line that sent it.
func messageOf(d *trace.Send, label, sentAt string) page.Message {
	from := d.From
	if d.Kind == trace.Timer || d.Kind == trace.Periodic {
		from = d.To
	}
	if d.Kind == trace.Copy {
		label += " (copy)"
	}
	return page.Message{From: int(from), To: int(d.To), Label: visible(label), SentIn: int(d.Step), SentAt: sentAt}
}
