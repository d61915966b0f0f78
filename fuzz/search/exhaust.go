package search

import (
	"context"
	"fmt"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/distill"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/flight"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Exhaustion is what came of Exhaust.
type Exhaustion struct {
	Exploration
	// All reports that every order of every input was run and none failed.
	All bool
	// Orders are those of receives in all that was run. If that was All, no others are
	// possible.
	Orders *coverage.Orders
	// reduced reports that a reduction was used, and doubts that it may be wrong about
	// something that was in use.
	reduced, doubts bool
	// orders are those that were run, by orderOf.
	orders map[uint64]bool
}

// Exhaust runs a property in every distinct order of all its inputs, if that can
// be done within a number of runs, and for a property that draws by OneOf alone
// or not at all. It is for searches that may end when nothing is left, and so
// claims less than Explore: where something is in use that reductions may be
// wrong about, all orders must have been run without one. As in Sample a property
// may be given early timers.
func Exhaust(ctx context.Context, p Property, seed uint64, runs int) Exhaustion {
	return exhaust(ctx, p, ExploreOptions{Seed: seed, Runs: runs}, nil)
}

// exhaust makes an exploration, and where there are doubts about its reduction another
// without one: of one input, if it is not nil, else of all.
func exhaust(ctx context.Context, p Property, o ExploreOptions, one []choice.Input) Exhaustion {
	o.Method.CountDistinct = true
	x := exhaustOnce(ctx, p, o, one)
	if x.doubts && x.Verdict.Complete && (o.KeepOn || len(x.Found) == 0) {
		o.Method = explore.Method{Reduction: explore.Everything, CountDistinct: true}
		x = exhaustOnce(ctx, p, o, one)
	}
	return x
}

func exhaustOnce(ctx context.Context, p Property, o ExploreOptions, one []choice.Input) (out Exhaustion) {
	x := newExploring(ctx, p, o)
	defer x.close()
	x.inputs.one = one
	x.noDraws, x.orders, out.Orders = true, map[uint64]bool{}, &coverage.Orders{}
	x.seen = out.Orders
	x.workers[0].runner.phase = flight.Exhaust
	out.reduced = x.reduces()
	if !out.reduced {
		x.earlyTimers = earlyTimers
	}
	if err := x.all(); err != nil { // cannot be: nothing was asked for that may be refused
		return out
	}
	out.Exploration, out.orders = x.result(), x.orders
	out.doubts = out.reduced && (x.workers[0].doubts || x.inputs.watches || out.Verdict.Watched || len(out.Complaints) > 0)
	v := &out.Verdict
	out.All = v.Complete && !v.Sampled && v.Nondeterminism == "" && !out.doubts &&
		len(out.Found)+len(out.Lost)+len(out.Complaints) == 0
	if out.All {
		out.Orders.Whole()
	}
	return out
}

// isDoubtful reports whether a run had what a reduction may be wrong about. What
// a run that was skipped would have shown in another order is not known. Timers
// that are due at one time come in an order that no message decides, and may come
// early where that is the search's to say. The isolation check looks at messages
// of several actors at once.
func isDoubtful(res *props.Result) bool {
	return res.Skipped || res.System != nil && (res.System.Timers() > 0 || res.System.Options().Isolation)
}

// orderOf returns a number for what a run has drawn and what each actor of it has
// received, in order.
func orderOf(res *props.Result) uint64 {
	if res.System == nil {
		return 0
	}
	t, all := res.System.Trace(), uint64(0)
	for i, in := range res.Inputs {
		all = hash.Fold(all, hash.String(in.Label+"="+trace.Label(res.Values[i])))
	}
	received := make([]uint64, len(t.Actors))
	for i := range t.Steps {
		step := &t.Steps[i]
		received[step.Actor] = hash.Fold(received[step.Actor], step.ID)
	}
	for i, sum := range received {
		if sum != 0 { // actors have other numbers in other orders
			all += hash.Mix(hash.Fold(t.Actors[i].ID, sum))
		}
	}
	return all
}

// Confirm makes runs at random after every order was run, as many as that took. It
// reports whether none of them came in an order that is new: no reduction is
// trusted alone, and a program that does not repeat itself has no "every order".
func (x *Exhaustion) Confirm(ctx context.Context, p Property, o Options) (res Result, same bool) {
	o.Runs, o.Cache = max(leastConfirming, x.Verdict.Runs), distill.Cache{}
	s := newSampler(ctx, p, o)
	defer s.close()
	s.known = x.orders
	res = s.run()
	res.Missed = nil // every situation was reached, or All would not hold
	return res, !s.strange.Load()
}

// Whole says in words what was run: "complete: all 24 orders were run".
func (x *Exhaustion) Whole() string {
	v := &x.Verdict
	orders := fmt.Sprintf("all %s orders were run", words.Grouped(v.Distinct))
	if v.Distinct == 1 {
		orders = "the only order there is was run"
	}
	if v.Inputs > 1 {
		orders = fmt.Sprintf("all %s orders of all %s inputs were run", words.Grouped(v.Distinct), words.Grouped(v.Inputs))
	}
	return "complete: " + orders
}
