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
	// Diagram is the run as a sequence diagram of Mermaid, with the constraints marked;
	// "" if it is too long for one.
	Diagram string
}

// mostSteps bounds the steps of a run that is looked at, mostStates the steps times the
// actors of one whose states are noted.
const (
	mostSteps  = 20_000
	mostStates = 100_000
)

// Look runs a finding once more, and notes the lines of its program and, of a run that
// is not too large, the states of its actors. It does nothing if that run is another.
func (f *Finding) Look(r *props.Runner) {
	if f.Trace == nil || f.Replays < Tried || len(f.Trace.Steps) > mostSteps {
		return
	}
	l := &looker{states: len(f.Trace.Steps)*len(f.Trace.Actors) <= mostStates}
	plan := planOf(&f.Case, strategy.Replay(&f.Case.Record, strategy.ReplayOptions{}))
	plan.Observer = l
	res := r.Run(plan)
	if res.System == nil || res.System.Trace().Hash != f.Trace.Hash {
		return
	}
	t, h := res.System.Trace(), res.System.Host()
	for i := len(l.Handled); i < len(t.Steps); i++ { // it is not told of the step that failed
		l.handle(res.System, i)
	}
	for i := range t.Actors {
		set(&l.Handlers, i, h.Place(int32(i)))
	}
	for i := range t.Sends { // while the references in them are good
		l.Labels = append(l.Labels, t.Sends[i].Label())
	}
	l.Diagram = f.diagram(t)
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
	states bool
}

// Sent notes the line that sends a message, and what handles messages of actors that have
// not had any. Only an actor's own step changes that.
func (l *looker) Sent(s *pulse.System, send int) { l.sent(s, send, props.Line()) }

func (l *looker) sent(s *pulse.System, send int, line string) {
	set(&l.Seen.Sent, send, line)
	t, step := s.Trace(), s.Host().Step()
	for i := len(l.Handlers); i < len(t.Actors); i++ {
		if step >= 0 && i == int(t.Steps[step].Actor) && t.Steps[step].Changed {
			return
		}
		set(&l.Handlers, i, s.Host().Place(int32(i)))
	}
}

// Stepped notes what handled a step, and what actors keep now.
func (l *looker) Stepped(s *pulse.System, step int) {
	if l.states {
		l.changes.Stepped(s, step)
	}
	l.handle(s, step)
	for i := len(l.Handlers); i < len(s.Trace().Actors); i++ {
		set(&l.Handlers, i, s.Host().Place(int32(i)))
	}
	actor := s.Trace().Steps[step].Actor
	set(&l.Handlers, int(actor), s.Host().Place(actor))
}

// handle notes what handled a step that is over: what handled its actor's messages
// before, since the step may have changed that.
func (l *looker) handle(s *pulse.System, step int) {
	st := &s.Trace().Steps[step]
	place := at(l.Handlers, st.Actor)
	if int(st.Actor) >= len(l.Handlers) && !st.Changed {
		place = s.Host().Place(st.Actor)
	}
	if st.Kind != trace.Receive {
		place = ""
	}
	set(&l.Handled, step, place)
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
