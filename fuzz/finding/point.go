package finding

import (
	"context"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

const (
	continuing    = 200_000 // the number of steps, in all continuations together, after which no more are made
	mostPoints    = 40      // the maximum number of states that are sampled at a time
	fewestPoints  = 8       // the least value of continuer.points
	fewContinued  = 50      // the number of continuations from a state of little interest
	tooFew        = 10      // with fewer continuations from a state, no share is reported for the state
	asMuch        = 10      // two rises that differ by less count as equal
	leastRise     = 20      // a step can be the deciding one only if the share of failing continuations rises by at least this many percentage points
	mostOtherwise = 8       // the maximum number of other steps that are tried in place of the deciding one
	mostSpared    = 6       // the maximum number of nonzero answers whose replacement by zero is tried
)

// A taken is one decision of a run.
type taken struct {
	choice.Choice        // the answer, if the field asked is set
	asked         bool   // set for an answer, not set for a delivery
	id            uint64 // the delivered message, or choice.Hold
	about         uint64 // if the field asked is set: a number for the question, see namer.question
	step          int    // for a delivery: the number of steps before it; for an answer: the step with the fault or the question
	sent          int    // the index of the message that was sent last; -1 if there is none
}

// isMoment reports whether a decision is one that random continuations make differently.
func (d *taken) isMoment() bool { return !d.asked || d.Kind == choice.Clock && d.Value > 0 }

// isEarly reports whether a decision fires a timer early.
func (d *taken) isEarly() bool {
	return !d.asked && d.id == choice.Hold || d.asked && d.Kind == choice.Clock && d.Value > 0
}

// isGiven reports whether a decision is a nonzero answer that continuations repeat.
func (d *taken) isGiven() bool {
	return d.asked && d.Value != 0 && d.Kind != choice.Clock && d.Kind != choice.Swarm
}

// text describes a nonzero answer of a run.
func (d *taken) text(t *trace.Trace) string {
	switch d.Kind {
	case choice.Drop:
		return "the loss of " + d.message(t)
	case choice.Duplicate:
		return "the copy of " + d.message(t)
	case choice.Delay:
		return "the delay of " + d.message(t)
	case choice.Fault:
		if d.step < len(t.Steps) && t.Steps[d.step].Kind != trace.Receive {
			return t.StepLabel(d.step)
		}
		return "a fault"
	case choice.Crash:
		return "the crash within the step"
	case choice.Loss:
		return "the loss of writes"
	}
	return fmt.Sprintf("the answer %d of Choose(%d)", d.Value, d.N)
}

// message describes the message that a question is about.
func (d *taken) message(t *trace.Trace) string {
	if d.sent < 0 || d.sent >= len(t.Sends) {
		return "a message"
	}
	m := &t.Sends[d.sent]
	return m.Label() + " to " + t.Names().Of(m.To)
}

// earlyTimer describes the timer that fired early before a step.
func earlyTimer(t *trace.Trace, step int) string {
	for i := step; i < len(t.Steps); i++ {
		if st := &t.Steps[i]; st.Kind == trace.Receive && t.Sends[st.Send].Kind.IsTimer() {
			return t.Sends[st.Send].Label() + " at " + t.Names().Of(st.Actor) + " fires early"
		}
	}
	return "a timer fires early"
}

// A taped is a strategy that follows another one and stores all of its decisions.
type taped struct {
	namer
	by   pulse.Strategy
	tape []taken
}

// Begin forgets the previous run.
func (s *taped) Begin(seed uint64) {
	s.begin()
	s.by.Begin(seed)
	s.tape = nil
}

// Pick makes the decision of the other strategy and stores it.
func (s *taped) Pick(e *pulse.Enabled) int {
	s.enabled = e
	s.catchUp()
	i, id := s.by.Pick(e), choice.Hold
	if i >= 0 {
		id, s.step = e.ID(i), s.message(i)
	}
	s.tape = append(s.tape, taken{id: id, step: e.Step()})
	return i
}

// Choose gives the answer of the other strategy and stores it.
func (s *taped) Choose(k choice.Kind, n int) int {
	v, step, sent := s.by.Choose(k, n), 0, -1
	if s.enabled != nil {
		step, sent = len(s.enabled.Trace().Steps), len(s.enabled.Trace().Sends)-1
	}
	if step > 0 && k != choice.Fault && k != choice.Clock { // questions other than faults and clock ticks are asked within the last step
		step--
	}
	s.tape = append(s.tape, taken{asked: true, about: s.question(k), step: step, sent: sent, Choice: choice.Choice{Kind: k, N: uint32(n), Value: uint32(max(0, v))}})
	return v
}

// A continued is a strategy that repeats the first decisions of a tape and continues at random.
type continued struct {
	namer
	tape    []taken
	answers map[uint64]int // the nonzero answers of the tape, by question, except those about early timers
	early   int            // the number of timers that the run of the tape fired early

	first   int    // the number of decisions that are repeated
	instead *taken // the decision after the repeated ones; nil to make it at random
	seed    uint64

	at      int      // the number of decisions made so far
	fired   int      // the number of timers fired early so far
	lost    bool     // set if a decision could not be repeated
	waiting []uint64 // the IDs of the messages that were deliverable after the repeated decisions
	to      []int    // the receivers of the messages in the field waiting
}

// continuedFrom returns a strategy that repeats decisions of a tape. The caller sets how many.
func continuedFrom(tape []taken) continued {
	s := continued{tape: tape, answers: map[uint64]int{}}
	for i := range tape {
		d := &tape[i]
		if d.isEarly() {
			s.early++
		} else if d.isGiven() {
			s.answers[d.about] = int(d.Value)
		}
	}
	return s
}

// Begin forgets the previous run.
func (s *continued) Begin(uint64) {
	s.begin()
	s.at, s.fired, s.lost, s.waiting, s.to = 0, 0, false, s.waiting[:0], s.to[:0]
}

// next returns the next decision to repeat, nil if the decision is made at random.
func (s *continued) next(asked bool) (d *taken) {
	if s.at < s.first {
		d = &s.tape[s.at]
	} else if s.at == s.first {
		d = s.instead
	}
	s.at++
	if d == nil {
		return nil
	}
	if d.asked != asked {
		s.lost = true
		return nil
	}
	if d.isEarly() {
		s.fired++
	}
	return d
}

// Pick repeats a delivery, or picks a message at random.
func (s *continued) Pick(e *pulse.Enabled) int {
	s.enabled = e
	if len(s.answers) > 0 {
		s.catchUp()
	}
	if s.at == s.first {
		for i := range e.Len() {
			s.waiting, s.to = append(s.waiting, e.ID(i)), append(s.to, e.Receiver(i))
		}
	}
	i := int(hash.Splitmix(&s.seed) % uint64(e.Len()))
	if d := s.next(false); d != nil && d.id == choice.Hold && e.CanHold() {
		return pulse.Hold
	} else if d != nil {
		i = 0
		for i < e.Len() && e.ID(i) != d.id {
			i++
		}
		if i == e.Len() {
			s.lost, i = true, 0
		}
	}
	if len(s.answers) > 0 {
		s.step = s.message(i)
	}
	return i
}

// Choose returns the answer to repeat. In the random part of the run it returns the answer that the
// run of the tape gave to the same question, and decides at random whether a timer fires early.
func (s *continued) Choose(k choice.Kind, n int) int {
	about := uint64(0)
	if len(s.answers) > 0 {
		about = s.question(k)
	}
	d := s.next(true)
	switch {
	case d != nil && d.Kind != k:
		s.lost = true
	case d != nil:
		return min(int(d.Value), n-1)
	case k == choice.Clock && s.fired < s.early && hash.Splitmix(&s.seed)%timePasses == 0:
		s.fired++
		return 1
	case k == choice.Clock:
		return 0
	}
	return min(s.answers[about], n-1)
}

// A continuer makes random continuations of a run. The chance before a step is the share of
// failing runs among random continuations. A continuation repeats the decisions of the run up to
// the step, and then goes on like this:
//
//   - All deliverable messages are equally likely in each step.
//   - Draws, also those made during the run, have the values of the run.
//   - A fault, an answer of Choose, a crash within a step or a loss of writes is the same as in
//     the run, if the same question is asked: about the same message, after the same message
//     was received, or after the same number of questions. All other such answers are zero.
//   - A timer that can fire early does so with a chance of 1 in timePasses, until as many
//     timers have fired early as in the run.
type continuer struct {
	*shrinking
	inputs    []choice.Input
	signature string
	by        continued
	few       int                       // the number of continuations from a state of little interest
	many      int                       // the number of continuations from the states around the deciding step
	points    int                       // the maximum number of states that are sampled at a time
	left      int                       // the number of steps that may still be made
	moments   []int                     // the indices in by.tape of the decisions that continuations make at random
	known     map[int]*corpus.Share     // the sampled shares by state; a state is an index of moments, or len(moments) for the end of the run
	messages  map[uint64]corpus.Message // the messages of the run, by ID
	named     []int                     // messages of the condition that exactly the failing orders meet, as indices of Trace.Sends
	texts     map[int]string            // describes the faults, other nonzero answers and early timers of the run, by index in by.tape
}

// pointOf returns the point of no return of a confirmed finding. It returns nil if that is
// unknown: the run is too long or has no decision, or there is no time. condition has the
// constraints of the condition that holds in exactly the failing orders, if that is known.
func (s *shrinking) pointOf(ctx context.Context, f *Finding, condition []corpus.Constraint) *corpus.Point {
	w := &continuer{shrinking: s, inputs: f.Case.Inputs, signature: f.Failure.Signature(), left: continuing, known: map[int]*corpus.Share{}}
	for _, c := range condition {
		w.named = append(w.named, c.First.Send, c.Second.Send)
	}
	if w.note(f); w.few < tooFew || len(w.moments) == 0 {
		return nil
	}
	w.pace(ctx)
	at := w.search(ctx)
	p := &corpus.Point{Step: int(trace.None), Message: corpus.Message{Send: int(trace.None)}, Before: *w.known[0], After: *w.known[0]}
	if at >= 0 && rise(*w.known[at], *w.known[at+1]) >= leastRise {
		w.decide(ctx, p, at)
	} else {
		w.spare(ctx, p)
	}
	for i := range w.moments {
		if share := w.known[i]; share != nil && share.Of > 0 {
			p.Chances = append(p.Chances, corpus.Chance{Step: w.tapeAt(i).step, Share: *share})
		}
	}
	if w.left <= 0 || ctx.Err() != nil {
		return nil
	}
	return p
}

// note replays the run and stores its decisions. It sets w.few, to zero if the run differs.
func (w *continuer) note(f *Finding) {
	by := &taped{by: strategy.Replay(&f.Case.Record, strategy.ReplayOptions{})}
	res := w.play(planOf(&f.Case, by))
	if res.System == nil || res.System.Trace().Hash != f.Case.Hash || res.Failure == nil || res.Failure.Signature() != w.signature {
		return
	}
	w.describe(res.System)
	w.by, w.texts = continuedFrom(by.tape), map[int]string{}
	for i := range by.tape {
		d := &by.tape[i]
		switch {
		case d.isEarly():
			w.texts[i] = earlyTimer(res.System.Trace(), d.step)
		case d.isGiven():
			w.texts[i] = d.text(res.System.Trace())
		}
		if d.isMoment() {
			w.moments = append(w.moments, i)
		}
	}
	states := min(len(w.moments), mostPoints) + 2*mostOtherwise
	w.few = min(fewContinued, continuing/(states*(res.System.Steps()+1)))
}

// pace makes the first continuations. If they have many more steps than the run, it reduces the
// numbers of continuations and of states to sample.
func (w *continuer) pace(ctx context.Context) {
	w.points, w.many = mostPoints, sampled
	w.sample(ctx, 0, tooFew)
	steps := max(1, (continuing-w.left)/tooFew)
	states := min(len(w.moments), mostPoints) + 2*mostOtherwise
	w.few = min(w.few, max(tooFew, continuing/(states*steps)))
	w.points = min(w.points, max(fewestPoints, continuing/(2*w.few*steps)))
	w.many = min(w.many, max(w.few, continuing/(10*steps)))
}

// describe sets w.messages.
func (w *continuer) describe(sys *pulse.System) {
	w.messages = map[uint64]corpus.Message{}
	names := explanation{steps: namesOf(sys, sys.Trace().Names()), short: shortened(sys.Trace())}
	t := sys.Trace()
	for i := range t.Sends {
		id := sys.Host().StepID(&t.Sends[i])
		if _, known := w.messages[id]; !known {
			w.messages[id] = corpus.Message{Text: names.message(id), At: names.steps[id].receiver, Kind: kindOf(t, &t.Sends[i]), Send: i}
		}
	}
}

// tapeAt returns the decision that the run made at a state. A continuation from that state makes
// this decision at random.
func (w *continuer) tapeAt(state int) *taken { return &w.by.tape[w.moments[state]] }

// search samples states until the largest rise between two consecutive states is known. It
// returns the first of the two, -1 if there is no rise.
func (w *continuer) search(ctx context.Context) int {
	lo, hi := 0, len(w.moments)
	w.sample(ctx, lo, w.few)
	w.known[hi] = &corpus.Share{Failed: sampled, Of: sampled} // the run has failed at its end, so all continuations from there fail
	for hi-lo > 1 && w.left > 0 && ctx.Err() == nil {
		n, last, best := min(w.points, hi-lo-1), lo, -101
		from, to := lo, hi
		for i := 1; i <= n+1; i++ {
			at := from + (to-from)*i/(n+1)
			w.sample(ctx, at, w.few)
			if up := rise(*w.known[last], *w.known[at]); up >= best {
				lo, hi, best = last, at, up
			}
			last = at
		}
	}
	return w.steepest(ctx)
}

// steepest returns the state with the largest rise to the next state, among the sampled ones.
// It first makes more continuations where the rise is nearly the largest. If rises are equal as far
// as 100 continuations show, it prefers a message of w.named.
func (w *continuer) steepest(ctx context.Context) (at int) {
	each := func(f func(i, up int)) {
		for i := range w.moments {
			if a, b := w.known[i], w.known[i+1]; a != nil && b != nil {
				f(i, rise(*a, *b))
			}
		}
	}
	most := 0
	each(func(_, up int) { most = max(most, up) })
	near := most - leastRise
	each(func(i, up int) {
		if up > max(0, near) {
			w.sample(ctx, i, w.many)
			w.sample(ctx, i+1, w.many)
		}
	})
	at, most = -1, 1
	each(func(i, up int) {
		if up >= most {
			at, most = i, up
		}
	})
	named := -1
	each(func(i, up int) {
		m, known := w.messages[w.tapeAt(i).id]
		if known && up > max(0, most-asMuch) && slices.Contains(w.named, m.Send) && (named < 0 || up >= rise(*w.known[named], *w.known[named+1])) {
			named = i
		}
	})
	if named >= 0 {
		return named
	}
	return at
}

// rise returns by how many of 100 the second share is larger.
func rise(a, b corpus.Share) int {
	if a.Of == 0 || b.Of == 0 {
		return 0
	}
	return 100*b.Failed/b.Of - 100*a.Failed/a.Of
}

// sample makes continuations from a state until there are n of them.
func (w *continuer) sample(ctx context.Context, state, n int) {
	if w.known[state] == nil {
		w.known[state] = &corpus.Share{}
	}
	if state < len(w.moments) {
		w.fill(ctx, w.known[state], w.moments[state], nil, n)
	}
}

// fill makes continuations until the share counts n of them. Each continuation repeats the first
// decisions of the tape, then makes the given decision, if any, and continues at random.
func (w *continuer) fill(ctx context.Context, share *corpus.Share, first int, instead *taken, n int) {
	w.by.first, w.by.instead = first, instead
	for i := share.Of; share.Of < n && i < 2*n && w.left > 0 && ctx.Err() == nil; i++ {
		w.by.seed = hash.Seed(uint64(first), uint64(i))
		res := w.play(props.Plan{Inputs: padded(w.inputs), EarlyTimers: w.early, Strategy: &w.by})
		if w.left--; res.System != nil {
			w.left -= res.System.Steps()
		}
		if res.System == nil || res.Skipped || w.by.lost {
			continue
		}
		share.Of++
		if res.Failure != nil && res.Failure.Signature() == w.signature {
			share.Failed++
		}
	}
}

// decide describes what decided between a state and the next one: the step taken there, with
// the best alternative, or a fault after that step.
func (w *continuer) decide(ctx context.Context, p *corpus.Point, state int) {
	first, end := w.moments[state], len(w.by.tape)
	if state+1 < len(w.moments) {
		end = w.moments[state+1]
	}
	p.Before, p.After = *w.known[state], *w.known[state+1]
	for i := first + 1; i < end; i++ { // a fault in between explains more than the step, because faults are rarer
		if d := &w.by.tape[i]; d.isGiven() {
			if share := w.without(ctx, i); rise(share, p.Before) >= 0 && rise(share, p.After) >= leastRise {
				p.Step, p.Message, p.Other, p.Instead = d.step, corpus.Message{Text: w.texts[i], Send: int(trace.None)}, &corpus.Message{Send: int(trace.None)}, &share
			}
		}
	}
	d := &w.by.tape[first]
	switch {
	case p.Instead != nil:
	case d.isEarly():
		p.Step, p.Message = d.step, corpus.Message{Text: w.texts[first], Send: int(trace.None)}
		if d.asked {
			share := w.without(ctx, first)
			p.Other, p.Instead = &corpus.Message{Send: int(trace.None)}, &share
		}
	default:
		p.Step, p.Message = d.step, w.messages[d.id]
		w.otherwise(ctx, p, first)
	}
}

// without returns the share of failing continuations in which one question of the run is answered
// by zero. at is the index of the answer in the tape.
func (w *continuer) without(ctx context.Context, at int) (share corpus.Share) {
	zero := w.by.tape[at]
	zero.Value = 0
	w.fill(ctx, &share, at, &zero, w.few)
	return share
}

// otherwise sets the best alternative to the delivery at an index of the tape: the message after
// which fewest continuations fail. There is none if no message helps.
func (w *continuer) otherwise(ctx context.Context, p *corpus.Point, at int) {
	best := uint64(0)
	for _, id := range w.alternatives(ctx, at) {
		share := corpus.Share{}
		w.fill(ctx, &share, at, &taken{id: id}, w.few)
		if share.Of >= tooFew && rise(share, p.After) >= leastRise && (p.Instead == nil || rise(share, *p.Instead) > 0) {
			best, p.Instead = id, &share
		}
	}
	if best != 0 {
		w.fill(ctx, p.Instead, at, &taken{id: best}, w.many)
		m := w.messages[best]
		p.Other = &m
	}
}

// alternatives returns the messages that could have been received in place of the one at an
// index of the tape. Those to the same actor come first.
func (w *continuer) alternatives(ctx context.Context, at int) (list []uint64) {
	w.fill(ctx, &corpus.Share{}, at, nil, 1)
	own := slices.Index(w.by.waiting, w.by.tape[at].id)
	for _, same := range [2]bool{true, false} {
		for i, id := range w.by.waiting {
			if own >= 0 && i != own && (w.by.to[i] == w.by.to[own]) == same && len(list) < mostOtherwise {
				list = append(list, id)
			}
		}
	}
	return list
}

// spare counts, for each fault and other nonzero answer of the run, the failing continuations
// without it. It is used if no step decides.
func (w *continuer) spare(ctx context.Context, p *corpus.Point) {
	for i := range w.by.tape {
		if d := &w.by.tape[i]; d.isGiven() && len(p.Spared) < mostSpared {
			p.Spared = append(p.Spared, corpus.Spared{Step: d.step, Text: w.texts[i], Share: w.without(ctx, i)})
		}
	}
}
