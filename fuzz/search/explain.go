package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/schedule"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// An Explanation says in which orders of a program a failure happens.
type Explanation struct {
	// Orders is how many distinct orders were run, Failing how many of them failed
	// alike; Complete reports that there are no others.
	Orders, Failing int
	Complete        bool
	// Condition holds in exactly the orders that failed, if Exact.
	Condition shrink.Condition
	Exact     bool
	// Before are the constraints of the case: under them plain order fails, and with
	// any one left out it does not.
	Before []schedule.Constraint

	steps map[uint64]stepName
}

// A stepName is the words for a step: the message, who sent it and who receives it,
// and how many such messages came before.
type stepName struct {
	message, sender, receiver string
	before                    int
}

func (n stepName) number() uint64 { return hash.String(fmt.Sprint(n)) }

// explain runs the orders of a shrunk case, up to a number of runs, and returns in
// which of them it fails.
func (s *shrinking) explain(ctx context.Context, c *shrink.Case, signature string, runs int) Explanation {
	w := &explainer{shrinking: s, inputs: c, signature: signature, known: map[uint64]bool{}}
	w.out.steps, w.out.Before = map[uint64]stepName{}, c.Schedule.Before
	if res := s.run(*c); res.System != nil {
		w.name(res.System)
	}
	result, err := explore.Explore(explore.Options{KeepOn: true, Runs: runs, Stop: ctx.Done()}, w)
	e := w.out
	e.Complete = err == nil && result.Complete
	for _, o := range w.orders {
		e.Orders++
		if o.Failed {
			e.Failing++
		}
	}
	if e.Complete && e.Failing > 0 && e.Failing < e.Orders {
		var like []schedule.Constraint
		for _, b := range c.Schedule.Before {
			like = append(like, schedule.Constraint{First: e.steps[b.First].number(), Second: e.steps[b.Second].number()})
		}
		e.Condition, e.Exact = shrink.ConditionOf(w.named, like)
		if !e.Exact {
			e.Condition, e.Exact = shrink.ConditionOf(w.orders, c.Schedule.Before)
		}
	}
	return e
}

// An explainer is the worker of an explanation.
type explainer struct {
	*shrinking
	inputs    *shrink.Case
	signature string
	last      props.Result
	orders    []shrink.Order
	known     map[uint64]bool
	out       Explanation

	// Orders by the names of steps, in place of their identities: a message that
	// somebody sends in any case has one name, and many identities. Conditions by
	// names are what people would say, if there are such.
	named []shrink.Order
}

// Run runs the property once.
func (w *explainer) Run(s pulse.Strategy) explore.Run {
	w.last = w.runner.Run(props.Plan{Inputs: w.inputs.Inputs, Strategy: s, EarlyTimers: w.early})
	return explore.Run{System: w.last.System, Failure: w.last.Failure, Watched: true}
}

// Done keeps an order that is new.
func (w *explainer) Done(run explore.Run) {
	if w.last.System == nil || w.last.Skipped || run.Cut {
		return
	}
	o := orderIn(w.last.System.Trace())
	o.Failed = run.Failure != nil && run.Failure.Signature() == w.signature
	if key := keyOf(&o); !w.known[key] {
		w.known[key] = true
		w.orders = append(w.orders, o)
		w.named = append(w.named, renamedOrder(o, w.name(w.last.System)))
	}
}

// renamedOrder returns an order with names in place of identities.
func renamedOrder(o shrink.Order, names map[uint64]uint64) shrink.Order {
	out := shrink.Order{Failed: o.Failed}
	for _, r := range o.Received {
		list := make([]uint64, len(r.Steps))
		for i, id := range r.Steps {
			list[i] = names[id]
		}
		out.Received = append(out.Received, shrink.Received{Actor: r.Actor, Steps: list})
	}
	return out
}

// Again forgets all orders.
func (w *explainer) Again() {
	w.orders, w.named = nil, nil
	clear(w.known)
}

// name keeps the words for the steps of a run, and returns the numbers of their names.
func (w *explainer) name(sys *pulse.System) map[uint64]uint64 {
	numbers := map[uint64]uint64{}
	t := sys.Trace()
	names := t.Names()
	count := map[stepName]int{}
	for i := range t.Sends {
		d := &t.Sends[i]
		name := stepName{trace.Label(d.Body), names.Of(d.From), names.Of(d.To), 0}
		count[name]++
		name.before = count[name] - 1
		id, number := sys.Host().StepID(d), name.number()
		numbers[id] = number
		w.out.steps[id], w.out.steps[number] = name, name
	}
	return numbers
}

// orderIn returns what each actor of a run has received.
func orderIn(t *trace.Trace) (o shrink.Order) {
	at := make([]int, len(t.Actors)) // from 1
	for i := range t.Steps {
		st := &t.Steps[i]
		if st.Kind != trace.Receive {
			continue
		}
		if at[st.Actor] == 0 {
			o.Received = append(o.Received, shrink.Received{Actor: t.Actors[st.Actor].ID})
			at[st.Actor] = len(o.Received)
		}
		r := &o.Received[at[st.Actor]-1]
		r.Steps = append(r.Steps, st.ID)
	}
	return o
}

// keyOf returns a number for an order, which does not depend on which of two actors
// received something first.
func keyOf(o *shrink.Order) (key uint64) {
	for _, r := range o.Received {
		sum := r.Actor
		for _, id := range r.Steps {
			sum = hash.Fold(sum, id)
		}
		key += hash.Mix(sum)
	}
	if o.Failed {
		key++
	}
	return key
}

// String says it in one line or, of several terms, in a line for each.
func (e *Explanation) String() string {
	orders := words.Count(e.Orders, "order")
	switch {
	case !e.Complete:
		return "fails in " + e.fromPlain() + ";\n    there are too many orders to run them all"
	case e.Orders == 0 || e.Failing == 0:
		return ""
	case e.Orders == 1:
		return "fails in the only order there is"
	case e.Failing == e.Orders:
		return "fails in all " + orders
	case !e.Exact:
		return fmt.Sprintf("fails in %s of %s, among them %s", words.Grouped(e.Failing), orders, e.fromPlain())
	}
	head := fmt.Sprintf("fails in %s of %s: exactly where ", words.Grouped(e.Failing), orders)
	var terms []string
	for _, term := range e.Condition.Terms {
		terms = append(terms, e.term(term))
	}
	return head + strings.Join(terms, ",\n    or where ")
}

// fromPlain says in words how the order of the case differs from plain order.
func (e *Explanation) fromPlain() string {
	const plain = "plain order, where the oldest message comes first"
	if len(e.Before) == 0 {
		return plain
	}
	var list []string
	for _, c := range e.Before {
		first, second := e.steps[c.First], e.steps[c.Second]
		where := " at " + second.receiver
		if first.receiver != second.receiver {
			where = " at " + first.receiver + " before " + e.message(c.Second) + where
		} else {
			where = " before " + e.message(c.Second) + where
		}
		list = append(list, e.message(c.First)+where)
	}
	return plain + ", but with " + strings.Join(list, " and ")
}

// term says constraints in words.
func (e *Explanation) term(list []schedule.Constraint) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%s comes before %s at %s", e.message(c.First), e.message(c.Second), e.steps[c.Second].receiver))
	}
	slices.Sort(parts)
	return strings.Join(parts, " and ")
}

// message names the message of a step: by its sender too if its receiver gets others
// that look alike, and by a number if its sender sends several.
func (e *Explanation) message(id uint64) string {
	name := e.steps[id]
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
