package search

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Inputs take turns, because one input may have more orders than there is time for. Each
// input is run once when it is drawn, to find out how large it is. In the first round each
// input gets firstPart runs; inputs with few steps come first. In each further round each
// unfinished input gets twice as many runs as in the round before. An exploration keeps its
// state between rounds, so no run is performed twice.
const (
	firstPart = 32
	// atOnce is the number of inputs drawn before each round. There may be too many
	// inputs to draw them all at once.
	atOnce = 64
	// mostOpen is the maximum number of unfinished explorations. While there are so
	// many, no further input is drawn.
	mostOpen = 256
	// probeAfter is the number of runs of all inputs together before the first probe
	// (a random run that looks for failures elsewhere in the tree). From then on,
	// each input has probes after its first firstPart runs.
	probeAfter = 2000
)

// An input is an input of the property whose orders are explored.
type input struct {
	number  int // the index of the input in the order in which inputs are drawn
	drawn   []choice.Input
	between bool // set if Result.Between was set for the run that drew the input
	search  *explore.Ongoing
	part    int            // the number of runs in the last round
	steps   int            // the number of steps of the first run
	words   int            // the number of random numbers that the draws have read
	result  explore.Result // the result so far
	made    int            // the number of runs, including wasted runs and probes: see madeBy
	done    bool
	probes  bool     // set if the search may already make probes (random runs)
	counts  []counts // for each worker, the counts of its runs
}

// all explores all inputs until they are done or something ends the exploration.
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

// admit draws new inputs, runs each once, and sorts them by size, small ones first. more
// reports whether there may be further inputs.
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

// admitOne draws an input and runs it once. If it is the only input, admitOne runs all its
// orders. more reports whether there may be further inputs.
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

// setProbes lets the probes of an input begin if enough runs were performed, and otherwise
// turns them off.
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

// turnTo switches all workers to an input.
func (x *exploring) turnTo(in *input) {
	x.turn = in
	for i, w := range x.workers {
		w.turnTo(in, &in.counts[i])
	}
}

// makeRound continues each unfinished input for one round.
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

// goOn performs up to the given number of further runs of an input; zero means all.
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

// finish ends the exploration of an input that is done, and adds its result to the verdict.
func (x *exploring) finish(in *input) (err error) {
	if in.result, err = in.search.End(); err != nil {
		return err
	}
	r := &in.result
	if r.Bound == explore.BoundStop && x.bound() == explore.BoundTime { // the deadline has ended the context
		r.Bound = explore.BoundTime
	}
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
		in.result, _ = in.search.End() // an unfinished input has no file, so there is no error
		x.add(in)
	}
	if (x.inputs.cut || x.incomplete) && v.Bound == explore.NoBound {
		v.Bound = x.bound()
	}
	v.Complete = !x.incomplete && v.Bound == explore.NoBound && v.Inputs > 0
	v.Sampled, v.Skipped, v.more = x.inputs.sampled, x.inputs.skipped, !x.inputs.single()
	if v.Inputs > 1 { // inputs take turns, so the sum of their elapsed times is too large
		v.Elapsed = 0
	}
	v.Elapsed = max(v.Elapsed, time.Since(x.began)) // if the exploration continued from a file, v.Elapsed also includes the time of earlier processes
}
