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

// A sampling is the result of running a case in random orders, if there are too many orders to
// run them all. The runs have the draws of the case. They answer questions (choices such as
// faults) like the run of the case. In each step all deliverable messages are equally likely.
type sampling struct {
	// Free counts random orders without constraints, and how many of these orders fail.
	Free corpus.Share
	// Under counts random orders in which all of Constraints hold. Runs in which a constraint
	// did not hold are not counted.
	Under corpus.Share
	// Constraints has constraints on two messages to one actor, or on two messages whose steps do
	// operations on one object. If these two messages are received in reverse order, and everything
	// else stays the same as far as possible, the case passes. The second message may not be sent by
	// the case, because the case fails before.
	Constraints []choice.Constraint
	// Turned counts, for each constraint, random orders in which this constraint is reversed
	// and the others hold. If such orders are too rare, it counts orders without the
	// constraint instead.
	Turned []corpus.Share

	unsent map[uint64]stepName // the names of messages that the case does not send, by number
	cut    bool                // set if there was no time to find Constraints
}

const (
	sampled     = 100     // the number of orders that a corpus.Share counts
	mostSample  = 300     // the maximum number of runs made to fill a corpus.Share
	mostSampled = 8       // the maximum number of examined constraints
	mostTurns   = 300     // the maximum number of examined pairs of messages, and of messages that afterwards delays
	mostApart   = 50      // the maximum distance of the two messages of a pair: see pair.apart
	turning     = 200_000 // the number of steps, in all runs together, after which a sampling ends
	fewestSaid  = 10      // the number of counted orders that are needed to report a constraint
)

// A turner runs a case in random orders. It identifies messages by numbers: see namer.
type turner struct {
	*shrinking
	left      int // the number of steps that may still be made
	inputs    *shrink.Case
	signature string
	answers   map[uint64]int      // the answers of the case; the keys are results of namer.question
	order     []uint64            // the messages that the case receives, in order
	ids       []uint64            // the IDs of the messages in the field order
	numbers   map[uint64]uint64   // maps the ID of a message to its number: see namer
	sent      map[uint64]bool     // the messages that the case sends; the keys are numbers of messages
	unsent    map[uint64]stepName // the names of messages that the case does not send; the keys are numbers of messages
}

// sample runs random orders of a case and returns which constraints matter to its failure. If the
// time is up, it returns only how many orders fail, or nil.
func (s *shrinking) sample(ctx context.Context, c *shrink.Case, signature string) *sampling {
	w := &turner{shrinking: s, left: turning, inputs: c, signature: signature}
	pairs := w.note()
	out := &sampling{Free: w.share(ctx, nil)}
	if list := w.afterwards(ctx, w.mending(ctx, pairs)); len(list) > 0 {
		w.weigh(ctx, out, list)
	}
	if out.cut = ctx.Err() != nil; out.cut && out.Free.Of < sampled {
		return nil
	}
	return out
}

// mending returns the pairs whose reversal makes the case pass. It leaves out a pair if
// reversing it also reverses a nearer pair that is already in the list.
func (w *turner) mending(ctx context.Context, pairs []pair) (list []choice.Constraint) {
	for _, p := range pairs {
		if len(list) < mostSampled && w.left > 0 && ctx.Err() == nil &&
			!slices.ContainsFunc(list, func(c choice.Constraint) bool { return p.turns(w.numbers[c.First], w.numbers[c.Second]) }) && w.mends(p) {
			list = append(list, p.Constraint)
		}
	}
	return list
}

// afterwards adds constraints whose second message the case does not send, because it fails
// before. For each received message, it makes a run that delays this message as long as
// possible. If that run passes, each message that now comes before it is tried as the second
// message of a constraint.
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

// unsentBefore runs the case with one message delayed as long as possible. If the run passes,
// it returns the messages that the same actor received before and that the case does not send.
// The result has numbers and not IDs, because in the run of the case the same IDs may belong to
// other messages.
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

// never is a number that no message has. A message that waits for message number never is
// delayed as long as possible.
const never = 0

// weigh runs random orders in which all constraints hold, and orders in which one constraint is
// reversed. It drops needless constraints, and stores the other constraints in out with their
// counts.
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
	if w.left > 0 && ctx.Err() == nil && under.Of >= fewestSaid && (len(list) > 1 || !needless(turned[0], under)) {
		out.Under, out.Constraints, out.Turned, out.unsent = under, list, turned, w.unsent
	}
}

// needless reports whether a constraint does not matter: orders without it fail about as often
// as orders with it. If the constraint was left out, the orders without it must also be about
// as frequent.
func needless(without, with corpus.Share) bool {
	frequent := 4*without.Failed*with.Of >= 3*with.Failed*without.Of
	return frequent && (!without.LeftOut || 4*without.Of >= 3*with.Of)
}

// turned runs random orders in which constraint i is reversed and the others hold. If such
// orders are too rare, it leaves constraint i out instead.
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

// note runs the case and stores its order and answers. It returns the pairs of the run that can
// be reversed, or nil if a run with the stored order and answers does not fail.
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
	for _, exact := range [2]int{len(n.order), 0} { // the first run must follow n.order exactly; the second only prefers that order
		again := w.runs(&steered{answers: w.answers, order: n.order, exact: exact})
		if !w.fails(&again) {
			w.order = nil
			return nil
		}
	}
	return r.pairs
}

// runs runs the draws of the case with a strategy.
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

// mends reports whether the case passes if a pair is reversed and everything else stays the
// same as far as possible.
func (w *turner) mends(p pair) bool {
	return w.mendsBy(&steered{answers: w.answers, order: p.order, exact: p.exact})
}

// mendsBy runs the case with a strategy. It reports whether the run passes, follows the exact
// part of the strategy's order, and meets all waits.
func (w *turner) mendsBy(by *steered) bool {
	res := w.runs(by)
	return !by.lost && by.kept() && res.System != nil && !res.Skipped && res.Failure == nil
}

// share runs random orders in which the constraints hold, and counts how many fail.
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
