package search

import (
	"context"
	"slices"

	"github.com/jostle-go/jostle/fuzz/page"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/schedule"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// Sampled is what random orders of a case have shown, where there are too many to run them
// all. They have its draws, and its answers where the same is asked; each message that can
// come comes with equal chance.
type Sampled struct {
	// Free are orders of any kind, Under those in which all of Constraints hold. Runs in which
	// they did not all come true count for nothing.
	Free, Under page.Share
	// Constraints are on two messages to one actor each. When the two are turned round and
	// all else stays as it can, the run of the case passes.
	Constraints []schedule.Constraint
	// Turned has for each constraint orders in which it is turned round, and the others hold.
	// Where these hardly came, it is left out.
	Turned []page.Share
}

const (
	sampled     = 100 // orders of a kind that count
	mostSample  = 300 // runs that are made for them; no more than sampled where hardly any counts
	mostSampled = 8   // constraints that are looked at
	mostTurns   = 300 // pairs that are turned round
	fewestSaid  = 10  // orders of a kind of which something is said
)

// A turner makes random orders of a case.
type turner struct {
	*shrinking
	inputs    *shrink.Case
	signature string
	answers   map[uint64]int    // of the case
	numbers   map[uint64]uint64 // of the messages of the case, by identity
}

// sample finds out by random orders which constraints matter to a case; nil when there
// is no time.
func (s *shrinking) sample(ctx context.Context, c *shrink.Case, signature string) *Sampled {
	w := &turner{shrinking: s, inputs: c, signature: signature}
	var out Sampled
	pairs := w.note()
	if list := w.mending(ctx, pairs); len(list) > 0 {
		out = w.weigh(ctx, list)
	}
	if out.Free = w.share(ctx, nil); ctx.Err() != nil {
		return nil
	}
	return &out
}

// mending returns the pairs that mend the case when they are turned round. Of pairs that
// are turned together only the nearest is one.
func (w *turner) mending(ctx context.Context, pairs []pair) (list []schedule.Constraint) {
	for _, p := range pairs[:min(len(pairs), mostTurns)] {
		if len(list) < mostSampled && ctx.Err() == nil &&
			!slices.ContainsFunc(list, func(c schedule.Constraint) bool { return p.turns(w.numbers[c.First], w.numbers[c.Second]) }) && w.mends(p) {
			list = append(list, p.Constraint)
		}
	}
	return list
}

// turns reports whether the second of two messages comes before the first.
func (p *pair) turns(first, second uint64) bool {
	i, k := slices.Index(p.order, first), slices.Index(p.order, second)
	return k >= 0 && (i < 0 || k < i)
}

// weigh looks at random orders in which the constraints hold, and in which one of them is
// turned round. It gives up those that may as well be turned round, or that the others
// bring about: the failure is about as frequent then as with all.
func (w *turner) weigh(ctx context.Context, list []schedule.Constraint) (out Sampled) {
	all := w.share(ctx, list)
	for i := 0; i < len(list) && len(list) > 1; {
		without := w.turned(ctx, list, i)
		frequent := 4*without.Failed*all.Of >= 3*all.Failed*without.Of
		if frequent && (!without.LeftOut || 4*without.Of >= 3*all.Of) {
			list = slices.Delete(slices.Clone(list), i, i+1)
		} else {
			i++
		}
	}
	if out.Under = w.share(ctx, list); out.Under.Of < fewestSaid {
		return Sampled{}
	}
	out.Constraints = list
	for i := range list {
		out.Turned = append(out.Turned, w.turned(ctx, list, i))
	}
	return out
}

// turned runs random orders in which one of the constraints is turned round, or left out if
// that hardly comes true.
func (w *turner) turned(ctx context.Context, list []schedule.Constraint, i int) page.Share {
	list = slices.Clone(list)
	list[i] = list[i].Turned()
	share := w.share(ctx, list)
	if share.Of < fewestSaid {
		share = w.share(ctx, slices.Delete(list, i, i+1))
		share.LeftOut = true
	}
	return share
}

// A pair are two messages to one actor, of which the second could have come first, and the
// order in which it does.
type pair struct {
	schedule.Constraint
	order []uint64
	exact int // how many of the order come before the first one
	apart int // how many more messages of the actor lie between the two, and one
}

// note runs the case and notes its decisions. It returns the pairs of its run, none if that
// cannot be made again by what was noted.
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
	for _, exact := range [2]int{len(n.order), 0} { // to the letter, and by what is left when a pair is turned round
		again := w.runs(&steered{answers: w.answers, order: n.order, exact: exact})
		if !w.fails(&again) {
			return nil
		}
	}
	return r.pairs
}

// runs runs the draws of the case.
func (w *turner) runs(by pulse.Strategy) props.Result {
	return w.play(props.Plan{Inputs: padded(w.inputs.Inputs), EarlyTimers: w.early, Strategy: by})
}

