package search

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse/choice"
)

// An input may have more orders than there is time for, so the inputs take turns. Each is run
// once when it is drawn, which shows how large it is. Then there is a round of firstPart runs
// for each, small ones first. Each further round makes twice as many runs as the previous
// one of every open input. A waiting exploration keeps its state: nothing runs twice.
const (
	firstPart = 32
	// atOnce is how many inputs are drawn before each round. There may be too many
	// inputs to draw them all.
	atOnce = 64
	// mostOpen is how many explorations may wait: at this number, no input is
	// drawn.
	mostOpen = 256
	// probeAfter is how many runs all inputs together have before the first probe.
	// From then on, every input with at least as many runs as a first round has
	// probes.
	probeAfter = 2000
)

// An input is one whose orders are explored.
type input struct {
	number  int // in the order in which inputs are drawn, from 0
	drawn   []choice.Input
	between bool // Result.Between of its draws
	search  *explore.Ongoing
	part    int            // how many runs it made in the last round
	steps   int            // of its first run
	words   int            // the numbers that it has drawn
	result  explore.Result // so far
	made    int            // runs so far, whatever their results
	done    bool
	probes  bool     // the number of runs before its probes is set
	counts  []counts // of the workers
}

// all explores all inputs until something ends that.
func (x *exploring) all() error {
	for more := true; !x.ended && (more || len(x.open) > 0); {
		var err error
		if more {
			more, err = x.admit()
		}
		if err == nil {
			err = x.makeRound()
		}
		if err != nil {
			return err
		}
	}
	x.conclude()
	return nil
}

// admit draws inputs, runs each once, and puts the small ones first. It reports whether
// there may be more.
func (x *exploring) admit() (more bool, err error) {
	before := len(x.open)
	more = true
	for drawn := 0; more && err == nil && drawn < atOnce && len(x.open) < mostOpen; drawn++ {
		more, err = x.admitOne()
	}
	slices.SortStableFunc(x.open[before:], func(a, b *input) int {
		return cmp.Or(cmp.Compare(a.steps, b.steps), cmp.Compare(a.words, b.words))
	})
	return more, err
}

// admitOne draws an input and runs it once or, if it is the only one, in all its orders. It
// reports whether there may be more.
func (x *exploring) admitOne() (more bool, err error) {
	if !x.inputs.next() {
		x.ended = x.ended || x.inputs.cut
		return false, nil
	}
	if err := x.refusal(); err != nil {
		return false, err
	}
	if x.noDraws && x.inputs.sampled {
		x.verdict.Bound, x.ended = explore.BoundInputs, true
		return false, nil
	}
	in, err := x.begin()
	if err != nil {
		return false, err
	}
	runs := 0
	if !x.inputs.single() {
		runs = 1
		x.setProbes(in)
	}
	if err = x.goOn(in, runs); !in.done {
		in.steps = in.result.Steps
		x.open = append(x.open, in)
	}
	return !x.ended, err
}

// begin prepares the exploration of the current input.
func (x *exploring) begin() (*input, error) {
	in := &input{number: x.begun, drawn: x.inputs.drawn, between: x.inputs.between, counts: make([]counts, len(x.workers))}
	for _, d := range in.drawn {
		in.words += len(d.Words)
	}
	x.begun++
	o := explore.Options{Method: x.Method, Seed: x.Seed, KeepOn: x.KeepOn, Estimate: x.Estimate, File: x.File,
		Name: x.property.Name, Stop: x.ctx.Done()}
	if x.Runs > 0 {
		o.Runs = x.Runs - x.made
	}
	if !x.deadline.IsZero() {
		o.Time = max(1, time.Until(x.deadline))
	}
	if x.Progress != nil {
		o.Progress = x.tell
	}
	x.turnTo(in)
	var workers []explore.Worker
	for _, w := range x.workers {
		workers = append(workers, w)
	}
	var err error
	in.search, err = explore.Begin(o, workers...)
	return in, err
}

// setProbes sets when the probes of an input begin: now, or not yet.
func (x *exploring) setProbes(in *input) {
	switch {
	case in.probes:
	case x.made < probeAfter:
		in.search.ProbeAfter(math.MaxInt)
	default:
		in.probes = true
		in.search.ProbeAfter(max(firstPart, in.made))
	}
}

// turnTo makes the workers run an input.
func (x *exploring) turnTo(in *input) {
	x.turn = in
	for i, w := range x.workers {
		w.turnTo(in, &in.counts[i])
	}
}

// makeRound gives each open input its turn.
func (x *exploring) makeRound() error {
	for _, in := range x.open {
		if x.ended = x.ended || x.bound() != explore.NoBound; x.ended {
			break
		}
		in.part = max(firstPart, 2*in.part)
		part := in.part
		if x.Runs > 0 {
			part = min(part, x.Runs-x.made)
		}
		x.turnTo(in)
		x.setProbes(in)
		if err := x.goOn(in, part); err != nil {
			return err
		}
	}
	x.open = slices.DeleteFunc(x.open, func(in *input) bool { return in.done })
	return nil
}

// goOn makes the given number of further runs of an input, all if it is zero.
func (x *exploring) goOn(in *input, runs int) (err error) {
	in.done = !in.search.GoOn(runs)
	in.result = in.search.Result()
	if in.done {
		if err = x.finish(in); err != nil {
			return err
		}
	}
	made := madeBy(&in.result)
	x.made += made - in.made
	in.made = made
	return nil
}

// finish adds the result of a completed input.
func (x *exploring) finish(in *input) (err error) {
	if in.result, err = in.search.End(); err != nil {
		return err
	}
	r := &in.result
	if r.Nondeterminism != "" {
		for _, w := range x.workers {
			w.noteLast(r)
		}
	}
	x.add(in)
	if len(x.done) < mostConfirmed {
		x.done = append(x.done, &input{number: in.number, drawn: in.drawn, counts: in.counts})
	}
	x.ended = x.ended || r.Nondeterminism != "" || r.Clash != "" || r.Bound == explore.BoundFailure
	return nil
}

// add adds the result of an input to the verdict.
func (x *exploring) add(in *input) {
	x.noteWatched(in)
	x.verdict.add(&in.result)
	x.incomplete = x.incomplete || !in.result.Complete
}

// conclude ends the remaining explorations, and completes the verdict.
func (x *exploring) conclude() {
	v := &x.verdict
	for len(x.open) > 0 {
		in := x.open[0]
		x.turnTo(in)
		x.open = x.open[1:]
		in.result, _ = in.search.End() // it has no file that might fail
		x.add(in)
	}
	if (x.inputs.cut || x.incomplete) && v.Bound == explore.NoBound {
		v.Bound = x.bound()
	}
	v.Complete = !x.incomplete && v.Bound == explore.NoBound && v.Inputs > 0
	v.Sampled, v.Skipped, v.more = x.inputs.sampled, x.inputs.skipped, !x.inputs.single()
	if v.Inputs > 1 { // their times overlap
		v.Elapsed = 0
	}
	v.Elapsed = max(v.Elapsed, time.Since(x.began)) // it is longer if the search continued from a file
}
