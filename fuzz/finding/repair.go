package finding

import (
	"context"
	"math"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
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
