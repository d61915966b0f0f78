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
