package finding

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Seen is what one more run of a finding showed, with an observer.
type Seen struct {
	// Sent has the line that sent each message, by its index in Trace.Sends, Handled the
	// line where the code begins that handled each step: "writer.go:12", "" where it is
	// not known.
	Sent, Handled []string
	// Labels are those of the messages, by their index in Trace.Sends.
	Labels []string
	// Handlers are the lines where the code of each actor began at last.
	Handlers []string
	// After has for each step what the actors keep that it changed.
	After [][]string
}

// mostSeen bounds the steps times the actors of a run whose states are noted.
const mostSeen = 100_000

// Look runs a finding once more, and notes the lines of its program and the states of
// its actors. It does nothing if that run is another.
func (f *Finding) Look(r *props.Runner) {
	if f.Trace == nil || f.Replays < Tried || len(f.Trace.Steps)*len(f.Trace.Actors) > mostSeen {
		return
	}
	l := &looker{}
	plan := planOf(&f.Case, strategy.Replay(&f.Case.Record, strategy.ReplayOptions{}))
	plan.Observer = l
	res := r.Run(plan)
	if res.System == nil || res.System.Trace().Hash != f.Trace.Hash {
		return
	}
	t, h := res.System.Trace(), res.System.Host()
	for i := len(l.Handled); i < len(t.Steps); i++ { // it is not told of the step that failed
		set(&l.Handled, i, at(l.Handlers, t.Steps[i].Actor))
	}
	l.Handlers = l.Handlers[:0]
	for i := range t.Actors {
		l.Handlers = append(l.Handlers, h.Place(int32(i)))
	}
	for i := range t.Sends { // while the references in them are good
		l.Labels = append(l.Labels, t.Sends[i].Label())
	}
	after := l.after(t, t.Names())
	for i := range t.Steps {
		l.Seen.After = append(l.Seen.After, after(i))
	}
	f.Seen = &l.Seen
}

// A looker notes what Look wants to know.
type looker struct {
	Seen
	changes
}

// Sent notes the line that sends a message.
func (l *looker) Sent(_ *pulse.System, send int) { set(&l.Seen.Sent, send, props.Line()) }

// Stepped notes what handled a step: what handled its actor's messages before, since
// a step may change that.
func (l *looker) Stepped(s *pulse.System, step int) {
	l.changes.Stepped(s, step)
	t := s.Trace()
	st := &t.Steps[step]
	if st.Kind == trace.Receive {
		switch actor := int(st.Actor); {
		case actor < len(l.Handlers):
			set(&l.Handled, step, l.Handlers[actor])
		case !st.Changed:
			set(&l.Handled, step, s.Host().Place(st.Actor))
		}
	}
	for i := range t.Actors {
		set(&l.Handlers, i, s.Host().Place(int32(i)))
	}
}

// set sets an element of a list, which is made longer for it.
func set(list *[]string, i int, text string) {
	for len(*list) <= i {
		*list = append(*list, "")
	}
	(*list)[i] = text
}

// at returns an element of a list, "" when it has none there.
func at(list []string, i int32) string {
	if i < 0 || int(i) >= len(list) {
		return ""
	}
	return list[i]
}
