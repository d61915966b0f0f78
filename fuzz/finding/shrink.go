package finding

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
	"github.com/jostle-go/jostle/shrink"
)

// A Shrunk is the result of shrinking a finding.
type Shrunk struct {
	// Finding is the smallest run, confirmed and legal for its options (see package legal). It
	// is nil if the original finding was not replaced. In that case Shrunk or Differs of the
	// original finding says why.
	Finding *Finding
	// Others has one confirmed finding for each other failure met while shrinking.
	Others []*Finding
	shrink.Result
	// From is the number of steps of the original run.
	From int
	// Smaller reports whether the smallest run is smaller than the original run.
	Smaller bool
	// Cut is set if the context ended before shrinking and explaining were complete.
	Cut bool
	// why says in which orders the smallest run's draws fail.
	why explanation
}

// Shrink makes a finding smaller and explains it. If ctx does not end it, the result depends
// only on the property, the finding and o.Runs. o.Progress is called for all runs, including
// those for the explanation.
func Shrink(ctx context.Context, r *props.Runner, f *Finding, o shrink.Options) Shrunk {
	s := &shrinking{runner: r, origin: Origin{Property: f.Case.Property, Test: f.Case.Test,
		Strategy: f.Case.Strategy, Seed: f.Case.Seed}, early: f.Case.EarlyTimers}
	out, start := Shrunk{From: f.Steps()}, time.Now()
	if f.Replays < Tried {
		return out
	}
	first, why := s.first(f)
	whole := ctx
	ctx, cancel := leaving(ctx, max(leastLeft, afterwards*time.Since(start)))
	defer cancel()
	if why != "" {
		f.Shrunk = keptAs(f, why)
		return out
	}
	if o.Progress != nil {
		s.far = &far{tell: o.Progress, at: shrink.Progress{From: out.From, Steps: out.From}}
		o.Progress = func(p shrink.Progress) { s.far.at.Steps = p.Steps }
	}
	part, over := within(ctx, 3, 4) // the last quarter of the time is for the explanation
	out.Result = shrink.Shrink(part, s, first, o)
	over()
	s.unbind(&out.Best.Case)
	out.why = s.explain(ctx, &out.Best.Case, out.Best.Signature, explained)
	if out.Finding, why = s.finding(out.Best.Case); why != "" {
		f.Shrunk = keptAs(f, fmt.Sprintf("the smallest run, of %s, %s", words.Count(out.Best.Steps, "step"), why))
		return out
	}
	out.Finding.Explain(out.inWords(time.Since(start)), s.cause(ctx, &out))
	out.Finding.Look(r) // Look comes after Explain, because the diagram shows the explanation
	out.Finding.Case.Condition = out.why.condition()
	out.Cut, out.Smaller = ctx.Err() != nil, out.smaller(first)
	for i := 0; i < len(out.Result.Others) && whole.Err() == nil; i++ {
		if other, why := s.finding(out.Result.Others[i].Case); why == "" {
			out.Others = append(out.Others, other)
		}
	}
	return out
}

// The time that Shrink reserves to confirm, save and report the smallest run is afterwards times as
// long as its first two runs took, but at least leastLeft.
const (
	afterwards = 4
	leastLeft  = 50 * time.Millisecond
)

// leaving returns a context for shrinking and explaining. It ends earlier than ctx by the given
// time, but by at most half of the remaining time.
func leaving(ctx context.Context, some time.Duration) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(some, max(0, time.Until(end)/2))))
}

// within returns a context for a part of shrinking or explaining. It ends after the fraction n/of
// of the remaining time of ctx.
func within(ctx context.Context, n, of int) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)*time.Duration(n)/time.Duration(of))
}

// unbind removes each constraint whose second message is not sent by the run of the case. Such
// a constraint does not affect the run. These constraints remain if shrinking ends early.
func (s *shrinking) unbind(c *shrink.Case) {
	if len(c.Schedule.Before) == 0 {
		return
	}
	res := s.run(*c)
	if res.System == nil {
		return
	}
	sent, t := map[uint64]bool{}, res.System.Trace()
	for i := range t.Sends {
		sent[res.System.Host().StepID(&t.Sends[i])] = true
	}
	c.Schedule.Before = slices.DeleteFunc(c.Schedule.Before, func(b choice.Constraint) bool { return !sent[b.Second] })
}

// keptAs returns the text for Finding.Shrunk that says why a finding was not shrunk.
func keptAs(f *Finding, why string) string {
	return fmt.Sprintf("%s, not shrunk: %s", words.Count(f.Steps(), "step"), why)
}

// smaller reports whether the smallest run is smaller than the run before shrinking.
// Constraints do not count, because they are not saved.
func (s *Shrunk) smaller(first shrink.Outcome) bool {
	best := s.Best
	best.Case.Schedule.Before, first.Case.Schedule.Before = nil, nil
	return best.Compare(&first) < 0
}

