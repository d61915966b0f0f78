package finding

import (
	"context"
	"math"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/shrink"
)

// The maximum numbers of runs of Repair: under constraints of the case, for all orders of its
// draws, and at random.
const (
	repairNear   = 500
	repairAll    = 1000
	repairRandom = 500
)

// Repair looks for a run that fails like a case, if the program has changed so that the case
// can no longer be replayed as saved. It begins with the parts of the case that still apply.
// Then it keeps the case's draws and searches near its order: random orders under the
// remaining constraints, fewer of them each time; then all orders, if they are few; then
// random ones. It returns the smallest run of the first of these stages that finds any,
// confirmed.
//
// A case that replays as saved needs no repair, and one whose failure has no signature
// cannot be repaired: then ok is false, as if nothing is found.
func Repair(ctx context.Context, r *props.Runner, c *corpus.Case) (f *Finding, ok bool) {
	played := Play(r, c)
	if played.Exact || c.Signature == "" {
		return nil, false
	}
	s := &shrinking{runner: r, early: c.EarlyTimers, saved: c.Signature,
		origin: Origin{Property: c.Property, Test: c.Test, Strategy: c.Strategy, Seed: c.Seed}}
	near := s.outcomeOf(&played.Result)
	near.Case = near.Case.Clone()
	if res := &played.Result; res.Failure != nil && near.Signature == c.Signature {
		f = From(s.origin, res)
		if f.Confirm(r); f.Replays == Tried {
			return f, true
		}
	}
	if played.Result.System == nil {
		return nil, false // there is no order to look for
	}
	h := &hunt{shrinking: s, inputs: near.Case.Inputs, signature: c.Signature, near: &near, other: func(shrink.Outcome) {}}
	near.External, near.Steps = math.MaxInt, math.MaxInt // accept longer runs
	for _, stage := range []struct {
		runs int
		look func(*hunt)
	}{{repairNear, (*hunt).under}, {repairAll, func(h *hunt) { h.everywhere(h.left) }}, {repairRandom, (*hunt).atRandom}} {
		if h.left = stage.runs; ctx.Err() == nil && !h.all {
			stage.look(h)
		}
		if f := h.smallest(); f != nil {
			return f, true
		}
	}
	return nil, false
}

// under tries random orders under the constraints of the near run: first all of them, then
// ever smaller random subsets.
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

// smallest returns the smallest run found, confirmed; nil if there is none.
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
