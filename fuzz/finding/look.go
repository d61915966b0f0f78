package finding

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Seen is what an observer recorded in one more run of a finding.
type Seen struct {
	// Sent has the line that sent each message, by its index in Trace.Sends. Handled has the
	// first line of the code that handled each step. A line is "writer.go:12", "" if unknown.
	Sent, Handled []string
	// Labels has the label of each message, by its index in Trace.Sends.
	Labels []string
	// Handlers has the first line of the handler that each actor had last.
	Handlers []string
	// After has the actor states that each step changed.
	After [][]string
	// Diagram is the run as a Mermaid sequence diagram with the constraints marked, "" if
	// it is too long.
	Diagram string
}

// Look skips runs of more than mostSteps steps. It records no states if steps times actors
// exceed mostStates.
const (
	mostSteps  = 20_000
	mostStates = 100_000
)

// Look runs the finding once more. It records the lines of its program and, if the run is not
// too large, the states of its actors. It does nothing if that run differs.
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
	for i := len(l.Handled); i < len(t.Steps); i++ { // Stepped is not called for the step that failed
		l.handle(res.System, i)
	}
	for i := range t.Actors {
		set(&l.Handlers, i, h.Place(int32(i)))
	}
	for i := range t.Sends { // while the references in them are valid
		l.Labels = append(l.Labels, t.Sends[i].Label())
	}
	l.Diagram = f.diagram(t)
	after := l.after(t, t.Names())
	for i := range t.Steps {
		l.Seen.After = append(l.Seen.After, after(i))
	}
	f.Seen = &l.Seen
}

// A looker is the observer of Look.
type looker struct {
	Seen
	changes
	states bool
}

// Sent records the line that sends a message, and the handlers of new actors. Only an actor's
// own step changes its handler.
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

// Stepped records the handler of a step, and the states of the actors after it.
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

// handle records the handler of a step that has ended: the one that the actor had before,
// since the step may have changed it.
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

// set sets an element of a list, extending it if necessary.
func set(list *[]string, i int, text string) {
	for len(*list) <= i {
		*list = append(*list, "")
	}
	(*list)[i] = text
}

// at returns an element of a list, "" if there is none.
func at(list []string, i int32) string {
	if i < 0 || int(i) >= len(list) {
		return ""
	}
	return list[i]
}
