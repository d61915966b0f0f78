package finding

import (
	"context"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// An Explanation says in which orders of a program a failure occurs.
type Explanation struct {
	// Orders is how many distinct orders were run, and Failing is in how many of them
	// a run failed with the same signature. Complete reports that there are no others.
	// Skipped runs do not count; Skipped reports that there were some.
	Orders, Failing   int
	Complete, Skipped bool
	// Cut reports that the context ended before all allowed runs were made. Long
	// reports that the run has too many steps to run its orders.
	Cut, Long bool
	// Mixed reports that runs of one order both failed and passed: something else
	// matters too, such as answers, faults, or which of two actors came first. Failing
	// then counts the orders that can fail.
	Mixed bool
	// Reduced reports that only one of several equivalent orders was run, although
	// the property may distinguish them: it reads several actors at once, or there
	// are timers.
	Reduced bool
	// If Exact is set, Condition holds in exactly the orders that failed.
	Condition shrink.Condition
	Exact     bool
	// Before are the constraints of the case: with them, plain order fails; without
	// any one of them, it does not. Given are the kinds of its nonzero answers, such
	// as faults.
	Before []choice.Constraint
	Given  []choice.Kind
	// Sampled is what random orders show, nil if all were run or there was no time.
	Sampled *Sampled

	// refuted reports that only random runs have shown Mixed.
	refuted bool

	steps map[uint64]stepName
	kinds map[uint64]string // the result of kindOf for messages, by the number of their name
	// bare has the constraints of the condition whose second message never comes before
	// the first, or without it: they hold wherever the first is received.
	bare map[choice.Constraint]bool
}

// A stepName names a step by its message, sender and receiver, and by how many such
// messages came before.
type stepName struct {
	message, sender, receiver string
	before                    int
}

func (n stepName) number() uint64 { return hash.String(fmt.Sprint(n)) }

// explain runs the orders of a shrunk case, up to the given number of runs, and returns
// which of them fail. If there are more, it samples some.
func (s *shrinking) explain(ctx context.Context, c *shrink.Case, signature string, runs int) Explanation {
	e := s.explainAll(ctx, c, signature, runs)
	if !e.Complete && !e.Cut && !e.Long {
		e.Sampled = s.sample(ctx, c, signature)
		e.nameUnsent()
	}
	return e
}

// nameUnsent keeps the names of messages that the case does not send, and that matter in
// random orders.
func (e *Explanation) nameUnsent() {
	if e.Sampled == nil {
		return
	}
	for _, c := range e.Sampled.Constraints {
		if name, unsent := e.Sampled.unsent[c.Second]; unsent {
			e.steps[c.Second] = name
		}
	}
}

// mostExplored bounds the steps of a run whose orders are explored. The happens-before sets
// take memory quadratic in the number of steps: 32 MB for this many.
const mostExplored = 1 << 14

// unexplored returns what is known of a case without running its orders.
func (s *shrinking) unexplored(ctx context.Context, c *shrink.Case, res *props.Result) Explanation {
	e := Explanation{Before: c.Schedule.Before, Given: givenBy(c), Long: true, steps: map[uint64]stepName{}, kinds: map[uint64]string{}}
	switch {
	case res.System.Trace().Sequential() && len(res.System.Record().Choices) == 0:
		e.Orders, e.Failing, e.Complete = 1, 1, true
	case len(e.named()) > 0:
		(&explainer{shrinking: s, out: e}).name(res.System)
	}
	e.Cut = !e.Complete && ctx.Err() != nil
	return e
}

// explainAll runs all orders, if they are few enough.
func (s *shrinking) explainAll(ctx context.Context, c *shrink.Case, signature string, runs int) Explanation {
	res := s.run(*c)
	if res.System != nil && res.System.Steps() > mostExplored {
		return s.unexplored(ctx, c, &res)
	}
	if !res.Unproven() && !res.Watches {
		e := s.explainBy(ctx, c, signature, explore.Options{Runs: runs}, false)
		if !e.refuted {
			return e
		}
		if all := s.explainUnreduced(ctx, c, signature, runs); all.Complete {
			return all
		}
		return e
	}
	if e := s.explainUnreduced(ctx, c, signature, runs); e.Complete {
		return e
	}
	e := s.explainBy(ctx, c, signature, explore.Options{Runs: runs}, true)
	e.Reduced = true
	return e
}

// unreduced is how many times the allowed runs an unreduced exploration may take.
const unreduced = 5

// explainUnreduced runs all orders unreduced, if they are few enough.
func (s *shrinking) explainUnreduced(ctx context.Context, c *shrink.Case, signature string, runs int) Explanation {
	all := explore.Options{Runs: unreduced * runs, Method: explore.Method{Reduction: explore.Everything}}
	return s.explainBy(ctx, c, signature, all, false)
}

// explainBy explores the orders of a case with the given options. watched sets Run.Watched:
// equivalent orders need not be run for observers.
func (s *shrinking) explainBy(ctx context.Context, c *shrink.Case, signature string, o explore.Options, watched bool) Explanation {
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
	e.Complete = err == nil && result.Complete
	e.Cut = !e.Complete && ctx.Err() != nil
	e.Orders = len(w.orders)
	for _, o := range w.orders {
		if o.Failed {
			e.Failing++
		}
	}
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

// givenBy returns the kinds of a case's nonzero answers.
func givenBy(c *shrink.Case) (list []choice.Kind) {
	for _, a := range c.Schedule.Choices {
		if a.Value != 0 && a.Kind != choice.Swarm { // Swarm only permits faults
			list = append(list, a.Kind)
		}
	}
	return list
}

// comesWithout reports whether the second message of a constraint is received without the
// first before it.
func comesWithout(o *shrink.Order, c choice.Constraint) bool {
	for _, r := range o.Received {
		if i, k := slices.Index(r.Steps, c.First), slices.Index(r.Steps, c.Second); k >= 0 && (i < 0 || k < i) {
			return true
		}
	}
	return false
}

// An explainer is the worker of an explanation.
type explainer struct {
	*shrinking
	inputs    *shrink.Case
	signature string
	watched   bool // see explore.Run
	last      props.Result
	out       Explanation

	// orders use the names of actors and steps instead of their identities: a message
	// that is sent in every order has one name but many identities. So a condition holds
	// for the names in which it is printed. Two orders that differ may look alike here.
	// places maps the keyOf of an order to its index in orders.
	orders []shrink.Order
	places map[uint64]int
}

// Run runs the property once.
func (w *explainer) Run(s pulse.Strategy) explore.Run {
	w.last = w.play(props.Plan{Inputs: w.inputs.Inputs, Strategy: s, EarlyTimers: w.early})
	return explore.Run{System: w.last.System, Failure: w.last.Failure, Watched: w.watched}
}

// Done keeps a new order.
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

// confirm makes random runs after all distinct orders were run. No reduction knows a
// variable that actors share, which may decide what an order does.
func (w *explainer) confirm(ctx context.Context) {
	mixed, random := w.out.Mixed, strategy.Random()
	for i := 0; i < confirming && ctx.Err() == nil; i++ {
		w.last = w.play(props.Plan{Inputs: w.inputs.Inputs, Strategy: random, StrategySeed: hash.Seed(1, uint64(i)), EarlyTimers: w.early})
		if w.last.System == nil {
			continue
		}
		if _, known := w.places[keyOf(w.last.System.Trace())]; known { // a run that fails early may look like none of them
			w.Done(explore.Run{System: w.last.System, Failure: w.last.Failure})
		}
	}
	w.out.refuted = w.out.Mixed && !mixed
}

// Again forgets all orders.
func (w *explainer) Again() {
	w.orders, w.out.Mixed, w.out.Skipped = nil, false, false
	clear(w.places)
}

// name keeps the names of the steps of a run, and returns the names' numbers by identity.
// The first run is that of the case: its names are also kept by identity.
func (w *explainer) name(sys *pulse.System) map[uint64]uint64 {
	numbers, t := map[uint64]uint64{}, sys.Trace()
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

// namesOf names the steps of a run, by identity, with the given names of its actors.
func namesOf(sys *pulse.System, actors trace.Names) map[uint64]stepName {
	names, count := map[uint64]stepName{}, map[stepName]int{}
	t := sys.Trace()
	for i := range t.Sends {
		d := &t.Sends[i]
		name := stepName{message: trace.Label(d.Body), sender: actors.Of(d.From), receiver: actors.Of(d.To)}
		count[name]++
		name.before = count[name] - 1
		names[sys.Host().StepID(d)] = name
	}
	return names
}

// orderIn returns what each actor of a run received, by names.
func orderIn(t *trace.Trace, numbers map[uint64]uint64) (o shrink.Order) {
	names := t.Names()
	at := make([]int, len(t.Actors)) // from 1
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
	return o
}

// keyOf returns a number for what each actor of a run received. It does not depend on the
// order of receipts by different actors.
func keyOf(t *trace.Trace) (key uint64) {
	sums := make([]uint64, len(t.Actors))
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive {
			sums[st.Actor] = hash.Fold(sums[st.Actor], st.ID)
		}
	}
	for i, sum := range sums {
		if sum != 0 { // actors have other numbers in other orders
			key += hash.Mix(hash.Fold(t.Actors[i].ID, sum))
		}
	}
	return key
}

// String describes e in one line, or in a line per term if there are several.
func (e *Explanation) String() string {
	return record.Why(e.data(func(id uint64) corpus.Message {
		return corpus.Message{Text: e.message(id), At: e.steps[id].receiver, Send: -1}
	}))
}

// asLate says when a message comes that a constraint delays until after one that only other
// runs send.
const asLate = " as late as it can come"

// mostNamedBefore is how many constraints of a case are named. A case has more only if there
// was no time to shrink it, such as an endless run. Naming all would take time quadratic in
// the run's steps, and nobody would read it.
const mostNamedBefore = 50

// named returns the constraints of the case, none if there are too many to name.
func (e *Explanation) named() []choice.Constraint {
	if len(e.Before) > mostNamedBefore {
		return nil
	}
	return e.Before
}

// data returns e in the form of cases. message returns the message of a step.
func (e *Explanation) data(message func(id uint64) corpus.Message) *corpus.Explanation {
	out := &corpus.Explanation{Orders: e.Orders, Failing: e.Failing, Complete: e.Complete, Exact: e.Exact, Mixed: e.Mixed,
		Reduced: e.Reduced, Skipped: e.Skipped, Cut: e.Cut, Long: e.Long, Given: e.Given, Depth: len(e.Before) + len(e.Given)}
	add := func(p corpus.Place, term int, list []choice.Constraint) []corpus.Constraint {
		for _, c := range list {
			out.Constraints = append(out.Constraints, corpus.Constraint{Place: p, Term: term, First: message(c.First), Second: message(c.Second),
				Bare: p != corpus.InOwn && e.bare[c]})
		}
		return out.Constraints[len(out.Constraints)-len(list):]
	}
	if e.Exact {
		for k, term := range e.Condition.Terms {
			add(corpus.InCondition, k, term)
		}
	}
	if add(corpus.InOwn, 0, e.named()); len(e.named()) < len(e.Before) {
		out.Unnamed = len(e.Before)
	}
	if s := e.Sampled; s != nil {
		out.Sampled = &corpus.Sampled{Free: s.Free, Under: s.Under}
		if s.Under.Of < sampled {
			out.Sampled.Few = mostSample
		}
		for i, list := 0, add(corpus.InSample, 0, s.Constraints); i < len(list); i++ {
			turned := s.Turned[i]
			list[i].Turned = &turned
		}
	}
	return out
}

// message names the message of a step. It adds the sender if its receiver gets others that
// look alike, and a number if the sender sends several.
func (e *Explanation) message(id uint64) string {
	name, sent := e.steps[id]
	if !sent {
		return "a message that this run does not send"
	}
	alike, same := false, false
	for _, o := range e.steps {
		if o != name && o.message == name.message && o.receiver == name.receiver {
			alike, same = true, same || o.sender == name.sender
		}
	}
	text := name.message
	if alike {
		text += " from " + name.sender
	}
	if same {
		text += fmt.Sprintf(" (number %d)", name.before+1)
	}
	return text
}
