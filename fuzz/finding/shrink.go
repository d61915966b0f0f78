package finding

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
	"github.com/jostle-go/jostle/shrink"
)

// A Shrunk is the result of shrinking a finding.
type Shrunk struct {
	// Finding is the smallest run, confirmed; nil if the finding stays as it is. Then the
	// Shrunk field of that finding says why, unless its Differs does. The run is legal for
	// its options: see package legal.
	Finding *Finding
	// Others are the first runs of other failures met while shrinking, confirmed.
	Others []*Finding
	shrink.Result
	// From is how many steps the original run had. Smaller reports whether the smallest
	// run is a smaller case than the original.
	From    int
	Smaller bool
	// Cut reports that the context ended before all was known.
	Cut bool
	// Why says in which orders of the shrunk program it fails.
	Why Explanation
}

// Shrink makes a finding smaller. The result follows from the property, the finding and the
// bound on runs. Progress reports all runs, including those that determine why the smallest
// one fails.
func Shrink(ctx context.Context, r *props.Runner, f *Finding, o shrink.Options) Shrunk {
	s := &shrinking{runner: r, origin: Origin{Property: f.Case.Property, Test: f.Case.Test,
		Strategy: f.Case.Strategy, Seed: f.Case.Seed}, early: f.Case.EarlyTimers}
	out, start := Shrunk{From: f.Steps()}, time.Now()
	if f.Replays < Tried {
		return out
	}
	first, why := s.first(f)
	ctx, cancel := leaving(ctx, afterwards*time.Since(start))
	defer cancel()
	if why != "" {
		f.Shrunk = keptAs(f, why)
		return out
	}
	if o.Progress != nil {
		s.far = &far{tell: o.Progress, at: shrink.Progress{From: out.From, Steps: out.From}}
		o.Progress = func(p shrink.Progress) { s.far.at.Steps = p.Steps }
	}
	out.Result = shrink.Shrink(ctx, s, first, o)
	s.unbind(&out.Best.Case)
	out.Why = s.explain(ctx, &out.Best.Case, out.Best.Signature, explained)
	if out.Finding, why = s.finding(out.Best.Case); why != "" {
		f.Shrunk = keptAs(f, fmt.Sprintf("the smallest run, of %s, %s", words.Count(out.Best.Steps, "step"), why))
		return out
	}
	out.Finding.Explain(out.inWords(time.Since(start)), s.cause(ctx, &out))
	out.Finding.Look(r) // its diagram shows why
	out.Finding.Case.Condition = out.Why.Text()
	out.Cut, out.Smaller = ctx.Err() != nil, out.smaller(first)
	for i := range out.Result.Others {
		if other, why := s.finding(out.Result.Others[i].Case); why == "" {
			out.Others = append(out.Others, other)
		}
	}
	return out
}

// afterwards is how many times the duration of the first runs it takes to confirm, save and
// report the smallest run, all after the time is over.
const afterwards = 4

// leaving returns a context that ends earlier than another by some time, but by at most half
// of the remaining time.
func leaving(ctx context.Context, some time.Duration) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(some, max(0, time.Until(end)/2))))
}

// unbind removes the constraints on messages that the run of a case does not send. They
// remain if shrinking ended early, and do not affect the run.
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

// keptAs says why a finding stays as it was found.
func keptAs(f *Finding, why string) string {
	return fmt.Sprintf("%s, not shrunk: %s", words.Count(f.Steps(), "step"), why)
}

// smaller reports whether the smallest run is smaller than the first. Constraints are not
// saved, so they do not count.
func (s *Shrunk) smaller(first shrink.Outcome) bool {
	best := s.Best
	best.Case.Schedule.Before, first.Case.Schedule.Before = nil, nil
	return best.Compare(&first) < 0
}

// inWords describes the result of shrinking, "" if there was nothing to shrink.
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

// explained is how many runs an explanation may take.
const explained = 2000

// shrinking adapts a property to package shrink.
type shrinking struct {
	runner *props.Runner
	origin Origin
	early  int // timers that may fire early
	far    *far
	saved  string // the lasting signature of the saved case that is looked for; "" if none is

	schedule choice.Schedule
	walker   value.Walker
	named    shrink.Case // the near run whose names are known
	names    *twoNames
	latest   latest
}

