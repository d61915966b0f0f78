package finding

import (
	"cmp"
	"context"
	"maps"
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
func (s *shrinking) Search(ctx context.Context, inputs []choice.Input, signature string, near *shrink.Outcome, runs int, other func(shrink.Outcome)) ([]shrink.Outcome, int, bool) {
	h := &hunt{shrinking: s, ctx: ctx, inputs: inputs, signature: signature, near: near, other: other, left: runs}
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
	mostOrders  = 150 // for each input, the maximum number of runs to enumerate its orders; the inputs in near have their own limit
	usualHunted = 16  // the number of failing runs after which Search ends and returns the smallest
)

// A hunt is the state of one call to shrinking.Search.
type hunt struct {
	*shrinking
	ctx       context.Context
	inputs    []choice.Input
	signature string
	near      *shrink.Outcome // the run whose order and size the search starts from
	other     func(shrink.Outcome)
	left      int // the number of runs that may still be made
	found     []shrink.Outcome
	all       bool // set if every order was run
}

// elsewhere reports whether the inputs are the same as in the run h.near. If they are, the search is
// only for other orders.
func (h *hunt) elsewhere() bool {
	return sameInputs(h.inputs, h.near.Case.Inputs)
}

// over reports whether the search ends: enough failing runs were found, every order was run, no
// runs are left, or the context is done.
func (h *hunt) over() bool {
	return h.left <= 0 || h.all || len(h.found) >= usualHunted || h.ctx.Err() != nil
}

// try runs the inputs with a schedule and offers the run.
func (h *hunt) try(by choice.Schedule) {
	h.left--
	h.offer(h.Run(shrink.Case{Inputs: h.inputs, Schedule: by}))
}

// offer adds a run with the wanted failure to found, unless it has more external messages or steps
// than the run h.near.
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
	if h.left > 0 && h.ctx.Err() == nil {
		h.left--
		h.offer(h.Run(c))
	}
}

