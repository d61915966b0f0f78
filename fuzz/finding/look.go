package finding

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Seen has what Look recorded in a replay of a finding. A line of code is given as
// "writer.go:12", "" if unknown.
type Seen struct {
	// Sent has, for each element of Trace.Sends, the line that sent the message.
	Sent []string
	// SentFrom has, for each element of Trace.Sends, the line of the sender's handler that led to the
	// line in Sent, "" if both are in one function or the sender is no handler. SentBy has the name of
	// the function with the line in Sent, or "" like SentFrom.
	SentFrom, SentBy []string
	// Handlers has, for each element of Trace.Sends, the first line of the handler that received the
	// message, or would have received it.
	Handlers []string
	// Handled has, for each element of Trace.Sends, the line that handled the message: see
	// sources.branch.
	Handled []string
	// Helpers has, for each element of Trace.Sends, the functions that the case with the line in
	// Handled calls.
	Helpers [][]string
	// Spawned has, for each actor, the line that spawned it.
	Spawned []string
	// Labels has, for each element of Trace.Sends, the label of the message.
	Labels []string
	// After has, for each step, the actor states that the step changed, and Changes the fields in them.
	After   [][]string
	Changes [][]record.Change
	// Code has, for the messages that decide, the lines around those that send and handle the message.
	// The keys are indices of Trace.Sends.
	Code map[int][]record.Excerpt
	// Diagram is the run as a Mermaid sequence diagram with the constraints marked, "" if
	// the run is too long.
	Diagram string
}

const (
	mostSteps  = 20_000  // Look does nothing for a run with more steps
	mostStates = 100_000 // Look records no states if the product of steps and actors is larger
)

// Look replays the finding and sets f.Seen. It records the lines of code that send and handle
// messages and, if the run is not too large, the states of actors. It does nothing if the
// finding is unconfirmed or the replay differs.
func (f *Finding) Look(r *props.Runner) {
	if f.Trace == nil || f.Replays < Tried || len(f.Trace.Steps) > mostSteps {
		return
	}
	l := &looker{states: len(f.Trace.Steps)*len(f.Trace.Actors) <= mostStates}
	l.fields, l.parts = map[int32][]trace.Field{}, map[[2]int][]record.Change{}
	plan := planOf(&f.Case, strategy.Replay(&f.Case.Record, strategy.ReplayOptions{}))
	plan.Observer, plan.Look = l, l.deciding.end
	if e := f.Case.Explanation; e != nil && e.Point != nil && e.Point.Step >= 0 {
		st := &f.Trace.Steps[e.Point.Step]
		inGoroutine := st.Send >= 0 && isOperation(&f.Trace.Sends[st.Send]) // the variables of a goroutine cannot be read
		l.deciding = stateAt{on: !inGoroutine, step: e.Point.Step, actor: st.Actor}
	}
	res := r.Run(plan)
	if res.System == nil || res.System.Trace().Hash != f.Trace.Hash {
		return
	}
	t, h := res.System.Trace(), res.System.Host()
	for i := len(l.used); i < len(t.Steps); i++ { // the loop makes up for the step that failed, for which Stepped is not called
		l.handle(res.System, i)
	}
	for i := range t.Actors {
		set(&l.codes, i, code{h.Place(int32(i)), h.WaitPlace(int32(i))})
	}
	l.locate(t)
	for i := range t.Sends { // labels are made now, because the next run makes actor references invalid
		l.Labels = append(l.Labels, t.Sends[i].Label())
	}
	l.Diagram = f.diagram(t)
	f.Changes = nil
	if l.deciding.on {
		f.Changes = l.deciding.changes(visible(t.Name(l.deciding.actor)), f.passed)
	}
	if e := f.Case.Explanation; e != nil {
		l.excerpts(f.deciding(e))
	}
	f.draw(t) // draw the chart again, now with the deciding step marked
	f.Case.Comment = f.comment()
	names := t.Names()
	after := l.after(t, names)
	for i := range t.Steps {
		l.Seen.After, l.Seen.Changes = append(l.Seen.After, after(i)), append(l.Seen.Changes, l.partsAfter(t, names, i))
	}
	f.Seen = &l.Seen
}

// A looker is the observer of Look.
type looker struct {
	Seen
	changes
	states   bool
	deciding stateAt
	codes    []code // for each actor, the code that handles its next message
	used     []code // for each step, the code that handled the message
	files    sources
	sends    []pulse.Frame // for each element of Trace.Sends, the line of the handler that sends the message
	handles  []pulse.Frame // for each element of Trace.Sends, the line that handles the message
}

// A code is the place in the source that handles an actor's next message.
type code struct {
	handler pulse.Frame // the first line of the handler or process
	waits   pulse.Frame // the line at which the process waits, if it does
}

// Spawned records the line that spawns an actor.
func (l *looker) Spawned(_ *pulse.System, actor int) {
	set(&l.Seen.Spawned, actor, props.Caller().At.Place())
}

// Sent records the line that sends a message, and the handlers of new actors. It omits the
// handler of an actor that has changed its handler in the current step.
func (l *looker) Sent(s *pulse.System, send int) {
	l.sent(s, send, props.Caller())
}

