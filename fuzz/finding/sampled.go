package finding

import (
	"context"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// A sampling is what random orders of a case have shown, if there are too many to run them all.
// They have the case's draws, and its answers to the same questions. Each deliverable message
// is equally likely.
type sampling struct {
	// Free counts unconstrained orders, Under those in which all of Constraints hold. Runs in
	// which a constraint did not hold do not count.
	Free, Under corpus.Share
	// Constraints are on two messages to one actor each. If the two are reversed and all else
	// stays as far as possible, the run of the case passes. The second message may be one that
	// the case does not send because it fails before.
	Constraints []choice.Constraint
	// Turned counts, for each constraint, orders in which it is reversed and the others hold.
	// If such orders are too rare, the constraint is left out instead.
	Turned []corpus.Share

	unsent map[uint64]stepName // names of messages that the case does not send, by number
}

const (
	sampled     = 100     // orders per kind that count
	mostSample  = 300     // runs made for them; only the first sampled if hardly any count
	mostSampled = 8       // constraints that are examined
	mostTurns   = 300     // pairs that are reversed
	mostApart   = 50      // the maximum distance between them, in messages of their actor
	turning     = 200_000 // steps of all runs, after which no constraint is reported
	fewestSaid  = 10      // orders per kind needed to report it, except for unconstrained ones
)

// A turner makes random orders of a case.
type turner struct {
	*shrinking
	left      int // steps
	inputs    *shrink.Case
	signature string
	answers   map[uint64]int      // of the case
	order     []uint64            // of the messages that it receives
	ids       []uint64            // their identities
	numbers   map[uint64]uint64   // of messages, by identity
	sent      map[uint64]bool     // numbers of the messages that the case sends
	unsent    map[uint64]stepName // names of others, by number
}

// sample determines by random orders which constraints matter to a case; nil if there is no
// time.
func (s *shrinking) sample(ctx context.Context, c *shrink.Case, signature string) *sampling {
	w := &turner{shrinking: s, left: turning, inputs: c, signature: signature}
	pairs := w.note()
	out := &sampling{Free: w.share(ctx, nil)}
	if list := w.afterwards(ctx, w.mending(ctx, pairs)); len(list) > 0 {
		w.weigh(ctx, out, list)
	}
	if ctx.Err() != nil {
		return nil
	}
	return out
}

// mending returns the pairs whose reversal makes the case pass. If a reversal also reverses a
// nearer such pair, only the nearer one counts.
func (w *turner) mending(ctx context.Context, pairs []pair) (list []choice.Constraint) {
	for _, p := range pairs {
		if len(list) < mostSampled && w.left > 0 && ctx.Err() == nil &&
			!slices.ContainsFunc(list, func(c choice.Constraint) bool { return p.turns(w.numbers[c.First], w.numbers[c.Second]) }) && w.mends(p) {
			list = append(list, p.Constraint)
		}
	}
	return list
}

// afterwards adds the constraints on messages that the run of the case does not send, because
// it ends before. To find them, each received message is delayed until nothing else can come.
// If the run then passes, each message that now comes before it is tried as a constraint.
func (w *turner) afterwards(ctx context.Context, list []choice.Constraint) []choice.Constraint {
	for i, number := range w.order {
		known := slices.ContainsFunc(list, func(c choice.Constraint) bool { return c.First == w.ids[i] })
		if known || len(list) == mostSampled || i >= mostTurns || w.left <= 0 || ctx.Err() != nil {
			continue
		}
		for _, second := range w.unsentBefore(number) {
			if w.mendsBy(&steered{answers: w.answers, order: w.order, waits: []wait{{first: second, second: number}}}) {
				list = append(list, choice.Constraint{First: w.ids[i], Second: second})
				break
			}
		}
	}
	return list
}

// unsentBefore returns the messages unsent by the case that come before the given message at
// its actor if that is delayed; none if the run does not pass. Their numbers replace their
// identities, which may be those of other messages in the run of the case.
func (w *turner) unsentBefore(number uint64) (list []uint64) {
	by := &steered{answers: w.answers, order: w.order, waits: []wait{{first: never, second: number}}}
	res := w.runs(by)
	if res.System == nil || res.Skipped || res.Failure != nil {
		return nil
	}
	t, host := res.System.Trace(), res.System.Host()
	names := namesOf(res.System, t.Names())
	byActor := map[int32][]uint64{}
	for i := range t.Steps {
		st := &t.Steps[i]
		if st.Kind != trace.Receive {
			continue
		}
		id := host.StepID(&t.Sends[st.Send])
		if by.numbers[id] == number {
			return byActor[st.Actor]
		}
		if n := by.numbers[id]; !w.sent[n] {
			byActor[st.Actor] = append(byActor[st.Actor], n)
			w.numbers[n], w.unsent[n] = n, names[id]
		}
	}
	return nil
}

// never is not the number of any message.
const never = 0

// weigh runs random orders in which the constraints hold, and in which one of them is
// reversed. It drops constraints that may as well be reversed, or that the others imply: the
// failure is then about as frequent as with all.
func (w *turner) weigh(ctx context.Context, out *sampling, list []choice.Constraint) {
	all := w.share(ctx, list)
	for i := 0; i < len(list) && len(list) > 1; {
		if needless(w.turned(ctx, list, i), all) {
			list = slices.Delete(slices.Clone(list), i, i+1)
		} else {
			i++
		}
	}
	under, turned := w.share(ctx, list), []corpus.Share(nil)
	for i := range list {
		turned = append(turned, w.turned(ctx, list, i))
		if turned[i].LeftOut && len(list) > 1 && needless(turned[i], under) {
			w.weigh(ctx, out, slices.Delete(slices.Clone(list), i, i+1))
			return
		}
	}
	if w.left > 0 && under.Of >= fewestSaid && (len(list) > 1 || !needless(turned[0], under)) {
		out.Under, out.Constraints, out.Turned, out.unsent = under, list, turned, w.unsent
	}
}

// needless reports whether a constraint is irrelevant: orders without it fail about as often
// as with it and, if it was left out, are about as frequent.
func needless(without, with corpus.Share) bool {
	frequent := 4*without.Failed*with.Of >= 3*with.Failed*without.Of
	return frequent && (!without.LeftOut || 4*without.Of >= 3*with.Of)
}

// turned runs random orders in which one of the constraints is reversed, or left out if its
// reversal is too rare.
func (w *turner) turned(ctx context.Context, list []choice.Constraint, i int) corpus.Share {
	list = slices.Clone(list)
	list[i] = list[i].Turned()
	share := w.share(ctx, list)
	if share.Of < fewestSaid {
		share = w.share(ctx, slices.Delete(list, i, i+1))
		share.LeftOut = true
	}
	return share
}

// note runs the case and notes its decisions. It returns the pairs of its run, none if the
// notes do not reproduce it.
func (w *turner) note() (list []pair) {
	w.schedule = w.inputs.Schedule
	n := &noted{by: strategy.Ordered(&w.schedule)}
	res := w.runs(n)
	if !w.fails(&res) {
		return nil
	}
	w.answers, w.numbers = n.answers, n.numbers
	r := &reversals{t: res.System.Trace(), id: res.System.Host().StepID, order: n.order, numbers: n.numbers}
	r.find()
	w.order, w.unsent, w.sent = n.order, map[uint64]stepName{}, map[uint64]bool{}
	for _, send := range r.received {
		w.ids = append(w.ids, r.id(&r.t.Sends[send]))
	}
	for _, number := range n.numbers {
		w.sent[number] = true
	}
	for _, exact := range [2]int{len(n.order), 0} { // exactly, and as far as possible (as with a reversed pair)
		again := w.runs(&steered{answers: w.answers, order: n.order, exact: exact})
		if !w.fails(&again) {
			w.order = nil
			return nil
		}
	}
	return r.pairs
}

// runs runs the case's draws with a strategy.
func (w *turner) runs(by pulse.Strategy) props.Result {
	res := w.play(props.Plan{Inputs: padded(w.inputs.Inputs), EarlyTimers: w.early, Strategy: by})
	if w.left--; res.System != nil {
		w.left -= res.System.Steps()
	}
	return res
}

// fails reports whether a run fails like the case.
func (w *turner) fails(res *props.Result) bool {
	return res.System != nil && res.Failure != nil && res.Failure.Signature() == w.signature
}

// mends reports whether the case passes if a pair is reversed and all else stays as far as
// possible.
func (w *turner) mends(p pair) bool {
	return w.mendsBy(&steered{answers: w.answers, order: p.order, exact: p.exact})
}

// mendsBy reports whether a run passes and follows its order and waits.
func (w *turner) mendsBy(by *steered) bool {
	res := w.runs(by)
	return !by.lost && by.kept() && res.System != nil && !res.Skipped && res.Failure == nil
}

// share runs random orders in which constraints hold.
func (w *turner) share(ctx context.Context, list []choice.Constraint) (share corpus.Share) {
	by := &steered{answers: w.answers}
	for _, c := range list {
		by.waits = append(by.waits, wait{first: w.numbers[c.First], second: w.numbers[c.Second]})
	}
	for i := range uint64(mostSample) {
		if share.Of == sampled || i >= sampled && share.Of < fewestSaid || w.left <= 0 || ctx.Err() != nil {
			break
		}
		by.seed = hash.Mix(i)
		res := w.runs(by)
		if res.System == nil || res.Skipped || !by.kept() {
			continue
		}
		share.Of++
		if w.fails(&res) {
			share.Failed++
		}
	}
	return share
}