// fails reports whether a run fails as the case does.
func (w *turner) fails(res *props.Result) bool {
	return res.System != nil && res.Failure != nil && res.Failure.Signature() == w.signature
}

// mends reports whether the case passes when a pair is turned round and all else stays as it
// can.
func (w *turner) mends(p pair) bool {
	by := &steered{answers: w.answers, order: p.order, exact: p.exact}
	res := w.runs(by)
	return !by.lost && res.System != nil && !res.Skipped && res.Failure == nil
}

// share runs random orders in which constraints hold.
func (w *turner) share(ctx context.Context, list []schedule.Constraint) (share page.Share) {
	by := &steered{answers: w.answers}
	for _, c := range list {
		by.waits = append(by.waits, wait{first: w.numbers[c.First], second: w.numbers[c.Second]})
	}
	for i := range uint64(mostSample) {
		if share.Of == sampled || i >= sampled && share.Of < fewestSaid || ctx.Err() != nil {
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

// A reversals finds the pairs of a run.
type reversals struct {
	t       *trace.Trace
	id      func(*trace.Send) uint64
	order   []uint64 // of messages, as they were received
	numbers map[uint64]uint64

	received []int32         // the sends of those messages
	by       map[int32][]int // their places, by actor
	pairs    []pair
}

// find finds the pairs of a run: messages that an actor has received, each with those that it
// has received later, or would have received next; the nearest pairs first.
func (r *reversals) find() {
	r.by = map[int32][]int{}
	for i := range r.t.Steps {
		if st := &r.t.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			r.by[st.Actor] = append(r.by[st.Actor], len(r.received))
			r.received = append(r.received, st.Send)
		}
	}
	if len(r.received) != len(r.order) {
		return
	}
	for place, send := range r.received {
		r.addAll(send, place)
	}
	heads := map[[2]int32]bool{}
	for i := range r.t.Sends {
		d := &r.t.Sends[i]
		channel := [2]int32{d.From, d.To}
		if d.Fate != trace.Pending || d.Kind.IsTimer() || heads[channel] && !r.t.Unordered {
			continue
		}
		heads[channel] = true
		r.addAll(int32(i), len(r.order))
	}
	slices.SortStableFunc(r.pairs, func(a, b pair) int { return a.apart - b.apart })
}

// addAll adds the pairs of a message, received at a place or never, with those that its
// receiver has received before.
func (r *reversals) addAll(send int32, place int) {
	d := &r.t.Sends[send]
	apart := 0
	for _, first := range slices.Backward(r.by[d.To]) {
		if first >= place {
			continue
		}
		apart++
		if a := &r.t.Sends[r.received[first]]; !r.oneChannel(a, d) && !r.causes(a.Receipt, d.Step) && !r.rests(a, d) {
			r.add(first, place, d, apart)
		}
	}
}

func (r *reversals) oneChannel(a, b *trace.Send) bool {
	return !r.t.Unordered && a.From == b.From && a.To == b.To && a.Kind.IsTimer() == b.Kind.IsTimer()
}

// rests reports whether the system was at rest between the receipts of two messages.
func (r *reversals) rests(a, b *trace.Send) bool {
	return slices.ContainsFunc(r.t.Rests, func(at int32) bool { return at >= a.Receipt && (b.Receipt == trace.None || at < b.Receipt) })
}

// causes reports whether a step is that in which a message was sent, or comes before it.
func (r *reversals) causes(step, sent int32) bool {
	return sent == step || r.t.HappensBefore(int(step), int(sent))
}

// add adds the pair of the message received at a place and of another, received at a later
// place or never. What that one needs comes before both of them: what it follows from, and
// what is before it in its channel.
func (r *reversals) add(first, second int, d *trace.Send, apart int) {
	needed := []*trace.Send{d}
	for _, send := range r.received[first+1 : second] {
		if b := &r.t.Sends[send]; r.oneChannel(b, d) {
			needed = append(needed, b)
		}
	}
	prefix, rest := slices.Clone(r.order[:first]), []uint64{r.order[first]}
	for k := first + 1; k < len(r.order); k++ {
		b := &r.t.Sends[r.received[k]]
		switch {
		case k == second:
		case k < second && slices.ContainsFunc(needed, func(n *trace.Send) bool { return n == b || r.causes(b.Receipt, n.Step) }):
			prefix = append(prefix, r.order[k])
		default:
			rest = append(rest, r.order[k])
		}
	}
	prefix = append(prefix, r.numbers[r.id(d)])
	a := &r.t.Sends[r.received[first]]
	r.pairs = append(r.pairs, pair{
		Constraint: schedule.Constraint{First: r.id(a), Second: r.id(d)},
		order:      append(prefix, rest...), exact: len(prefix), apart: apart,
	})
}
