package search

import (
	"context"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/flight"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A property is tried in hintingRuns random runs, or as many as take hintingTime, to learn
// whether it gives hints. Guidance is of no use to a property whose runs take longer.
const (
	hintingRuns = 128
	hintingTime = 100 * time.Millisecond
)

// Hints say whether a property tells a guided search how far its runs have come, by
// T.Feature or T.Maximize.
type Hints struct {
	Given bool
	// Failed is a run that was made to learn this and failed, and Run its number, from 0.
	Failed *finding.Finding
	Run    int
}

// LookForHints makes a few random runs, until one gives a hint or fails. Runs bounds them,
// unless it is zero.
func LookForHints(ctx context.Context, p Property, seed uint64, runs int) (h Hints) {
	r, slot, start := p.NewRunner(), p.Recorder.Slot(0), time.Now()
	defer r.Close()
	if runs == 0 || runs > hintingRuns {
		runs = hintingRuns
	}
	by := strategy.Random()
	for h.Run = 0; h.Run < runs && ctx.Err() == nil && time.Since(start) < hintingTime; h.Run++ {
		slot.Begin(flight.Sample, h.Run)
		plan := props.Plan{Seed: hash.Seed(seed, uint64(h.Run)), StrategySeed: hash.Seed(seed+1, uint64(h.Run)), Strategy: by}
		res := r.Run(plan)
		h.Given = slices.ContainsFunc(res.Hints, func(h props.Hint) bool { return h.Kind != props.HintReached })
		if res.Failure != nil {
			h.Failed = finding.From(finding.Origin{Property: p.Name, Test: p.Test, Strategy: floorArm, Seed: plan.StrategySeed}, &res)
			h.Failed.Confirm(r)
		}
		if h.Given || h.Failed != nil {
			break
		}
	}
	return h
}

// AddTo adds the run that failed to the result of a search that has found nothing.
func (h *Hints) AddTo(res *Result) {
	if res.Finding == nil && h.Failed != nil {
		res.Finding, res.Index = h.Failed, h.Run
	}
}

// hinted returns the arms for a property that gives hints. Half of the runs are those of a
// guided search, and half of these are random. The list has an odd length, so that each arm
// has early timers in some runs and not in others.
func hinted() []Entry {
	list, err := Strategies(floorArm, "guided", "urw", "guided", "pos", "guided", "pct", "guided", floorArm)
	if err != nil {
		panic(err) // one of the names is wrong
	}
	for i := range list {
		list[i].Batch *= 2 // the other half is not guided
	}
	return list
}