// A far reports the progress of shrinking; nil reports nothing.
type far struct {
	tell func(shrink.Progress)
	at   shrink.Progress
}

// play makes a run, and forgets the previous one.
func (s *shrinking) play(plan props.Plan) props.Result {
	s.latest = latest{}
	if s.far != nil {
		s.far.at.Runs++
		s.far.tell(s.far.at)
	}
	return s.runner.Run(plan)
}

// first replays a finding's run as a case, or says why that is impossible.
func (s *shrinking) first(f *Finding) (out shrink.Outcome, why string) {
	res := s.play(props.Plan{Inputs: f.Case.Inputs, EarlyTimers: s.early,
		Strategy: strategy.Replay(&f.Case.Record, strategy.ReplayOptions{})})
	switch {
	case res.Failure == nil:
		return out, "it does not repeat: replayed, it does not fail"
	case res.Failure.Signature() != f.Failure.Signature():
		return out, "it does not repeat: replayed, it fails with: " + firstLine(res.Failure.Text)
	case res.System == nil:
		return out, "it makes no system, and so has no order"
	}
	c, whole := caseOf(&res), sequence(res.System)
	out = s.Run(c)
	if out.Signature != f.Failure.Signature() { // the order of timers that are due at one time matters
		c.Schedule.Before = whole
		out = s.Run(c)
	}
	if out.Signature != f.Failure.Signature() {
		return out, "no order of its messages reproduces it"
	}
	return out, ""
}

// finding replays a case, checks that the run is legal, and confirms it. If the run is
// refused, wrong says why.
func (s *shrinking) finding(c shrink.Case) (f *Finding, wrong string) {
	res := s.run(c)
	if res.Failure == nil {
		return nil, "does not repeat: replayed, it does not fail"
	}
	if sys := res.System; sys != nil {
		if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
			return nil, "is not a legal run: " + firstLine(err.Error())
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

// padding is how many zeros follow the numbers of a draw, so that a draw that reads more
// numbers than before reads small ones.
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

// unpad removes the padding that a run has not read from its inputs.
func unpad(res *props.Result, list []choice.Input) {
	for i := range min(len(res.Inputs), len(list)) {
		if in := &res.Inputs[i]; in.Label == list[i].Label && len(list[i].Words) > 0 {
			in.Words = in.Words[:min(len(in.Words), max(len(list[i].Words), res.Reads[i]))]
		}
	}
}

// Run runs a case. The constraints of the outcome are those of the case.
func (s *shrinking) Run(c shrink.Case) shrink.Outcome {
	c = c.Clone()
	res := s.run(c)
	out := s.outcomeOf(&res)
	out.Case.Schedule.Before = c.Schedule.Before
	return out
}

// Parts runs a case and returns the parts of its draws.
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
	out := shrink.Outcome{Case: caseOf(res), Drawn: s.valuesOf(res), Void: res.System == nil && res.Failure == nil}
	if res.Failure != nil {
		out.Signature = s.signature(res.Failure)
	}
	if res.System == nil {
		return out
	}
	t := res.System.Trace()
	out.Steps = len(t.Steps)
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			out.Taken = append(out.Taken, st.ID)
		}
	}
	for i := range t.Sends {
		if t.Sends[i].From == trace.Test && t.Sends[i].Step == trace.None && t.Sends[i].Kind == trace.Message {
			out.External++
		}
	}
	return out
}

// signature returns the signature of a failure. If it matches the saved case, that is the
// case's signature, although the program's lines may have changed.
func (s *shrinking) signature(f *pulse.Failure) string {
	if s.saved != "" && f.Matches(s.saved) {
		return s.saved
	}
	return f.Signature()
}

