package finding

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/shrink"
)

// Search looks for orders in which the inputs fail: see shrink.Subject. If near has other
// inputs, Search first tries the order of near, as far as messages have the same names, and the
// order in which the oldest message comes first. Then it tries all orders, if they are few, and
// random orders.
func (s *shrinking) Search(inputs []choice.Input, signature string, near *shrink.Outcome, runs int, other func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	h := &hunt{shrinking: s, inputs: inputs, signature: signature, near: near, other: other, left: runs}
	if h.elsewhere() {
		h.everywhere(h.left / 2)
		h.random(usualHunted)
	} else {
		h.byName()
		h.byOrder()
		h.everywhere(min(h.left/2, mostOrders))
		h.atRandom()
	}
	slices.SortStableFunc(h.found, func(a, b shrink.Outcome) int { return a.Compare(&b) })
	return h.found[:min(len(h.found), mostFound)], runs - h.left, h.all
}

const (
	mostFound   = 8   // the maximum number of runs that Search returns
	mostOrders  = 150 // the maximum number of runs to enumerate the orders of inputs that are not the inputs of near
	usualHunted = 16  // the number of failing runs after which Search ends and returns the smallest
)

// A hunt is the state of one call to shrinking.Search.
type hunt struct {
	*shrinking
	inputs    []choice.Input
	signature string
	near      *shrink.Outcome // the run whose order and size the search starts from
	other     func(shrink.Outcome)
	left      int // the number of runs that may still be made
	found     []shrink.Outcome
	all       bool // set if every order was run
}

// elsewhere reports whether the inputs are the same as in the run near. If they are, the search
// is only for other orders.
func (h *hunt) elsewhere() bool {
	return sameInputs(h.inputs, h.near.Case.Inputs)
}

// over reports whether the search ends: enough failing runs were found, every order was run, or
// no runs are left.
func (h *hunt) over() bool { return h.left <= 0 || h.all || len(h.found) >= usualHunted }

// try runs the inputs with a schedule and offers the run. The outcome has the constraints of
// the schedule.
func (h *hunt) try(by choice.Schedule) shrink.Outcome {
	h.left--
	out := h.Run(shrink.Case{Inputs: h.inputs, Schedule: by})
	h.offer(out)
	return out
}

// offer adds a run with the wanted failure to found, unless it has more external messages or
// steps than the run near.
func (h *hunt) offer(out shrink.Outcome) {
	switch {
	case out.Signature != h.signature:
		h.other(out)
	case cmp.Or(cmp.Compare(out.External, h.near.External), cmp.Compare(out.Steps, h.near.Steps)) <= 0:
		out.Case = out.Case.Clone()
		h.found = append(h.found, out)
	}
}

// check replays a failing run with its schedule, and offers the outcome.
func (h *hunt) check(c shrink.Case) {
	if h.left > 0 {
		h.left--
		h.offer(h.Run(c))
	}
}

// byName runs the inputs in the order of the near run, translated by the names of messages.
// With different inputs the messages have different IDs, but often the same names.
func (h *hunt) byName() {
	if h.left < 2 || len(h.near.Case.Schedule.Before) == 0 {
		return
	}
	is := h.latest // the last run, which usually has these inputs
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

// namesOfNear returns the names of the messages in the run near. known is false if the run has
// no names. namesOfNear caches the names, because many searches have the same near run.
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

// everywhere runs up to `most` orders of the inputs. It sets h.all if there are no other
// orders.
func (h *hunt) everywhere(most int) {
	if h.over() || most <= 0 || h.latest.isLong() { // for Explore, zero would mean no bound
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

// An orderer is the worker that explores the orders of a hunt's inputs.
type orderer struct {
	*hunt
	last   props.Result
	made   int // the number of runs
	cases  []shrink.Case
	doubts bool // set if the reduction may have pruned an order that behaves differently
}

// Run runs the property once.
func (w *orderer) Run(s pulse.Strategy) explore.Run {
	w.made++
	w.last = w.play(props.Plan{Inputs: w.inputs, Strategy: s, EarlyTimers: w.early})
	w.doubts = w.doubts || w.last.Watches || w.last.Unproven()
	return explore.Run{System: w.last.System, Failure: w.last.Failure, Watched: true}
}

// Done adds a run with the wanted failure to cases.
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

// Again does nothing when the exploration restarts, because the failing runs found so far
// remain valid.
func (w *orderer) Again() {}

// atRandom runs random orders until a few failing runs are found.
func (h *hunt) atRandom() { h.random(usualHunted / 4) }

// random runs random orders until the wanted number of failing runs is found.
func (h *hunt) random(wanted int) {
	arms := randomOrders()
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

// randomOrders returns strategies that make random orders.
func randomOrders() []pulse.Strategy {
	return []pulse.Strategy{strategy.Random(), strategy.POS(), strategy.URW(strategy.URWOptions{})}
}

// mostAfresh is the maximum number of runs that Afresh returns.
const mostAfresh = 3

// Afresh makes runs with random draws in random orders: see shrink.Subject.
func (s *shrinking) Afresh(call int, signature string, runs int, other func(shrink.Outcome)) (found []shrink.Outcome, made int) {
	arms := randomOrders()
	for made < runs && len(found) < mostAfresh {
		seed := hash.Mix(hash.Mix(uint64(call)) + uint64(made))
		made++
		res := s.play(props.Plan{Seed: seed, EarlyTimers: s.early, Strategy: arms[made%len(arms)], StrategySeed: hash.Mix(seed)})
		out := s.outcomeOf(&res)
		if out.Signature != signature {
			other(out)
			continue
		}
		made++
		if out := s.Run(out.Case); out.Signature == signature {
			found = append(found, out.Clone())
		}
	}
	return found, made
}
