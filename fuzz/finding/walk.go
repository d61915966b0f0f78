package finding

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

const (
	mostOthers = 20 // the maximum number of listed messages that could have been received in place of the received one
	mostLeft   = 50 // the maximum number of listed messages that were not received
)

// ReplaySteps replays a case like Replay, and describes up to count of its steps in detail,
// starting at index first. The details include the actors' states and the other deliverable
// messages. If the run has many actors, ReplaySteps describes fewer steps, to limit the size of
// the result.
func ReplaySteps(r *props.Runner, c *corpus.Case, first, count int) *record.Walk {
	played := Replay(r, c)
	w := &record.Walk{Failed: int(trace.None), Actors: []string{}, Receivers: []int{}, Draws: []string{}, Logs: []string{}, Moments: []record.Moment{}, Waiting: []record.Message{}}
	for _, d := range draws(&played.Result) {
		w.Draws = append(w.Draws, visible(d))
	}
	for _, line := range played.Result.Logs {
		w.Logs = append(w.Logs, visible(line))
	}
	if f := played.Result.Failure; f != nil {
		w.Failed, w.Failure = 0, visible(f.Text)
	}
	if played.Result.System == nil {
		return w
	}
	t := played.Result.System.Trace()
	was := CaseOf(Origin{}, &played.Result)
	w.Hash = t.Hash
	first = max(0, min(first, len(t.Steps)))
	count = max(1, min(count, mostStates/len(t.Actors), len(t.Steps)-first))
	l, res, replayer := walkAlong(r, &was, first, count, strategy.ReplayOptions{})
	if w.Unsteady = firstDifference(&res, replayer, &was); w.Unsteady != "" { // the strict replay ended at the first difference
		l, res, _ = walkAlong(r, &was, first, count, strategy.ReplayOptions{Lenient: true})
	}
	if res.System != nil {
		l.fill(w, res.System.Trace(), res.Failure)
	}
	return w
}

// walkAlong replays a case, and records count steps starting at index first.
func walkAlong(r *props.Runner, c *corpus.Case, first, count int, o strategy.ReplayOptions) (*walker, props.Result, *strategy.Replayer) {
	replayer := strategy.Replay(&c.Record, o)
	l := &walker{Strategy: replayer, first: first, moments: make([]record.Moment, count)}
	for i := range l.moments {
		l.moments[i].Fixed = true
	}
	plan := planOf(c, l)
	plan.Observer, plan.Look = l, l.end
	return l, r.Run(plan), replayer
}

// A walker is a strategy that makes the decisions of the embedded strategy, and records some
// steps.
type walker struct {
	pulse.Strategy
	looker
	sys     *pulse.System // nil until a message is sent
	first   int           // the index of the first recorded step
	taken   int           // the number of steps that have ended
	moments []record.Moment

	picks  int      // the number of deliveries and early timers decided so far
	forked int      // the value of picks after the decision on the first recorded step; 0 if the strategy did not choose that step
	others []uint64 // the IDs of the other messages of that step, in the order of Moment.Others
}

// Needs returns the needs of the embedded strategy.
func (w *walker) Needs() pulse.Needs { return pulse.NeedsOf(w.Strategy) }

// at returns the record of the current or next step, nil if that step is not recorded.
func (w *walker) at() *record.Moment {
	if i := w.taken - w.first; i >= 0 && i < len(w.moments) {
		return &w.moments[i]
	}
	return nil
}

// Pick returns the decision of the embedded strategy, and records the other deliverable
// messages.
func (w *walker) Pick(e *pulse.Enabled) int {
	k := w.Strategy.Pick(e)
	w.picks++
	m := w.at()
	if m == nil || k < 0 || k >= e.Len() {
		return k
	}
	order := make([]int, 0, e.Len())
	for i := range e.Len() {
		if i != k {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(e.Seq(i), e.Seq(j)) })
	m.Fixed, m.Others, m.More = false, nil, max(0, len(order)-mostOthers)
	if e.Step() == w.first {
		w.forked, w.others = w.picks, nil
	}
	for _, i := range order[:min(len(order), mostOthers)] {
		m.Others = append(m.Others, messageOf(e.Send(i), e.Send(i).Phrase(), ""))
		if e.Step() == w.first {
			w.others = append(w.others, e.ID(i))
		}
	}
	if w.sys != nil {
		m.Before = fieldsOf(w.sys, int32(e.Receiver(k)))
	}
	return k
}

// Choose returns the answer of the embedded strategy, and records it.
func (w *walker) Choose(k choice.Kind, n int) int {
	v := w.Strategy.Choose(k, n)
	if m := w.at(); m != nil && v >= 0 && (v > 0 || k == choice.Program) {
		m.Choices = append(m.Choices, answered(k, n, v))
	}
	return v
}