// caseOf returns the case that reproduces a run.
func caseOf(res *props.Result) shrink.Case {
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

// overtakings returns the constraints that turn plain order into the order of a run: a
// message that was pending while younger ones were received waits for the last of these.
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

// sequence returns the constraints that turn any order into that of a run: each step waits
// for the previous one, and messages that were not received wait for the last.
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

// waited returns the step before which a message was still pending: its receipt, the step
// after its receiver's end, or the end of the run. A dropped message counts as pending until
// the end, because a crash may have emptied the mailbox in which it waited. It is 0 for
// timers, which plain order does not order.
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

// Search looks for orders in which draws fail: the order of the near run, as far as its steps
// are known by name; plain order; then every order, if they are few; and random ones.
func (s *shrinking) Search(inputs []choice.Input, signature string, near *shrink.Outcome, runs int, other func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	h := &hunt{shrinking: s, inputs: inputs, signature: signature, near: near, other: other, left: runs}
	if h.elsewhere() {
		h.everywhere(h.left / 2)
		h.random(usualHunted)
	} else {
		h.byName()
		h.everywhere(min(h.left/2, mostOrders))
		h.atRandom()
	}
	slices.SortStableFunc(h.found, func(a, b shrink.Outcome) int { return a.Compare(&b) })
	return h.found[:min(len(h.found), mostFound)], runs - h.left, h.all
}

const (
	mostFound   = 8   // runs that Search returns
	mostOrders  = 150 // orders of other draws that are enumerated before random ones
	usualHunted = 16  // failing runs, of which the smallest are returned
)

// A hunt is one Search.
type hunt struct {
	*shrinking
	inputs    []choice.Input
	signature string
	near      *shrink.Outcome
	other     func(shrink.Outcome)
	left      int // runs
	found     []shrink.Outcome
	all       bool // every order was run
}

// elsewhere reports whether the draws are those of the near run, so that the search is for
// another of its orders.
func (h *hunt) elsewhere() bool {
	return sameInputs(h.inputs, h.near.Case.Inputs)
}

// over reports whether enough was found, or the runs are used up.
func (h *hunt) over() bool { return h.left <= 0 || h.all || len(h.found) >= usualHunted }

// try runs the draws by a schedule. The outcome has its constraints.
func (h *hunt) try(by choice.Schedule) shrink.Outcome {
	h.left--
	out := h.Run(shrink.Case{Inputs: h.inputs, Schedule: by})
	h.offer(out)
	return out
}

// offer keeps a run with the wanted failure that is no longer than the near one.
func (h *hunt) offer(out shrink.Outcome) {
	switch {
	case out.Signature != h.signature:
		h.other(out)
	case cmp.Or(cmp.Compare(out.External, h.near.External), cmp.Compare(out.Steps, h.near.Steps)) <= 0:
		out.Case = out.Case.Clone()
		h.found = append(h.found, out)
	}
}

// check replays a failing run by its schedule, and offers it.
func (h *hunt) check(c shrink.Case) {
	if h.left > 0 {
		h.left--
		h.offer(h.Run(c))
	}
}

// valuesOf returns a text for the values of a run's draws, "" if one of them cannot be read.
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

// byName tries the order of the near run in the program with the other draws. Its steps have
// other identities there, but similar names.
func (h *hunt) byName() {
	if h.left < 2 || len(h.near.Case.Schedule.Before) == 0 {
		return
	}
	is := h.latest // usually the run of these draws
	if !is.known || !sameInputs(is.inputs, h.inputs) {
		h.left--
		res := h.run(shrink.Case{Inputs: h.inputs, Schedule: choice.Schedule{Choices: h.near.Case.Schedule.Choices}})
		out := h.outcomeOf(&res)
		out.Case.Schedule.Before = nil
		h.offer(out)
		is = h.latest
	}
	names := is.names()
	was, known := h.namesOfNear()
	if !known || names == nil {
		return
	}
	var tried []choice.Constraint
	for i := range was {
		list := renamed(h.near.Case.Schedule.Before, was[i], names[i])
		if len(list) > 0 && !h.over() && !slices.Equal(list, tried) {
			tried = list
			h.try(choice.Schedule{Before: list, Choices: h.near.Case.Schedule.Choices})
		}
	}
}

// A latest is the last run, if a case made it. Its system is valid until the next run.
type latest struct {
	known  bool
	inputs []choice.Input
	system *pulse.System
}

// isLong reports whether the run has too many steps to explore its orders.
func (l *latest) isLong() bool { return l.system != nil && l.system.Steps() > mostExplored }

// names returns the names of the run's steps, nil if it had no system.
func (l *latest) names() *twoNames {
	if l.system == nil {
		return nil
	}
	return &twoNames{namesOf(l.system, l.system.Trace().Names()), namesOf(l.system, labelsOf(l.system))}
}

// twoNames holds the names of a run's steps, with and without the numbers of actors.
type twoNames [2]map[uint64]stepName

func sameInputs(a, b []choice.Input) bool {
	return slices.EqualFunc(a, b, func(a, b choice.Input) bool { return slices.Equal(a.Words, b.Words) })
}

// namesOfNear returns the names of the near run's steps. Many searches share a near run.
func (h *hunt) namesOfNear() (*twoNames, bool) {
	c := &h.near.Case
	same := slices.Equal(h.named.Schedule.Before, c.Schedule.Before) && slices.Equal(h.named.Schedule.Choices, c.Schedule.Choices) && sameInputs(h.named.Inputs, c.Inputs)
	if !same {
		h.left--
		h.run(*c)
		h.named, h.names = c.Clone(), h.latest.names()
	}
	return h.names, h.names != nil
}

// renamed translates constraints to the steps with the same names in another run, and drops
// those without such steps.
func renamed(list []choice.Constraint, was, is map[uint64]stepName) (out []choice.Constraint) {
	byName := map[stepName]uint64{}
	for id, name := range is {
		byName[name] = id
	}
	for _, c := range list {
		first, ok := byName[was[c.First]]
		second, also := byName[was[c.Second]]
		if ok && also {
			out = append(out, choice.Constraint{First: first, Second: second})
		}
	}
	return out
}

// everywhere runs all orders of a program, if there are at most `most`.
func (h *hunt) everywhere(most int) {
	if h.over() || most <= 0 || h.latest.isLong() { // Explore takes zero as no bound
		return
	}
	w := &orderer{hunt: h}
	result, err := explore.Explore(explore.Options{KeepOn: true, Runs: most}, w)
	h.left = max(0, h.left-w.made)
	for _, c := range w.cases {
		h.check(c)
	}
	h.all = err == nil && result.Complete && !w.doubts
}

// An orderer explores the orders of a hunt's draws.
type orderer struct {
	*hunt
	last   props.Result
	made   int
	cases  []shrink.Case
	doubts bool // some order that makes a difference may have been left out
}

// Run runs the property once.
func (w *orderer) Run(s pulse.Strategy) explore.Run {
	w.made++
	w.last = w.play(props.Plan{Inputs: w.inputs, Strategy: s, EarlyTimers: w.early})
	w.doubts = w.doubts || w.last.Watches || w.last.Unproven()
	return explore.Run{System: w.last.System, Failure: w.last.Failure, Watched: true}
}

// Done keeps runs with the wanted failure.
func (w *orderer) Done(run explore.Run) {
	if run.Failure == nil {
		return
	}
	switch out := w.outcomeOf(&w.last); {
	case out.Signature != w.signature:
		w.other(out)
	case len(w.cases) < usualHunted:
		w.cases = append(w.cases, out.Case)
	}
}

// Again forgets nothing: failures found so far remain valid.
func (w *orderer) Again() {}

// atRandom runs random orders until some fail.
func (h *hunt) atRandom() { h.random(usualHunted / 4) }

// random runs random orders until the wanted number fail.
func (h *hunt) random(wanted int) {
	arms := []pulse.Strategy{strategy.Random(), strategy.POS(), strategy.URW(strategy.URWOptions{})}
	seed := uint64(1)
	for ; !h.over() && len(h.found) < wanted; seed++ {
		h.left--
		res := h.play(props.Plan{Inputs: h.inputs, EarlyTimers: h.early, Strategy: arms[seed%uint64(len(arms))],
			StrategySeed: hash.Mix(seed)})
		if out := h.outcomeOf(&res); out.Signature == h.signature {
			h.check(out.Case)
		} else {
			h.other(out)
		}
	}
}

// labelsOf returns the names of a run's actors without their numbers.
func labelsOf(sys *pulse.System) trace.Names {
	t := sys.Trace()
	names := make(trace.Names, len(t.Actors))
	for i := range t.Actors {
		names[i] = t.Actors[i].Label
	}
	return names
}
