package search

import (
	"context"
	"math"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// leastConfirming is the minimum number of random runs that confirm that all orders were
// run.
const leastConfirming = 128

// Confirming runs may take 1/confirmingPart of the remaining time. The number of random
// runs after Explore is at most 1/confirmingPart of the number of explored runs, but at
// least leastConfirming.
const confirmingPart = 4

// Random confirming runs use only the first mostConfirmed completed inputs.
const mostConfirmed = 16

const (
	// mostConfirming is the maximum number of unreduced runs that confirm an
	// exploration, and also the maximum number of random runs that confirm an
	// exploration.
	mostConfirming = 10_000
	// mostAgain is the maximum number of runs that are repeated if a confirming run
	// fails.
	mostAgain = 1000
)

// nothingButMessages is the assumption of every reduction.
const nothingButMessages = "actors share nothing but messages"

// A doubt is a reason why a run can fail although every distinct order has passed.
type doubt uint8

const (
	noDoubt  doubt = iota
	shared         // actors share more than messages, such as variables
	outlives       // something outlives a run, such as a package-level variable
)

var doubtTexts = [...]string{
	shared: "every distinct order passed, but a run in one of these orders fails: actors of this program share more than " +
		"messages, such as a variable that two actors change; let one actor have it",
	outlives: "every order passed, but one fails in a rerun: something outlives a run, such as a variable of the " +
		"package, or the program is nondeterministic; create all that a run uses in the property",
}

func (d doubt) String() string { return doubtTexts[d] }

// confirm performs further runs after a complete exploration that pruned orders: first
// all orders if they are few, and then random ones. These runs are needed because a
// reduction knows messages and calls to System, T and Host, but not a variable that two
// actors change. A failing run makes the exploration incomplete. Passing runs are not
// counted.
func (x *exploring) confirm() {
	v := &x.verdict
	if !v.Complete || len(v.Failures) > 0 || len(x.done) == 0 {
		return
	}
	v.assumes = v.reduced()
	if !v.leftOut() || x.bound() != explore.NoBound {
		return
	}
	ctx, cancel := x.ctx, func() {}
	if !x.deadline.IsZero() {
		ctx, cancel = context.WithTimeout(ctx, time.Until(x.deadline)/confirmingPart)
	}
	defer cancel()
	if x.confirmAll(ctx); v.Complete {
		x.confirmSome(ctx)
	}
}

// confirmAll runs all orders without a reduction, if there are few orders. If it can run
// all orders, the exploration is complete no matter what actors share.
func (x *exploring) confirmAll(ctx context.Context) {
	v, w := &x.verdict, x.workers[0]
	y := newExploring(ctx, x.property, ExploreOptions{Method: explore.Method{Reduction: explore.Everything}, Seed: x.Seed, Inputs: x.Inputs,
		Runs: mostConfirming})
	defer y.close()
	own := y.workers[0]
	own.runner.runs = w.runner.runs // continues the numbers of runs in the flight recorder
	if err := y.all(); err != nil { // impossible: these options are never refused
		return
	}
	w.runner.runs = own.runner.runs
	if y.verdict.Nondeterminism != "" {
		v.Complete, v.assumes, v.Bound, v.refuted = false, false, explore.BoundFailure, outlives
		return
	}
	v.assumes = v.assumes && (!y.verdict.Complete || y.verdict.Inputs < v.Inputs)
	for signature, f := range own.found {
		x.refute(signature, f.Finding, own.finished)
	}
}

// confirmSome performs random runs until one fails.
func (x *exploring) confirmSome(ctx context.Context) {
	by := [...]pulse.Strategy{strategy.Random(), strategy.POS()}
	w := x.workers[0]
	for i := range min(max(leastConfirming, x.verdict.Runs/confirmingPart), mostConfirming) {
		if ctx.Err() != nil {
			return
		}
		x.turnTo(x.done[i%len(x.done)])
		w.run(props.Plan{Strategy: by[i/len(x.done)%len(by)], StrategySeed: hash.Seed(x.Seed, uint64(i))})
		if w.last.Failure != nil {
			x.refute(w.last.Failure.Signature(), w.finding(), i+1)
			return
		}
	}
}

// refute records that a confirming run failed, so that the exploration is incomplete.
// runs is the number of confirming runs so far, including the failing run.
func (x *exploring) refute(signature string, f *finding.Finding, runs int) {
	v, w := &x.verdict, x.workers[0]
	x.meet(signature, f)
	w.found[signature] = &placed{f, max(0, w.finished-1), place{input: w.number, subtree: math.MaxInt}, true}
	v.Failures[signature], v.Probes = 1, v.Probes+runs
	v.Complete, v.assumes, v.Bound = false, false, explore.BoundFailure
	f.Confirm(w.runner.Runner)
	if v.refuted = shared; f.Replays < finding.Tried || !passesAgain(x.ctx, x.property, x.ExploreOptions) {
		v.refuted = outlives
	}
}

// passesAgain reruns an exploration, up to mostAgain runs, and reports whether no run
// fails.
func passesAgain(ctx context.Context, p Property, o ExploreOptions) bool {
	o.Workers, o.File, o.Estimate, o.Progress, o.Passed, o.Met = 0, "", false, nil, nil, nil
	if o.Runs == 0 || o.Runs > mostAgain {
		o.Runs = mostAgain
	}
	p.Recorder = nil // these runs were recorded before
	x := newExploring(ctx, p, o)
	defer x.close()
	err := x.all()
	return err == nil && len(x.verdict.Failures) == 0 && x.verdict.Nondeterminism == ""
}

// doubt returns why a confirming run failed although every explored order passed. It
// returns "" if no confirming run failed, or if the text of the verdict gives the reason.
func (v *Verdict) doubt() string {
	if v.refuted != shared {
		return v.refuted.String()
	}
	if v.Watched {
		return ""
	}
	return v.refuted.String() + ", or explore with the reduction everything"
}