// inWords describes the result of shrinking. It returns "" if nothing could be made smaller.
func (s *Shrunk) inWords(took time.Duration) string {
	text := fmt.Sprintf("%s, shrunk in %s", words.Count(s.Best.Steps, "step"), words.Elapsed(took))
	switch {
	case s.Taken == 0 && s.Done:
		return ""
	case s.Best.Steps < s.From:
		text = fmt.Sprintf("shrunk from %s to %d in %s", words.Count(s.From, "step"), s.Best.Steps, words.Elapsed(took))
	}
	if !s.Done {
		text += ", not fully"
	}
	return text
}

// explained is the maximum number of runs of an exploration for an explanation.
const explained = 2000

// A shrinking runs a property for package shrink: it is a shrink.Subject.
type shrinking struct {
	runner *props.Runner
	origin Origin
	early  int    // the number of timers that may fire early
	far    *far   // reports the progress; may be nil
	saved  string // the signature of the saved case to repair; "" if there is none

	schedule choice.Schedule
	walker   value.Walker
	named    shrink.Case // the run to which the field names belongs
	names    *twoNames
	latest   latest
	noted    orderOf // the order of the run hunt.near; see hunt.noteNear
}

// A far reports the progress of shrinking by calling tell.
type far struct {
	tell func(shrink.Progress)
	at   shrink.Progress
}

// play makes a run and reports the progress. It resets s.latest.
func (s *shrinking) play(plan props.Plan) props.Result {
	s.latest = latest{}
	if s.far != nil {
		s.far.at.Runs++
		s.far.tell(s.far.at)
	}
	return s.runner.Run(plan)
}

// first replays the run of a finding in the form of package shrink. If that is impossible, why
// gives the reason.
func (s *shrinking) first(f *Finding) (out shrink.Outcome, why string) {
	res := s.play(props.Plan{Inputs: f.Case.Inputs, EarlyTimers: s.early,
		Strategy: strategy.Replay(&f.Case.Record, strategy.ReplayOptions{})})
	switch {
	case res.Failure == nil:
		f.Differs = "replayed again, it does not fail"
	case res.Failure.Signature() != f.Failure.Signature():
		f.Differs = "replayed again, it fails with: " + firstLine(res.Failure.Text)
	case res.System == nil:
		return out, "it makes no system, and so has no order"
	}
	if f.Differs != "" {
		f.Case.Doubtful, f.Case.Comment = true, f.comment()
		return out, "it does not repeat: " + f.Differs
	}
	c, whole := shrinkCase(&res), sequence(res.System)
	out = s.Run(c)
	if out.Signature != f.Failure.Signature() { // the other failure may come from another order of timers that are due at the same time
		c.Schedule.Before = whole
		out = s.Run(c)
	}
	if out.Signature != f.Failure.Signature() {
		return out, "no order of its messages reproduces it"
	}
	return out, ""
}

// finding runs a case, checks that the run is legal, and returns it as a confirmed finding. If
// the run passes, is not legal or is not confirmed, f is nil and wrong gives the reason.
func (s *shrinking) finding(c shrink.Case) (f *Finding, wrong string) {
	res := s.run(c)
	if res.Failure == nil {
		return nil, "does not repeat: replayed, it does not fail"
	}
	if sys := res.System; sys != nil {
		if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
			return nil, "breaks the rules of package pulse: " + firstLine(err.Error())
		}
	}
	f = From(s.origin, &res)
	if f.Confirm(s.runner); f.Replays < Tried {
		return nil, "does not repeat: " + firstLine(f.Differs)
	}
	return f, ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(trace.Visible(text), "\n")
	return line
}

func (s *shrinking) run(c shrink.Case) props.Result {
	s.schedule = c.Schedule
	res := s.play(props.Plan{Inputs: padded(c.Inputs), EarlyTimers: s.early, Strategy: strategy.Ordered(&s.schedule)})
	unpad(&res, c.Inputs)
	s.latest = latest{true, res.Inputs, res.System}
	return res
}

// padding is the number of zeros appended to the numbers of a draw. If the draw now reads more
// numbers than before, it reads these zeros, which give small values.
const padding = 32

func padded(list []choice.Input) []choice.Input {
	list = slices.Clone(list)
	for i := range list {
		if in := &list[i]; len(in.Words) > 0 {
			in.Words = append(slices.Clip(in.Words), make([]uint64, padding)...)
		}
	}
	return list
}

// unpad removes the padding that a run has not read from the inputs in its result. list has the
// same inputs without padding.
func unpad(res *props.Result, list []choice.Input) {
	for i := range min(len(res.Inputs), len(list)) {
		if in := &res.Inputs[i]; in.Label == list[i].Label && len(list[i].Words) > 0 {
			in.Words = in.Words[:min(len(in.Words), max(len(list[i].Words), res.Reads[i]))]
		}
	}
}

// Run runs a case. The outcome has the constraints of the given case, not the constraints that
// the run would need.
func (s *shrinking) Run(c shrink.Case) shrink.Outcome {
	c = c.Clone()
	res := s.run(c)
	out := s.outcomeOf(&res)
	out.Case.Schedule.Before = c.Schedule.Before
	return out
}