// sent records the call that sends a message. If the caller is the property's own code although a step
// is running, that call only runs the system, and the system sends the message (for example a timer's).
// Then the line is unknown.
func (l *looker) sent(s *pulse.System, send int, by props.Call) {
	t, step := s.Trace(), s.Host().Step()
	if step >= 0 && by.Test {
		by = props.Call{}
	}
	set(&l.Seen.Sent, send, by.At.Place())
	set(&l.sends, send, by.At)
	if step >= 0 && at(l.codes, t.Steps[step].Actor).waits.File == "" {
		set(&l.Seen.SentFrom, send, by.From.Place())
		set(&l.Seen.SentBy, send, by.By)
		set(&l.sends, send, cmp.Or(by.From, by.At))
	}
	for i := len(l.codes); i < len(t.Actors); i++ {
		if step >= 0 && i == int(t.Steps[step].Actor) && t.Steps[step].Changed {
			return
		}
		set(&l.codes, i, code{handler: s.Host().Place(int32(i))})
	}
}

// Stepped records the handler of a step, and the actor states that the step changed.
func (l *looker) Stepped(s *pulse.System, step int) {
	if l.states {
		l.changes.Stepped(s, step)
		l.deciding.Stepped(s, step)
	}
	l.handle(s, step)
	for i := len(l.codes); i < len(s.Trace().Actors); i++ {
		set(&l.codes, i, code{handler: s.Host().Place(int32(i))})
	}
	actor := s.Trace().Steps[step].Actor
	set(&l.codes, int(actor), code{s.Host().Place(actor), s.Host().WaitPlace(actor)})
}

// handle records the code that handled a message in a step. The step may have changed the handler of
// the actor, so the recorded handler is the one before the step.
func (l *looker) handle(s *pulse.System, step int) {
	st := &s.Trace().Steps[step]
	c := at(l.codes, st.Actor)
	if int(st.Actor) >= len(l.codes) && !st.Changed {
		c.handler = s.Host().Place(st.Actor)
	}
	set(&l.used, step, c)
}

// locate sets Handlers, Handled and Helpers. It also gives each duplicate of a message (a fault) the
// place that sent the original.
func (l *looker) locate(t *trace.Trace) {
	type handling struct {
		code
		message reflect.Type
	}
	type lines struct {
		at      pulse.Frame
		helpers []string
	}
	l.files = sources{}
	known := map[handling]lines{}
	for i := range t.Sends {
		d := &t.Sends[i]
		c := at(l.used, d.Receipt)
		if d.Receipt == trace.None {
			c = at(l.codes, d.To)
		}
		l.Handlers = append(l.Handlers, c.handler.Place())
		for k := i - 1; k >= 0 && d.Kind == trace.Copy && at(l.Seen.Sent, int32(i)) == ""; k-- {
			if o := &t.Sends[k]; o.From == d.From && o.To == d.To && o.Step == d.Step {
				set(&l.Seen.Sent, i, at(l.Seen.Sent, int32(k)))
				set(&l.sends, i, at(l.sends, int32(k)))
				set(&l.SentFrom, i, at(l.SentFrom, int32(k)))
				set(&l.SentBy, i, at(l.SentBy, int32(k)))
			}
		}
		key := handling{c, reflect.TypeOf(d.Body)}
		branch, ok := known[key]
		if !ok {
			branch.at, branch.helpers = l.files.branch(c.handler, c.waits, d.Body)
			known[key] = branch
		}
		l.Handled, l.Helpers = append(l.Handled, branch.at.Place()), append(l.Helpers, branch.helpers)
		l.handles = append(l.handles, cmp.Or(branch.at, c.handler))
	}
}

// excerpts sets Code for some messages.
func (l *looker) excerpts(list []corpus.Message) {
	l.Code = map[int][]record.Excerpt{}
	for _, m := range list {
		var code []record.Excerpt
		for what, frame := range map[string]pulse.Frame{record.Sends: at(l.sends, int32(m.Send)), record.Handles: at(l.handles, int32(m.Send))} {
			if e := l.files.excerpt(what, frame); e != nil {
				code = append(code, *e)
			}
		}
		slices.SortFunc(code, func(x, y record.Excerpt) int { return cmp.Compare(y.What, x.What) }) // Sends comes first
		l.Code[m.Send] = code
	}
}

// The number of lines that an excerpt shows before and after the line that it marks.
const linesBefore, linesAfter = 2, 4

// excerpt returns the lines of code around a line, nil if the source is not on this machine.
func (s sources) excerpt(what string, at pulse.Frame) *record.Excerpt {
	lines := strings.Split(s.read(at.Path()), "\n")
	if at.Line < 1 || at.Line > len(lines) || len(lines) == 1 {
		return nil
	}
	first := max(1, at.Line-linesBefore)
	e := &record.Excerpt{What: what, At: at.Place(), First: first, Marked: at.Line}
	for _, line := range lines[first-1 : min(len(lines), at.Line+linesAfter)] {
		e.Lines = append(e.Lines, visible(strings.TrimRight(line, "\r")))
	}
	return e
}

// set sets element i of a list in a Seen or a looker, extending the list if necessary.
func set[E any](list *[]E, i int, e E) {
	for len(*list) <= i {
		*list = append(*list, *new(E))
	}
	(*list)[i] = e
}

// at returns element i of a list in a Seen or a looker, its zero value if there is none.
func at[E any](list []E, i int32) (e E) {
	if i < 0 || int(i) >= len(list) {
		return e
	}
	return list[i]
}
