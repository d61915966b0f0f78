package search

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Exhaustion is the result of Exhaust.
type Exhaustion struct {
	Exploration
	// All reports whether every order of every input was run and none failed. If a
	// reduction was used, All holds only if actors share nothing but messages.
	All bool
	// Doubts lists reasons why runs failed although every distinct order passed. A test
	// should fail for each.
	Doubts []string
	// Orders holds the receive pairs of all runs. If All is set, no other pairs are
	// possible.
	Orders  *coverage.Orders
	reduced bool // set if a reduction was used
	doubts  bool // set if the program used a feature for which the reduction may be wrong
	// orders is the set of the orders that were run, as hashes made by orderOf.
	orders      map[uint64]bool
	passesAgain func() bool // reruns the exploration; see the function passesAgain
}

// Exhaust runs a property in every distinct order of all its inputs, within the given
// number of runs. The property must make no draws other than OneOf. Exhaust is for
// searches that end early if nothing is left to run, so it is more careful than Explore.
// If no distinct order fails, Exhaust also runs all orders unreduced, within 10 times the
// number of runs. If there are more orders, it sets All only for programs that use no
// feature for which a reduction may be wrong. As in Sample, runs may have early timers.
func Exhaust(ctx context.Context, p Property, seed uint64, runs int) Exhaustion {
	return exhaustTwice(ctx, p, seed, runs, unreducedTimes*runs)
}

// exhaustTwice runs every distinct order, with at most the given number of runs, and then
// all orders without a reduction, with at most allRuns runs.
func exhaustTwice(ctx context.Context, p Property, seed uint64, runs, allRuns int) Exhaustion {
	o := ExploreOptions{Seed: seed, Runs: runs}
	o.Method.CountDistinct = true
	x := exhaustOnce(ctx, p, o)
	x.passesAgain = func() bool { return passesAgain(ctx, p, o) }
	if !x.Verdict.Complete || len(x.Found) > 0 {
		return x
	}
	unreduced := ExploreOptions{Seed: seed, Runs: allRuns}
	unreduced.Method = explore.Method{Reduction: explore.Everything, CountDistinct: true}
	all := exhaustOnce(ctx, p, unreduced)
	all.passesAgain = x.passesAgain
	if !x.doubts && !all.All && len(all.Found) == 0 && all.Verdict.Nondeterminism == "" { // there are too many orders to run them all without a reduction
		return x
	}
	all.All = all.All && (x.doubts || maps.Equal(x.orders, all.orders)) // if the orders differ, the program is nondeterministic
	for _, f := range all.Found {
		all.Doubts = append(all.Doubts, x.doubt(f.Finding)...)
	}
	return all
}

// unreducedTimes is the number of unreduced runs that Exhaust may perform for each run of
// its bound.
const unreducedTimes = 10

// doubt returns the reason why a run fails although every distinct order passed. It
// returns nil if the reason is unknown or the failure itself says it.
func (x *Exhaustion) doubt(f *finding.Finding) []string {
	switch {
	case f.Failure.Kind == pulse.KindNondeterminism: // a nondeterminism failure itself says that the program is nondeterministic
		return nil
	case f.Replays < finding.Tried || !x.passesAgain():
		return []string{outlives.String()}
	case x.reduced && !x.doubts && !x.Verdict.existing: // goroutines of an existing test may share variables, and the failure is real
		return []string{shared.String()}
	}
	return nil
}

// exhaust explores a property. If the program uses a feature for which a reduction may be
// wrong, exhaust explores the property again without a reduction.
func exhaust(ctx context.Context, p Property, o ExploreOptions) Exhaustion {
	o.Method.CountDistinct = true
	x := exhaustOnce(ctx, p, o)
	if x.doubts && x.Verdict.Complete && (o.KeepOn || len(x.Found) == 0) {
		o.Method = explore.Method{Reduction: explore.Everything, CountDistinct: true}
		x = exhaustOnce(ctx, p, o)
	}
	return x
}

func exhaustOnce(ctx context.Context, p Property, o ExploreOptions) (out Exhaustion) {
	x := newExploring(ctx, p, o)
	defer x.close()
	x.noDraws, x.orders, out.Orders = true, map[uint64]bool{}, &coverage.Orders{}
	x.seen = out.Orders
	x.workers[0].runner.phase = flight.Exhaust
	out.reduced = x.reduces()
	if !out.reduced {
		x.earlyTimers = earlyTimers
	}
	if err := x.all(); err != nil { // impossible: these options are never refused
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

// orderOf returns a hash of a run's drawn values and of the sequence of messages that each
// actor received.
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
		if sum != 0 { // unlike the index of an actor, its ID does not depend on the order
			all += hash.Mix(hash.Fold(t.Actors[i].ID, sum))
		}
	}
	return all
}

// Confirm performs random runs after every order was run, to check that no order is
// missing. It performs as many runs as the exploration, but at least 128. If a reduction
// was used and ctx has a deadline, Confirm instead takes a quarter of the remaining time,
// because no reduction knows about variables that actors share. same reports whether no run
// had a new order; otherwise the program is nondeterministic.
func (x *Exhaustion) Confirm(ctx context.Context, p Property, o Options) (res Result, same bool) {
	o.Runs, o.Cache = max(leastConfirming, x.Verdict.Runs), distill.Cache{}
	if deadline, ok := ctx.Deadline(); ok && x.reduced {
		o.Runs = 0
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/confirmingPart)
		defer cancel()
	}
	s := newSampler(ctx, p, o)
	defer s.close()
	s.known = x.orders
	res = s.run()
	res.Missed = nil // x.All is set only if every situation was reached
	if res.Finding != nil {
		x.Doubts = x.doubt(res.Finding)
	}
	return res, !s.strange.Load()
}

// Conditional reports whether All holds only if actors share nothing but messages.
func (x *Exhaustion) Conditional() bool { return x.All && x.reduced }

// Whole describes a complete exploration, such as "complete: all 24 orders were run".
func (x *Exhaustion) Whole() string {
	v := &x.Verdict
	orders := fmt.Sprintf("all %s orders were run", words.Grouped(v.Distinct))
	if v.Distinct == 1 {
		orders = "the only possible order was run"
	}
	if v.Inputs > 1 {
		orders = fmt.Sprintf("all %s orders of all %s inputs were run", words.Grouped(v.Distinct), words.Grouped(v.Inputs))
	}
	orders += v.timers()
	if x.Conditional() {
		return "complete if " + nothingButMessages + ": " + orders
	}
	return "complete: " + orders
}
