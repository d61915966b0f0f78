package finding

import (
	"context"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// explain runs a shrunk case in all orders, if the given number of runs suffices, and returns
// which of the orders fail. If there are more orders, it samples random ones. All orders may take a
// quarter of the time, and random ones a third of the rest.
func (s *shrinking) explain(ctx context.Context, c *shrink.Case, signature string, runs int) explanation {
	part, cancel := within(ctx, 1, 4)
	defer cancel()
	e := s.explainAll(part, c, signature, runs)
	if !e.Complete && ctx.Err() == nil && !e.Long {
		part, cancel := within(ctx, 1, 3)
		defer cancel()
		e.Sampled = s.sample(part, c, signature)
		e.Cut = e.Cut && e.Sampled == nil || e.Sampled != nil && e.Sampled.cut
		e.nameUnsent()
	}
	return e
}

// cause returns the explanation of a shrunk case, with remarks on its draws and the faults that
// it needs. To find these, it makes runs that change one thing of the case and leave everything
// else.
//
//   - A draw is "any" if at least 20 other values, or all others that exist, failed with the
//     same signature, and none did not.
//   - A draw is "≥ 3" or "≤ 3" if all tried values on that side of the bound failed with the
//     same signature, and no value beyond the bound did. The value next to the bound must be
//     among the tried ones.
//   - Each value is run in the order of the case. If other draws send other messages, so that
//     this order is impossible, other orders are searched. If none of them fails and some were
//     not run, the draw has no remark.
//   - A fault is needed if the case does not fail with the same signature without it. The same
//     holds for early timers.
func (s *shrinking) cause(ctx context.Context, out *Shrunk) *corpus.Explanation {
	e := out.why.data(s.messages(out))
	e.Preemptions, e.Interruptible = out.Finding.Trace.Preemptions()
	e.Needs, e.Early = s.faults(ctx, &out.Best), s.needsEarly(ctx, &out.Best)
	m := &matter{shrinking: s, best: &out.Best, left: mattering}
	var decide []string
	for i, in := range out.Best.Case.Inputs {
		e.Draws = append(e.Draws, m.draw(ctx, i))
		if m.decides {
			decide = append(decide, in.Label)
		}
	}
	if !e.Long && ctx.Err() == nil {
		e.Point = s.pointOf(ctx, out.Finding, e.Of(corpus.InCondition))
		step := int(trace.None)
		if e.Point != nil {
			if step = e.Point.Step; step < 0 {
				e.Point.Draws = decide
			}
		}
		out.Finding.Passing, out.Finding.passed = s.nearest(ctx, &out.Best.Case, out.Best.Signature, step)
	}
	return e
}

// mostExplored is the maximum number of steps of a run whose orders are explored. The memory
// for happens-before sets is quadratic in the number of steps: 32 MB for mostExplored steps.
const mostExplored = 1 << 14

// isLong reports whether a run has too many steps to explore its orders. sys may be nil.
func isLong(sys *pulse.System) bool { return sys != nil && sys.Steps() > mostExplored }

// unexplored returns what is known about a case whose orders are not run, because there is no time
// or it has too many steps. res is the result of the case.
func (s *shrinking) unexplored(ctx context.Context, c *shrink.Case, res *props.Result) explanation {
	e := explanation{Before: c.Schedule.Before, Given: givenBy(c), Long: isLong(res.System), steps: map[uint64]stepName{}, kinds: map[uint64]string{}}
	switch {
	case e.Long && res.System.Trace().Sequential() && len(res.System.Record().Choices) == 0:
		e.Orders, e.Failing, e.Complete = 1, 1, true
	case res.System != nil && len(e.named()) > 0:
		(&explainer{shrinking: s, out: e}).name(res.System)
	}
	e.Cut = !e.Complete && ctx.Err() != nil
	return e
}

// explainAll runs all orders, if they are few enough, and returns which of them fail.
func (s *shrinking) explainAll(ctx context.Context, c *shrink.Case, signature string, runs int) explanation {
	res := s.run(*c)
	if isLong(res.System) || ctx.Err() != nil {
		return s.unexplored(ctx, c, &res)
	}
	all := unreduced * runs
	if res.System != nil {
		most := exploring / max(1, res.System.Steps())
		runs, all = min(runs, most), min(all, most)
	}
	if !res.Unproven() && !res.Watches {
		e := s.explainBy(ctx, c, signature, explore.Options{Runs: runs}, false)
		if !e.refuted {
			return e
		}
		if whole := s.explainUnreduced(ctx, c, signature, all); whole.Complete {
			return whole
		}
		return e
	}
	if e := s.explainUnreduced(ctx, c, signature, all); e.Complete {
		return e
	}
	e := s.explainBy(ctx, c, signature, explore.Options{Runs: runs}, true)
	e.Reduced = true
	return e
}

// The limits of explorations for an explanation.
const (
	unreduced = 5       // the factor by which an exploration without a reduction may exceed the allowed number of runs
	exploring = 200_000 // the maximum number of steps of an exploration, if all runs are as long as the case
)

// explainUnreduced runs all orders without a reduction, if they are few enough.
func (s *shrinking) explainUnreduced(ctx context.Context, c *shrink.Case, signature string, runs int) explanation {
	return s.explainBy(ctx, c, signature, explore.Options{Runs: runs, Method: explore.Method{Reduction: explore.Everything}}, false)
}

// explainBy explores the orders of a case with the given options. If watched is set, the
// reduction may prune orders that only observers can distinguish: see explore.Run.Watched.
func (s *shrinking) explainBy(ctx context.Context, c *shrink.Case, signature string, o explore.Options, watched bool) explanation {
	w := &explainer{shrinking: s, inputs: c, signature: signature, watched: watched, places: map[uint64]int{}}
	w.out.steps, w.out.kinds, w.out.Before, w.out.Given = map[uint64]stepName{}, map[uint64]string{}, c.Schedule.Before, givenBy(c)
	if res := s.run(*c); res.System != nil {
		w.name(res.System)
	}
	o.KeepOn, o.Stop = true, ctx.Done()
	result, err := explore.Explore(o, w)
	if err == nil && result.Complete && o.Reduction != explore.Everything && !watched {
		w.confirm(ctx)
	}
	e := w.out
	e.Orders = len(w.orders)
	for _, o := range w.orders {
		if o.Failed {
			e.Failing++
		}
	}
	e.Complete = err == nil && result.Complete
	if e.Complete && e.Failing == 0 { // all explored orders pass, but the case fails: the exploration has missed its order
		e.Complete, e.refuted = false, true
	}
	e.Cut = !e.Complete && ctx.Err() != nil
	if e.Complete && e.Failing > 0 && e.Failing < e.Orders {
		var like []choice.Constraint
		for _, b := range c.Schedule.Before {
			like = append(like, choice.Constraint{First: e.steps[b.First].number(), Second: e.steps[b.Second].number()})
		}
		e.Condition, e.Exact = shrink.ConditionOf(w.orders, like)
		e.bare = map[choice.Constraint]bool{}
		for _, c := range slices.Concat(e.Condition.Terms...) {
			e.bare[c] = !slices.ContainsFunc(w.orders, func(o shrink.Order) bool { return comesWithout(&o, c) })
		}
	}
	return e
}

// givenBy returns the kinds of choices that have a nonzero answer in a case.
func givenBy(c *shrink.Case) (list []choice.Kind) {
	for _, a := range c.Schedule.Choices {
		if a.Value != 0 && a.Kind != choice.Swarm { // an answer of kind Swarm only permits faults
			list = append(list, a.Kind)
		}
	}
	return list
}

// comesWithout reports whether an order receives the second message of a constraint without
// receiving the first message before it.
func comesWithout(o *shrink.Order, c choice.Constraint) bool {
	return slices.ContainsFunc(append(o.Received, shrink.Received{Steps: o.Steps}), func(r shrink.Received) bool {
		i, k := slices.Index(r.Steps, c.First), slices.Index(r.Steps, c.Second)
		return k >= 0 && (i < 0 || k < i)
	})
}

// An explainer is the worker that explores the orders of a case for an explanation.
type explainer struct {
	*shrinking
	inputs    *shrink.Case
	signature string
	watched   bool // see explore.Run
	last      props.Result
	out       explanation

	// orders has the distinct orders that were run. It identifies messages and actors by
	// hashes of their names, because a message has different IDs in different orders, but
	// one name. So a condition on these orders holds for the names that are printed. Two
	// different orders may have equal entries.
	orders []shrink.Order
	// places maps the hash keyOf of an order to the index of the order in orders.
	places map[uint64]int
}

// Run runs the property once.
func (w *explainer) Run(s pulse.Strategy) explore.Run {
	w.last = w.play(props.Plan{Inputs: w.inputs.Inputs, Strategy: s, EarlyTimers: w.early})
	return explore.Run{System: w.last.System, Failure: w.last.Failure, Watched: w.watched}
}

// Done adds the order of a run to orders, unless it is known, and notes whether the run failed.
func (w *explainer) Done(run explore.Run) {
	if w.last.Skipped {
		w.out.Skipped = true
	}
	if w.last.System == nil || w.last.Skipped || run.Cut {
		return
	}
	failed := run.Failure != nil && run.Failure.Signature() == w.signature
	key := keyOf(w.last.System.Trace())
	place, known := w.places[key]
	if !known {
		place = len(w.orders)
		w.places[key] = place
		w.orders = append(w.orders, orderIn(w.last.System.Trace(), w.name(w.last.System)))
		w.orders[place].Failed = failed
	}
	if o := &w.orders[place]; o.Failed != failed {
		o.Failed, w.out.Mixed = true, true
	}
}

// confirming is the number of random runs of confirm.
const confirming = 128

// confirm makes random runs and the run of the case after all distinct orders were run. It sets
// refuted if only these runs show that one order can both fail and pass. The reason is mostly a
// variable that actors share, which no reduction knows about.
func (w *explainer) confirm(ctx context.Context) {
	mixed, random := w.out.Mixed, strategy.Random()
	w.addKnown(w.run(*w.inputs))
	for i := 0; i < confirming && ctx.Err() == nil; i++ {
		w.addKnown(w.play(props.Plan{Inputs: w.inputs.Inputs, Strategy: random, StrategySeed: hash.Seed(1, uint64(i)), EarlyTimers: w.early}))
	}
	w.out.refuted = w.out.Mixed && !mixed
}

// addKnown notes whether a run failed, if its order is known. It ignores a run with an unknown
// order, because a run that fails early may be a part of a known order.
func (w *explainer) addKnown(res props.Result) {
	if res.System == nil {
		return
	}
	if _, known := w.places[keyOf(res.System.Trace())]; known {
		w.last = res
		w.Done(explore.Run{System: res.System, Failure: res.Failure})
	}
}

// Again forgets all orders, because the exploration restarts.
func (w *explainer) Again() {
	w.orders, w.out.Mixed, w.out.Skipped = nil, false, false
	clear(w.places)
}

// name stores the names of a run's messages in out.steps under two keys: the ID of the message,
// and its number, which is a hash of the name. It returns the numbers by ID. The first call
// must be for the run of the case, because a later call does not change the name stored for an
// ID.
func (w *explainer) name(sys *pulse.System) map[uint64]uint64 {
	numbers, t := map[uint64]uint64{}, sys.Trace()
	if w.out.short == nil {
		w.out.short = shortened(t)
	}
	for id, name := range namesOf(sys, sys.Trace().Names()) {
		number := name.number()
		numbers[id] = number
		w.out.steps[number] = name
		if _, known := w.out.steps[id]; !known {
			w.out.steps[id] = name
		}
	}
	for i := range t.Sends {
		if number := numbers[sys.Host().StepID(&t.Sends[i])]; w.out.kinds != nil && w.out.kinds[number] == "" {
			w.out.kinds[number] = kindOf(t, &t.Sends[i])
		}
	}
	return numbers
}

// orderIn returns which messages each actor of a run received, in order, and which steps used
// objects such as channels. numbers has, by message ID, the number that stands for the message's
// name.
func orderIn(t *trace.Trace, numbers map[uint64]uint64) (o shrink.Order) {
	names := t.Names()
	at := make([]int, len(t.Actors)) // for each actor, its position in o.Received, counted from 1; 0 if it has none yet
	for i := range t.Steps {
		st := &t.Steps[i]
		if st.Kind != trace.Receive {
			continue
		}
		if at[st.Actor] == 0 {
			o.Received = append(o.Received, shrink.Received{Actor: hash.String(names.Of(st.Actor))})
			at[st.Actor] = len(o.Received)
		}
		r := &o.Received[at[st.Actor]-1]
		r.Steps = append(r.Steps, numbers[st.ID])
	}
	if o.Shared = sharedIn(t, numbers); len(o.Shared) > 0 {
		for i := range t.Steps {
			o.Steps = append(o.Steps, numbers[t.Steps[i].ID])
		}
	}
	return o
}

// sharedIn returns, for each object that is no actor, the steps that did operations on it, in
// order.
func sharedIn(t *trace.Trace, numbers map[uint64]uint64) (list [][]uint64) {
	at := map[int32]int{} // maps an object to its index in the result
	for _, x := range t.Touches {
		if x.What != trace.AnObject {
			continue
		}
		if _, known := at[x.Actor]; !known {
			at[x.Actor], list = len(list), append(list, nil)
		}
		steps, this := &list[at[x.Actor]], numbers[t.Steps[x.Step].ID]
		if n := len(*steps); n == 0 || (*steps)[n-1] != this {
			*steps = append(*steps, this)
		}
	}
	return list
}

// keyOf returns a hash of the messages that each actor of a run received, in order. The order
// of receives by different actors does not matter, unless they did operations on one object.
func keyOf(t *trace.Trace) (key uint64) {
	if t.UsesObjects() {
		return explore.ClassOf(t)
	}
	sums := make([]uint64, len(t.Actors))
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive {
			sums[st.Actor] = hash.Fold(sums[st.Actor], st.ID)
		}
	}
	for i, sum := range sums {
		if sum != 0 { // the index of an actor depends on the order, its ID does not
			key += hash.Mix(hash.Fold(t.Actors[i].ID, sum))
		}
	}
	return key
}

// messages returns a function that describes the message with a given ID or number.
// Message.Send is the index of the message in the run of the case, -1 if that run does not send
// the message.
func (s *shrinking) messages(out *Shrunk) func(id uint64) corpus.Message {
	e := &out.why
	places, kinds := map[uint64]int{}, []string{}
	if res := s.run(out.Best.Case); res.System != nil {
		numbers := (&explainer{shrinking: s, out: explanation{steps: map[uint64]stepName{}}}).name(res.System)
		t, host := res.System.Trace(), res.System.Host()
		for i := range t.Sends {
			id := host.StepID(&t.Sends[i])
			kinds = append(kinds, kindOf(t, &t.Sends[i]))
			for _, key := range []uint64{id, numbers[id]} {
				if _, known := places[key]; !known {
					places[key] = i
				}
			}
		}
	}
	return func(id uint64) corpus.Message {
		m := corpus.Message{Text: e.message(id), At: e.steps[id].receiver, Kind: e.kinds[id], Send: -1}
		if at, sent := places[id]; sent {
			m.Send, m.Kind = at, kinds[at]
		}
		return m
	}
}