// answered describes a question and its answer.
func answered(k choice.Kind, n, v int) string {
	switch k {
	case choice.Program:
		return fmt.Sprintf("Choose(%d) is %d", n, v)
	case choice.Clock:
		return "time advances while messages wait"
	case choice.Drop:
		return "a sent message is lost"
	case choice.Duplicate:
		return "a sent message is duplicated"
	case choice.Delay:
		return fmt.Sprintf("a sent message is delayed (%d of %d)", v, n-1)
	case choice.Crash:
		return "the actor crashes at a MayCrash"
	}
	return fmt.Sprintf("%s: answer %d of 0 to %d", k, v, n-1)
}

// Err returns the error of the embedded strategy.
func (w *walker) Err() error {
	if j, ok := w.Strategy.(pulse.Judge); ok {
		return j.Err()
	}
	return nil
}

// Sent records the line that sends a message.
func (w *walker) Sent(s *pulse.System, send int) {
	w.sys = s
	w.sent(s, send, props.Caller())
}

// Stepped records the receiver's state, and the other states that the step changed.
func (w *walker) Stepped(s *pulse.System, step int) {
	w.sys, w.taken = s, step
	m := w.at()
	w.states = m != nil || step == w.first-1
	w.looker.Stepped(s, step)
	if m != nil {
		m.Now = fieldsOf(s, s.Trace().Steps[step].Actor)
	}
	w.taken = step + 1
}

// end records the receiver's state after the step that failed, for which Stepped is not called.
func (w *walker) end(s *pulse.System) {
	m := w.at()
	if m != nil && w.taken < len(s.Trace().Steps) {
		m.Now = fieldsOf(s, s.Trace().Steps[w.taken].Actor)
	}
}

// fill completes a walk with data from the trace of the run.
func (w *walker) fill(to *record.Walk, t *trace.Trace, failure *pulse.Failure) {
	for i := len(w.used); i < len(t.Steps); i++ {
		w.handle(w.sys, i)
	}
	w.locate(t)
	names := t.Names()
	for _, name := range names {
		to.Actors = append(to.Actors, visible(name))
	}
	for i := range t.Steps {
		to.Receivers = append(to.Receivers, int(t.Steps[i].Actor))
	}
	to.First = w.first
	if to.Failed, to.Failure = int(trace.None), ""; failure != nil {
		to.Failed, to.Failure = failure.Step, visible(failure.Text)
		if failure.Step < 0 || failure.Step >= len(t.Steps) {
			to.Failed = len(t.Steps)
		}
	}
	for i := w.first; i < min(w.first+len(w.moments), len(t.Steps)); i++ {
		m := w.moments[i-w.first]
		w.step(&m, t, i, names)
		m.Failed = i == to.Failed
		to.Moments = append(to.Moments, m)
	}
	for i := range t.Sends {
		switch d := &t.Sends[i]; {
		case d.Fate == trace.Delivered || d.Kind.IsTimer() || d.Kind == trace.Poll:
		case len(to.Waiting) < mostLeft:
			to.Waiting = append(to.Waiting, messageOf(d, d.Phrase(), at(w.Seen.Sent, int32(i))))
		default:
			to.More++
		}
	}
}

// step completes the record of step i with data from the trace.
func (w *walker) step(m *record.Moment, t *trace.Trace, i int, names trace.Names) {
	st := &t.Steps[i]
	m.Step = record.Step{Number: i, Kind: st.Kind.String(), Log: []string{}, After: []string{},
		Message: record.Message{From: int(trace.None), To: int(st.Actor), SentIn: int(trace.None)}}
	if st.Kind == trace.Receive {
		d := &t.Sends[st.Send]
		m.Message, m.Handler = messageOf(d, d.Phrase(), at(w.Seen.Sent, st.Send)), at(w.Handlers, st.Send)
		m.Handled = at(w.Handled, st.Send)
	} else {
		m.Label = visible(t.StepLabel(i))
	}
	if st.Time != 0 {
		m.Time = time.Duration(st.Time).String()
	}
	for _, n := range t.Notes {
		if int(n.Step) == i {
			m.Log = append(m.Log, visible(n.Text))
		}
	}
	for k := range t.Strikes {
		if x := &t.Strikes[k]; int(x.Step) == i || x.Step == trace.None && int(x.After) == i {
			m.Faults = append(m.Faults, visible(t.StrikeLabel(x)))
		}
	}
	for k, whose := range w.whoseAt(i) {
		if whose != st.Actor && i > 0 { // the states of other actors before the first step are unknown
			m.After = append(m.After, visible(names.Of(whose)+" now: "+w.steps[i][k]))
		}
	}
}