// Parts runs a case and returns the parts of its draws: the ranges of numbers that single
// generators read.
func (s *shrinking) Parts(c shrink.Case) (list []shrink.Part) {
	s.schedule = c.Schedule
	res := s.play(props.Plan{Inputs: padded(c.Inputs), EarlyTimers: s.early, Strategy: strategy.Ordered(&s.schedule), Parts: true})
	for _, p := range res.Parts {
		list = append(list, shrink.Part(p))
	}
	return list
}

// outcomeOf returns the outcome of a run, with the constraints that reproduce it.
func (s *shrinking) outcomeOf(res *props.Result) shrink.Outcome {
	out := shrink.Outcome{Case: shrinkCase(res), Drawn: s.valuesOf(res), Void: res.System == nil && res.Failure == nil}
	if res.Failure != nil {
		out.Signature = s.signature(res.Failure)
	}
	if res.System == nil {
		return out
	}
	t := res.System.Trace()
	out.Steps = len(t.Steps)
	out.Preemptions, _ = t.Preemptions()
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			out.Taken, out.Receivers = append(out.Taken, st.ID), append(out.Receivers, st.Actor)
		}
	}
	for i := range t.Sends {
		if t.Sends[i].From == trace.Test && t.Sends[i].Step == trace.None && t.Sends[i].Kind == trace.Message {
			out.External++
		}
	}
	return out
}

// signature returns the signature of a failure. If the failure is that of the saved case, it
// returns the saved signature, which has no line of code.
func (s *shrinking) signature(f *pulse.Failure) string {
	if s.saved != "" && f.Matches(s.saved) {
		return s.saved
	}
	return f.Signature()
}

// shrinkCase returns the case of package shrink that reproduces a run.
func shrinkCase(res *props.Result) shrink.Case {
	c := shrink.Case{Inputs: choice.CloneInputs(res.Inputs)}
	for i := range c.Inputs {
		if n := res.Reads[i]; n > 0 {
			in := &c.Inputs[i]
			list := make([]uint64, n)
			for k := range list {
				list[k] = in.Word(k)
			}
			in.Words = list
		}
	}
	if res.System != nil {
		c.Schedule.Choices = append(c.Schedule.Choices, res.System.Record().Choices...)
		c.Schedule.Before = overtakings(res.System)
	}
	return c
}

// overtakings returns the constraints that turn plain order into the order of a run. A message
// that was pending while messages were received that come later in plain order must wait for the
// last of those.
func overtakings(sys *pulse.System) (list []choice.Constraint) {
	t, host := sys.Trace(), sys.Host()
	for i := range t.Sends {
		d := &t.Sends[i]
		for k := waited(t, d) - 1; k > d.Step; k-- {
			st := &t.Steps[k]
			if st.Kind == trace.Receive && !st.Settled && t.Sends[st.Send].Seq > d.Seq {
				list = append(list, choice.Constraint{First: st.ID, Second: host.StepID(d)})
				break
			}
		}
	}
	return list
}

// sequence returns constraints that completely determine the order of a run. Each received
// message waits for the previous one, and messages that were not received wait for the last
// received one.
func sequence(sys *pulse.System) (list []choice.Constraint) {
	t, last := sys.Trace(), uint64(0)
	after := func(id uint64) {
		if last != 0 {
			list = append(list, choice.Constraint{First: last, Second: id})
		}
	}
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			after(st.ID)
			last = st.ID
		}
	}
	for i := range t.Sends {
		if d := &t.Sends[i]; d.Receipt < 0 {
			after(sys.Host().StepID(d))
		}
	}
	return list
}

// waited returns the index of the step before which a message was still pending: the step that
// received it, the step after its receiver's end, or the number of steps if it was pending at
// the end of the run. A dropped message counts as pending until then, because it may have
// waited in a mailbox that a crash emptied. The result is 0 for timers, which are not ordered
// by age.
func waited(t *trace.Trace, d *trace.Send) int32 {
	switch ended := t.Actors[d.To].Ended; {
	case d.Kind.IsTimer():
		return 0
	case d.Receipt >= 0:
		return d.Receipt
	case d.Fate == trace.Orphaned && ended >= 0:
		return ended + 1
	}
	return int32(len(t.Steps))
}

// valuesOf returns a text that identifies the values of a run's draws. It returns "" if one of
// the values cannot be read.
func (s *shrinking) valuesOf(res *props.Result) string {
	var b []byte
	for i, in := range res.Inputs {
		sum, ok := s.walker.Contents(res.Values[i])
		if !ok {
			return ""
		}
		b = append(append(b, in.Label...), 0)
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return string(b)
}

func sameInputs(a, b []choice.Input) bool {
	return slices.EqualFunc(a, b, func(a, b choice.Input) bool { return slices.Equal(a.Words, b.Words) })
}

// A latest describes the last run if shrinking.run made it; otherwise it is zero. The system is
// valid until the next run.
type latest struct {
	known  bool
	inputs []choice.Input
	system *pulse.System
}

// names returns the names of the run's steps, nil if it had no system.
func (l *latest) names() *twoNames {
	if l.system == nil {
		return nil
	}
	return &twoNames{namesOf(l.system, l.system.Trace().Names()), namesOf(l.system, labelsOf(l.system))}
}