// byName runs the inputs in the order of the run h.near. It translates that order by the names of
// messages: with different inputs the messages have different IDs, but often the same names.
func (h *hunt) byName() {
	if h.left < 2 || h.over() || len(h.near.Case.Schedule.Before) == 0 {
		return
	}
	is := h.latest // the result of the last run, which usually has the same inputs
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

// namesOfNear returns the names of the messages in the run h.near. known is false if the run has no
// names. namesOfNear caches the names, because many searches start from the same run.
func (h *hunt) namesOfNear() (*twoNames, bool) {
	c := &h.near.Case
	if !sameCase(&h.named, c) {
		if h.over() {
			return nil, false
		}
		h.left--
		h.run(*c)
		h.named, h.names = c.Clone(), h.latest.names()
	}
	return h.names, h.names != nil
}

// The limits of byOrder.
const (
	mostWays         = 12  // the maximum number of ways in which byOrder leaves out actors
	mostTransplanted = 200 // the maximum number of deliveries of the run h.near
)

// byOrder runs the inputs in the complete order of the run h.near, which it translates by the names
// of messages. Messages that h.near does not receive come last. If the inputs lead to fewer actors of
// a label than h.near has, byOrder tries which of them to leave out.
func (h *hunt) byOrder() {
	if len(h.near.Taken) > mostTransplanted || !h.noteNear() {
		return
	}
	if !h.latest.known || !sameInputs(h.latest.inputs, h.inputs) {
		if h.over() {
			return
		}
		h.try(choice.Schedule{Choices: h.near.Case.Schedule.Choices})
	}
	if h.latest.system == nil {
		return
	}
	for _, without := range ways(h.noted.actors, countActors(h.latest.system)) {
		for i, n := range h.noted.by {
			if h.over() {
				return
			}
			h.follow(&steered{namer: namer{naming: naming{types: i == 1, without: without}}, answers: n.answers, order: n.order})
		}
	}
}

// follow runs the inputs by a steered strategy, and offers the run.
func (h *hunt) follow(by *steered) {
	h.left--
	res := h.play(props.Plan{Inputs: padded(h.inputs), EarlyTimers: h.early, Strategy: by})
	unpad(&res, h.inputs)
	if out := h.outcomeOf(&res); out.Signature == h.signature {
		h.check(out.Case)
	} else {
		h.other(out)
	}
}

// An orderOf is the order of a run.
type orderOf struct {
	run    shrink.Case
	by     [2]*noted         // two replays of the run: the first numbers messages by their labels, the second by their types
	actors map[string]uint64 // the number of actors of each label
}

// noteNear stores the order of the run h.near in h.noted, and reports whether that was possible. It
// keeps the order, because many searches start from the same run.
func (h *hunt) noteNear() bool {
	c := &h.near.Case
	if h.noted.actors != nil && sameCase(&h.noted.run, c) {
		return true
	}
	h.noted = orderOf{run: c.Clone()}
	for i := range h.noted.by {
		if h.over() {
			return false
		}
		n := &noted{namer: namer{naming: naming{types: i == 1}}, by: strategy.Ordered(&c.Schedule)}
		h.left--
		res := h.play(props.Plan{Inputs: padded(c.Inputs), EarlyTimers: h.early, Strategy: n})
		if res.System == nil {
			return false
		}
		if h.noted.by[i] = n; i == 1 {
			h.noted.actors = countActors(res.System)
		}
	}
	return true
}

func sameCase(a, b *shrink.Case) bool {
	return slices.Equal(a.Schedule.Before, b.Schedule.Before) && slices.Equal(a.Schedule.Choices, b.Schedule.Choices) && sameInputs(a.Inputs, b.Inputs)
}

// countActors returns the number of a run's actors of each label.
func countActors(sys *pulse.System) map[string]uint64 {
	n, t := map[string]uint64{}, sys.Trace()
	for i := range t.Actors {
		n[t.Actors[i].Label]++
	}
	return n
}

// ways returns the ways to leave out actors of a run, so that as many actors of each label remain as
// another run has: see naming.without. The maps was and is have the numbers of actors of the two
// runs. For labels that do not occur in the other run it leaves out nothing.
func ways(was, is map[string]uint64) []map[string][]uint64 {
	all := []map[string][]uint64{{}}
	for _, label := range slices.Sorted(maps.Keys(was)) {
		if is[label] >= was[label] || is[label] == 0 {
			continue
		}
		var longer []map[string][]uint64
		for _, gone := range subsets(was[label], was[label]-is[label]) {
			for _, without := range all {
				without = maps.Clone(without)
				without[label] = gone
				longer = append(longer, without)
			}
		}
		all = longer[:min(len(longer), mostWays)]
	}
	return all
}

// subsets returns the subsets of the numbers from 1 to n that have k elements. It returns at most
// mostWays of them, those with the largest numbers first.
func subsets(n, k uint64) (all [][]uint64) {
	if k == 0 {
		return [][]uint64{nil}
	}
	for last := n; last >= k && len(all) < mostWays; last-- {
		for _, rest := range subsets(last-1, k-1) {
			all = append(all, append(slices.Clip(rest), last))
		}
	}
	return all[:min(len(all), mostWays)]
}

// everywhere runs up to `most` orders of the inputs. It sets h.all if there are no other
// orders.
func (h *hunt) everywhere(most int) {
	if h.over() || most <= 0 || isLong(h.latest.system) { // explore.Explore takes zero as no limit
		return
	}
	w := &orderer{hunt: h}
	result, err := explore.Explore(explore.Options{KeepOn: true, Runs: most, Stop: h.ctx.Done()}, w)
	h.left = max(0, h.left-w.made)
	for _, c := range w.cases {
		h.check(c)
	}
	h.all = err == nil && result.Complete && !w.doubts
}

// under runs random orders under constraints of the run h.near: first under all of its
// constraints, then under ever smaller random subsets.
func (h *hunt) under() {
	choices := h.near.Case.Schedule.Choices
	tries := uint64(h.left)
	for n := uint64(0); n < tries && !h.over(); n++ {
		var some []choice.Constraint
		for i, c := range h.near.Case.Schedule.Before {
			if hash.Seed(n, uint64(i))%tries >= n {
				some = append(some, c)
			}
		}
		h.left--
		res := h.run(shrink.Case{Inputs: h.inputs, Schedule: choice.Schedule{Seed: n, Before: some, Choices: choices}})
		if out := h.outcomeOf(&res); out.Signature == h.signature {
			h.check(out.Case)
		}
	}
}

// smallest returns the smallest found run that can be confirmed, nil if there is none.
func (h *hunt) smallest() *Finding {
	slices.SortStableFunc(h.found, func(a, b shrink.Outcome) int { return a.Compare(&b) })
	for _, out := range h.found {
		if f, wrong := h.finding(out.Case); wrong == "" && h.shrinking.signature(f.Failure) == h.signature {
			return f
		}
	}
	h.found = nil
	return nil
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
func (s *shrinking) Afresh(ctx context.Context, call int, signature string, runs int, other func(shrink.Outcome)) (found []shrink.Outcome, made int) {
	arms := randomOrders()
	for made < runs && len(found) < mostAfresh && ctx.Err() == nil {
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
