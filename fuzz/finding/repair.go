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

// The maximum numbers of runs in the stages of Repair.
const (
	repairNear   = 500  // random orders under constraints of the case
	repairAll    = 1000 // all orders
	repairRandom = 500  // random orders
)

// Repair searches for a run with the failure of a case that can no longer be replayed as saved,
// because the program has changed. First it replays the parts of the case that still apply. If
// that run does not have the failure, Repair keeps the draws and searches in stages: random
// orders under the remaining constraints, which are fewer in each run; all orders, if they are
// few; random orders without constraints. It returns the smallest run of the first stage that
// finds any, confirmed.
//
// ok is false if nothing is found. It is also false if the case replays as saved, so that it
// needs no repair, or if it has no signature.
func Repair(ctx context.Context, r *props.Runner, c *corpus.Case) (f *Finding, ok bool) {
	played := Replay(r, c)
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
		return nil, false // the run made no system, so there is no order to search for
	}
	h := &hunt{shrinking: s, ctx: ctx, inputs: near.Case.Inputs, signature: c.Signature, near: &near, other: func(shrink.Outcome) {}}
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
